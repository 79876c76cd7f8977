//! A position as a drawing: pieces, coordinates, marked squares, arrows with their legend.

use std::fmt::{Display, Write as _};

use super::markup::{Html, escape};
use super::sprite::{self, MARGIN};
use crate::fen_diagram::{FenDiagram, parse_square, square_name};

/// Whose move an arrow shows. They differ in colour and in line, and have a legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// The right move: a full line.
    Expected,
    /// What the engine played: a dashed line.
    Played,
    /// What a second engine played: a dotted line.
    SecondPlayed,
}

impl Arrow {
    const ALL: [Arrow; 3] = [Arrow::Expected, Arrow::Played, Arrow::SecondPlayed];

    fn class(self) -> &'static str {
        match self {
            Arrow::Expected => "expected",
            Arrow::Played => "played",
            Arrow::SecondPlayed => "second",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Arrow::Expected => "#1259b8",
            Arrow::Played => "#cf4307",
            Arrow::SecondPlayed => "#7a2fb5",
        }
    }

    fn dashes(self) -> &'static str {
        match self {
            Arrow::Expected => "",
            Arrow::Played => " stroke-dasharray=\"26 14\"",
            Arrow::SecondPlayed => " stroke-dasharray=\"8 12\"",
        }
    }

    /// The same in the size of the legend.
    fn sample_dashes(self) -> &'static str {
        match self {
            Arrow::Expected => "",
            Arrow::Played => " stroke-dasharray=\"6 3\"",
            Arrow::SecondPlayed => " stroke-dasharray=\"2 3\"",
        }
    }
}

/// A board to draw, from a FEN or its first field.
#[derive(Clone, Debug)]
pub struct Board {
    fen: String,
    arrows: Vec<(Arrow, Point, Point)>,
    marked: Vec<Point>,
    labels: [String; 3],
    caption: Html,
    is_flipped: bool,
    has_coordinates: bool,
}

type Point = (usize, usize);

impl Board {
    /// White below, with coordinates.
    pub fn new(fen: impl Display) -> Board {
        Board {
            fen: fen.to_string(),
            arrows: Vec::new(),
            marked: Vec::new(),
            labels: ["expected", "engine", "second engine"].map(str::to_owned),
            caption: Html::default(),
            is_flipped: false,
            has_coordinates: true,
        }
    }

    /// An arrow between squares given as `e2`; nothing is drawn between what are no squares.
    #[must_use]
    pub fn arrow(mut self, from: impl Display, to: impl Display, kind: Arrow) -> Board {
        if let (Some(from), Some(to)) =
            (parse_square(&from.to_string()), parse_square(&to.to_string()))
        {
            self.arrows.push((kind, from, to));
        }
        self
    }

    /// An arrow for a move as UCI writes it: `e2e4`, `e7e8q`.
    #[must_use]
    pub fn uci_arrow(self, text: &str, kind: Arrow) -> Board {
        match (text.get(0..2), text.get(2..4)) {
            (Some(from), Some(to)) => self.arrow(from, to, kind),
            _ => self,
        }
    }

    /// What the legend says of an arrow: `expected Nf3`.
    #[must_use]
    pub fn legend(mut self, kind: Arrow, label: impl Display) -> Board {
        self.labels[kind as usize] = label.to_string();
        self
    }

    /// Marks the squares a move left and reached.
    #[must_use]
    pub fn last_move(self, from: impl Display, to: impl Display) -> Board {
        self.mark(from).mark(to)
    }

    /// Marks a square.
    #[must_use]
    pub fn mark(mut self, square: impl Display) -> Board {
        self.marked.extend(parse_square(&square.to_string()));
        self
    }

