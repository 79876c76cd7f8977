//! What all boards of a file share: squares, coordinates and pieces are defined once and used
//! by name, so that a page of a thousand boards stays small.

use std::fmt::Write as _;

use super::pieces;

/// Room for the rank numbers on the left and the file letters below; a square is 100.
pub(super) const MARGIN: usize = 44;

/// Every shared drawing, for the `<defs>` of a file.
pub(super) fn definitions() -> String {
    let mut out = format!("<g id=\"dyno-squares\">{}</g>", squares());
    let _ = write!(out, "<g id=\"dyno-names\">{}</g>", coordinates(false));
    let _ = write!(out, "<g id=\"dyno-names-flipped\">{}</g>", coordinates(true));
    for (role, shape) in pieces::shapes() {
        let _ = write!(
            out,
            "<g id=\"dyno-{role}\" stroke-width=\"4\" stroke-linejoin=\"round\" stroke-linecap=\"round\">{shape}</g>"
        );
    }
    out
}

/// The definitions in a drawing of their own that takes no room in the page.
pub(super) fn hidden() -> String {
    format!(
        "<svg class=\"sprite\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>{}</defs></svg>\n",
        definitions()
    )
}

/// Whether markup shows boards and so needs the definitions.
pub(super) fn is_used(markup: &str) -> bool {
    markup.contains("#dyno-squares")
}

fn squares() -> String {
    let mut out = String::from(
        "<path fill=\"#f2eee2\" d=\"M0 0h800v800h-800z\"/><path fill=\"#a4b494\" d=\"",
    );
    for row in 0..8 {
        for column in (0..8).filter(|column| (row + column) % 2 == 1) {
            let _ = write!(out, "M{} {}h100v100h-100z", column * 100, row * 100);
        }
    }
    out.push_str(
        "\"/><path fill=\"none\" stroke=\"#6d7a60\" stroke-width=\"4\" d=\"M2 2h796v796h-796z\"/>",
    );
    out
}

fn coordinates(is_flipped: bool) -> String {
    let mut out = String::from("<g fill=\"currentColor\" font-size=\"34\" text-anchor=\"middle\">");
    for index in 0..8 {
        let (file, rank) = if is_flipped { (7 - index, index) } else { (index, 7 - index) };
        let letter = char::from(b'a' + file);
        let along = usize::from(index) * 100;
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"836\">{letter}</text><text x=\"18\" y=\"{}\">{}</text>",
            MARGIN + along + 50,
            along + 62,
            rank + 1
        );
    }
    out.push_str("</g>");
    out
}
