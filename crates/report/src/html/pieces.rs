//! The pieces, drawn for Dyno: one outline per role on a square of 100, both colours from it.
//!
//! Fill and stroke come from the `<use>`; `currentColor` is the line drawn inside the shape.

/// Marks a piece in the page; [`sprite`] must then be in it too.
const PREFIX: &str = "dyno-piece-";

/// What the pieces of both colours stand on.
const FOOT: &str = r#"<path d="M24 91V86.500Q24 78.500 32 78.500H68Q76 78.500 76 86.500V91Z"/>"#;

const KING: &str = r#"<path d="M50 6.500V23.500M42.500 13H57.500" stroke-width="6.500"/><path d="M50 7.500V23M43.500 13H56.500" class="core"/><path d="M33.500 78.500C32 70 17.500 60 17.500 45.500C17.500 34.500 25.500 29 33 29C41 29 47 34 50 41C53 34 59 29 67 29C74.500 29 82.500 34.500 82.500 45.500C82.500 60 68 70 66.500 78.500Z"/><path d="M50 21.500C44.500 26.500 42.500 31 44 35.500C45.200 39 48 41.500 50 45C52 41.500 54.800 39 56 35.500C57.500 31 55.500 26.500 50 21.500Z"/><path d="M50 46V68M35 70C45 67 55 67 65 70" class="line"/><path d="M25.500 47C25.500 40 29.500 36.500 34 36.500M74.500 47C74.500 40 70.500 36.500 66 36.500" class="line"/>"#;

const QUEEN: &str = r#"<path d="M31 78.500C30.500 72 28 67 25 62L14 33.500L30 48.500L32.500 23.500L44 45L50 18.500L56 45L67.500 23.500L70 48.500L86 33.500L75 62C72 67 69.500 72 69 78.500Z"/><circle cx="13.500" cy="30" r="5.500"/><circle cx="32" cy="20" r="5.500"/><circle cx="50" cy="14.500" r="6"/><circle cx="68" cy="20" r="5.500"/><circle cx="86.500" cy="30" r="5.500"/><path d="M27 63.500C42 58.500 58 58.500 73 63.500M31.500 71.500C44 68.500 56 68.500 68.500 71.500" class="line"/>"#;

const ROOK: &str = r#"<path d="M26 14H37V22H44.500V14H55.500V22H63V14H74V33L65.500 41L68 78.500H32L34.500 41L26 33Z"/><path d="M27.500 33H72.500M35 41.500H65M33.500 69.500H66.500" class="line"/>"#;

const BISHOP: &str = r#"<path d="M41 63C42 69 37 75 31 78.500H69C63 75 58 69 59 63Z"/><path d="M50 18.500C61 27 70.500 38.500 69.500 50C69 57.500 64.500 61.500 60.500 63.500H39.500C35.500 61.500 31 57.500 30.500 50C29.500 38.500 39 27 50 18.500Z"/><circle cx="50" cy="13" r="6"/><path d="M60 28L50.500 45" class="slit"/><path d="M33.500 55C44 52 56 52 66.500 55M40.500 63.500H59.500" class="line"/>"#;

const KNIGHT: &str = r#"<path d="M33 78.500C32.500 66.500 46 61.500 47.500 51C43 56.500 37.500 58 33.500 58.500C31.500 61.500 29.500 65 25.500 65.500C22 66 16.500 61.500 15.500 57C15 54.500 17 52 18.500 49.500C21.500 44.500 24.500 39.500 25.500 34.500C26.500 30 29.500 26 33 23L33.500 11.500L43 18C44 16 45.500 13.500 48 11L52 18.500C66.500 22.500 76 37 76 56C76 65 74.500 72 72.500 78.500Z"/><path d="M53 26.500C63.500 31.500 68.500 43 68.500 57C68.500 64 67.500 69 66.500 72" class="line"/><circle cx="38" cy="33.500" r="3" class="dot"/><path d="M21 56.500L23.500 54.500" class="line"/>"#;

const PAWN: &str = r#"<path d="M44 46C43.500 58 38 68 31 78.500H69C62 68 56.500 58 56 46Z"/><circle cx="50" cy="31" r="14"/><path d="M38 45.500Q38 42 41.500 42H58.500Q62 42 62 45.500T58.500 49H41.500Q38 49 38 45.500Z"/>"#;

/// Every outline as an SVG symbol, to stand once in a file.
pub(super) fn symbols() -> String {
    let symbol = |role: char, shape: &str| {
        let foot = match role {
            'k' | 'q' | 'r' | 'b' | 'n' | 'p' => FOOT,
            _ => "",
        };
        // Inner lines carry their own attributes, so that a standalone file needs no styles.
        let shape = shape
            .replace("class=\"line\"", "fill=\"none\" stroke=\"currentColor\" stroke-width=\"3\"")
            .replace(
                "class=\"slit\"",
                "fill=\"none\" stroke=\"currentColor\" stroke-width=\"4.500\"",
            )
            .replace("class=\"dot\"", "fill=\"currentColor\" stroke=\"none\"")
            .replace("class=\"core\"", "display=\"none\"");
        format!(
            "<symbol id=\"{PREFIX}{role}\" viewBox=\"0 0 100 100\" stroke-width=\"4\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\">{shape}{foot}</symbol>"
        )
    };
    [('k', KING), ('q', QUEEN), ('r', ROOK), ('b', BISHOP), ('n', KNIGHT), ('p', PAWN)]
        .into_iter()
        .map(|(role, shape)| symbol(role, shape))
        .collect()
}

/// The symbols in a drawing of their own that takes no room in the page.
pub(super) fn sprite() -> String {
    format!(
        "<svg class=\"sprite\" width=\"0\" height=\"0\" aria-hidden=\"true\">{}</svg>\n",
        symbols()
    )
}

/// Whether markup shows pieces.
pub(super) fn are_used(markup: &str) -> bool {
    markup.contains(PREFIX)
}

/// A piece (its FEN letter) on a square of 100 whose corner is at `x`, `y`.
pub(super) fn piece(letter: char, x: usize, y: usize) -> String {
    let role = letter.to_ascii_lowercase();
    let colours = if letter.is_ascii_uppercase() {
        "fill=\"#fffdf7\" stroke=\"#20242c\" color=\"#20242c\""
    } else {
        "fill=\"#363c48\" stroke=\"#14171d\" color=\"#e9e6dc\""
    };
    format!(
        "<use href=\"#{PREFIX}{role}\" x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\" {colours}/>"
    )
}