    /// A line under the board.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<Html>) -> Board {
        self.caption = caption.into();
        self
    }

    /// Black below.
    #[must_use]
    pub fn flipped(mut self) -> Board {
        self.is_flipped = true;
        self
    }

    /// The side to move below, where the FEN names it.
    #[must_use]
    pub fn mover_below(mut self) -> Board {
        self.is_flipped =
            FenDiagram::parse(&self.fen).and_then(|p| p.white_to_move()) == Some(false);
        self
    }

    /// Without coordinates, for small boards.
    #[must_use]
    pub fn bare(mut self) -> Board {
        self.has_coordinates = false;
        self
    }

    /// The drawing as a file of its own.
    #[must_use]
    pub fn svg(&self) -> String {
        // Its own paper keeps the coordinates readable on a dark page.
        let paper = "<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#f6f6f3\"/>";
        let definitions = format!("<defs>{}</defs>{paper}", sprite::definitions());
        self.drawing(" xmlns=\"http://www.w3.org/2000/svg\" width=\"480\"", &definitions)
    }

    fn drawing(&self, attributes: &str, definitions: &str) -> String {
        let margin = self.margin();
        let side = 800 + margin;
        let diagram = FenDiagram::parse(&self.fen);
        let mut out = format!(
            "<svg{attributes} class=\"board\" viewBox=\"0 0 {side} {side}\" role=\"img\" color=\"#5c6370\" \
             font-family=\"system-ui, sans-serif\"><title>{}</title><desc>{}</desc>{definitions}",
            self.title(),
            self.description(diagram.as_ref()),
        );
        self.draw_squares(&mut out);
        match &diagram {
            Some(diagram) => self.draw_pieces(diagram, &mut out),
            None => out.push_str(&unreadable(margin)),
        }
        for &(kind, from, to) in &self.arrows {
            self.draw_arrow(kind, from, to, &mut out);
        }
        out.push_str("</svg>");
        out
    }

    fn draw_squares(&self, out: &mut String) {
        let _ = write!(out, "<use href=\"#dyno-squares\" x=\"{}\"/>", self.margin());
        for &square in &self.marked {
            let (x, y) = self.corner(square);
            let _ = write!(
                out,
                "<path class=\"mark\" fill=\"#e8b923\" fill-opacity=\".6\" d=\"M{x} {y}h100v100h-100z\"/>"
            );
        }
        if self.has_coordinates {
            let flipped = if self.is_flipped { "-flipped" } else { "" };
            let _ = write!(out, "<use href=\"#dyno-names{flipped}\"/>");
        }
    }

    fn draw_pieces(&self, diagram: &FenDiagram, out: &mut String) {
        const WHITE: &str = "fill=\"#fffdf7\" stroke=\"#20242c\" color=\"#20242c\"";
        const BLACK: &str = "fill=\"#363c48\" stroke=\"#14171d\" color=\"#e9e6dc\"";
        for (colours, is_white) in [(WHITE, true), (BLACK, false)] {
            let _ = write!(out, "<g class=\"pieces\" {colours}>");
            for square in (0..64).map(|index| (index % 8, index / 8)) {
                let piece = diagram.piece(square.0, square.1);
                if let Some(letter) = piece.filter(|letter| letter.is_ascii_uppercase() == is_white)
                {
                    let (x, y) = self.corner(square);
                    let _ = write!(
                        out,
                        "<use href=\"#dyno-{}\" x=\"{x}\" y=\"{y}\"/>",
                        letter.to_ascii_lowercase()
                    );
                }
            }
            out.push_str("</g>");
        }
        // Who is to move, as a disc in the corner between the coordinates.
        if let (true, Some(white)) = (self.has_coordinates, diagram.white_to_move()) {
            let fill = if white { "#fffdf7" } else { "#20242c" };
            let _ = write!(
                out,
                "<circle class=\"mover\" cx=\"20\" cy=\"824\" r=\"13\" fill=\"{fill}\" stroke=\"#6d7a60\" stroke-width=\"4\"/>"
            );
        }
    }

    /// A shaft from near the middle of one square and a head that ends in the middle of the
    /// other, with a light rim so that it stands out on pieces of both colours.
    fn draw_arrow(&self, kind: Arrow, from: Point, to: Point, out: &mut String) {
        if from == to {
            return;
        }
        let (x1, y1) = self.middle(from);
        let (x2, y2) = self.middle(to);
        let length = (x2 - x1).hypot(y2 - y1);
        let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
        let along = |start: (f64, f64), by: f64, aside: f64| {
            format!("{:.1} {:.1}", start.0 + dx * by - dy * aside, start.1 + dy * by + dx * aside)
        };
        let (start, tip) = ((x1, y1), (x2, y2));
        let shaft = format!("M{}L{}", along(start, 22.0, 0.0), along(tip, -44.0, 0.0));
        let head = format!(
            "M{}L{}L{}Z",
            along(tip, -2.0, 0.0),
            along(tip, -48.0, 26.0),
            along(tip, -48.0, -26.0)
        );
        let (class, colour, dashes) = (kind.class(), kind.colour(), kind.dashes());
        let _ = write!(
            out,
            "<g class=\"arrow {class}\" opacity=\".88\" fill=\"none\" stroke-linejoin=\"round\">\
             <path d=\"{shaft}{head}\" stroke=\"#fff\" stroke-width=\"20\"/>\
             <path d=\"{shaft}\" stroke=\"{colour}\" stroke-width=\"14\"{dashes}/>\
             <path d=\"{head}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"5\"/></g>"
        );
    }

    fn margin(&self) -> usize {
        if self.has_coordinates { MARGIN } else { 0 }
    }

    /// The upper left corner of a square as drawn.
    fn corner(&self, (file, rank): Point) -> Point {
        let (column, row) = if self.is_flipped { (7 - file, rank) } else { (file, 7 - rank) };
        (self.margin() + column * 100, row * 100)
    }

    fn middle(&self, square: Point) -> (f64, f64) {
        let (x, y) = self.corner(square);
        #[allow(clippy::cast_precision_loss, reason = "below a thousand")]
        (x as f64 + 50.0, y as f64 + 50.0)
    }

    fn title(&self) -> String {
        escape(&format!("Chess board: {}", self.fen))
    }

    fn description(&self, diagram: Option<&FenDiagram>) -> String {
        let mut text = diagram
            .map_or_else(|| "Not a position that can be drawn.".to_owned(), FenDiagram::words);
        for &(kind, from, to) in &self.arrows {
            let label = &self.labels[kind as usize];
            let _ = write!(
                text,
                " Arrow ({label}): {} to {}.",
                square_name(from.0, from.1),
                square_name(to.0, to.1)
            );
        }
        escape(&text)
    }

    /// One entry for each kind of arrow on the board.
    fn legend_markup(&self) -> String {
        let entry = |kind: Arrow| {
            let is_drawn = self.arrows.iter().any(|&(drawn, ..)| drawn == kind);
            let (class, label) = (kind.class(), escape(&self.labels[kind as usize]));
            let sample = format!(
                "<svg viewBox=\"0 0 34 12\" width=\"34\" height=\"12\" aria-hidden=\"true\"><path d=\"M1 6H24\" \
                 stroke=\"{0}\" stroke-width=\"4\"{1}/><path d=\"M22 0 34 6 22 12Z\" fill=\"{0}\"/></svg>",
                kind.colour(),
                kind.sample_dashes(),
            );
            is_drawn.then(|| format!("<span class=\"key {class}\">{sample} {label}</span>"))
        };
        Arrow::ALL.into_iter().filter_map(entry).collect::<Vec<_>>().join(" ")
    }
}

fn unreadable(margin: usize) -> String {
    format!(
        "<text x=\"{}\" y=\"410\" font-size=\"44\" text-anchor=\"middle\" fill=\"#8c1d12\">not a position</text>",
        margin + 400
    )
}

impl From<Board> for Html {
    fn from(board: Board) -> Html {
        let legend = board.legend_markup();
        let mover = match FenDiagram::parse(&board.fen).and_then(|p| p.white_to_move()) {
            Some(true) => "<span class=\"to-move\">White to move</span>",
            Some(false) => "<span class=\"to-move\">Black to move</span>",
            None => "",
        };
        let caption =
            [mover, &legend, board.caption.as_str()].into_iter().filter(|part| !part.is_empty());
        let caption = caption.collect::<Vec<_>>().join(" ");
        let caption = if caption.is_empty() {
            caption
        } else {
            format!("<figcaption>{caption}</figcaption>")
        };
        Html::trusted(format!(
            "<figure class=\"position\">{}{caption}</figure>\n",
            board.drawing("", "")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn every_piece_is_drawn_on_its_square() {
        let svg = Board::new(START).svg();
        let drawn = svg
            .split("class=\"pieces\"")
            .skip(1)
            .map(|army| army.split("</g>").next().unwrap_or(""));
        assert_eq!(drawn.map(|army| army.matches("<use ").count()).collect::<Vec<_>>(), [16, 16]);
        assert!(svg.contains("<use href=\"#dyno-k\" x=\"444\" y=\"700\""), "white king on e1");
        let flipped = Board::new(START).flipped().svg();
        assert!(
            flipped.contains("<use href=\"#dyno-k\" x=\"344\" y=\"0\""),
            "white king on e1, seen from Black"
        );
    }

    #[test]
    fn arrows_have_a_legend_and_words() {
        let html = Html::from(
            Board::new(START)
                .uci_arrow("e2e4", Arrow::Expected)
                .uci_arrow("g1f3", Arrow::Played)
                .legend(Arrow::Played, "engine Nf3"),
        );
        assert!(html.as_str().contains("Arrow (engine Nf3): g1 to f3."));
        assert_eq!(html.as_str().matches("class=\"key ").count(), 2);
    }

    #[test]
    fn nonsense_is_shown_as_such_and_never_panics() {
        for fen in ["", "<script>", "8/8/8", "é"] {
            let svg = Board::new(fen)
                .uci_arrow("é2e4", Arrow::Played)
                .uci_arrow("", Arrow::Played)
                .arrow("e2", "e9", Arrow::Expected)
                .svg();
            assert!(svg.contains("not a position") && !svg.contains("<script>"));
            assert!(!svg.contains("class=\"arrow"));
        }
    }

    #[test]
    fn the_side_to_move_can_sit_below() {
        let black = Board::new("4k3/8/8/8/8/8/8/4K3 b - - 0 1").mover_below();
        assert!(black.is_flipped);
        assert!(!Board::new(START).mover_below().is_flipped);
    }
}
