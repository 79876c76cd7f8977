//! The pieces, drawn for Dyno: one outline per role on a square of 100, both colours from it.
//!
//! Fill and stroke come from the `<use>`; `currentColor` is the line drawn inside the shape.

/// Marks a piece in the page; [`sprite`] must then be in it too.
const PREFIX: &str = "dyno-piece-";

/// What the pieces of both colours stand on.
const FOOT: &str = r#"<path d="M24 91V86.500Q24 78.5 32 78.500H68Q76 78.5 76 86.500V91Z"/>"#;

const KING: &str = r#"<path d="M50 6.500V23.500M42.5 13H57.5" stroke-width="6.5"/><path d="M33.5 78.500C32 70 17.5 60 17.5 45.500C17.5 34.5 25.5 29 33 29C41 29 47 34 50 41C53 34 59 29 67 29C74.5 29 82.5 34.5 82.5 45.500C82.5 60 68 70 66.5 78.500Z"/><path d="M50 21.500C44.5 26.5 42.5 31 44 35.500C45.2 39 48 41.5 50 45C52 41.5 54.8 39 56 35.500C57.5 31 55.5 26.5 50 21.500Z"/><path d="M50 46V68M35 70C45 67 55 67 65 70" class="line"/><path d="M25.5 47C25.5 40 29.5 36.5 34 36.500M74.5 47C74.5 40 70.5 36.5 66 36.5" class="line"/>"#;

const QUEEN: &str = r#"<path d="M31 78.500C30.5 72 28 67 25 62L14 33.500L30 48.500L32.5 23.500L44 45L50 18.500L56 45L67.5 23.500L70 48.500L86 33.500L75 62C72 67 69.5 72 69 78.500Z"/><circle cx="13.5" cy="30" r="5.5"/><circle cx="32" cy="20" r="5.5"/><circle cx="50" cy="14.5" r="6"/><circle cx="68" cy="20" r="5.5"/><circle cx="86.5" cy="30" r="5.5"/><path d="M27 63.500C42 58.5 58 58.5 73 63.500M31.5 71.500C44 68.5 56 68.5 68.5 71.5" class="line"/>"#;

const ROOK: &str = r#"<path d="M26 14H37V22H44.500V14H55.500V22H63V14H74V33L65.5 41L68 78.500H32L34.5 41L26 33Z"/><path d="M27.5 33H72.500M35 41.500H65M33.5 69.500H66.5" class="line"/>"#;

const BISHOP: &str = r#"<path d="M41 63C42 69 37 75 31 78.500H69C63 75 58 69 59 63Z"/><path d="M50 18.500C61 27 70.5 38.5 69.5 50C69 57.5 64.5 61.5 60.5 63.500H39.500C35.5 61.5 31 57.5 30.5 50C29.5 38.5 39 27 50 18.500Z"/><circle cx="50" cy="13" r="6"/><path d="M60 28L50.5 45" class="slit"/><path d="M33.5 55C44 52 56 52 66.5 55M40.5 63.500H59.5" class="line"/>"#;

const KNIGHT: &str = r#"<path d="M33 78.500C32.5 66.5 46 61.5 47.5 51C43 56.5 37.5 58 33.5 58.500C31.5 61.5 29.5 65 25.5 65.500C22 66 16.5 61.5 15.5 57C15 54.5 17 52 18.5 49.500C21.5 44.5 24.5 39.5 25.5 34.500C26.5 30 29.5 26 33 23L33.5 11.500L43 18C44 16 45.5 13.5 48 11L52 18.500C66.5 22.5 76 37 76 56C76 65 74.5 72 72.5 78.500Z"/><path d="M53 26.500C63.5 31.5 68.5 43 68.5 57C68.5 64 67.5 69 66.5 72" class="line"/><circle cx="38" cy="33.5" r="3" class="dot"/><path d="M21 56.500L23.5 54.5" class="line"/>"#;

const PAWN: &str = r#"<path d="M44 46C43.5 58 38 68 31 78.500H69C62 68 56.5 58 56 46Z"/><circle cx="50" cy="31" r="14"/><path d="M38 45.500Q38 42 41.5 42H58.500Q62 42 62 45.500T58.5 49H41.500Q38 49 38 45.500Z"/>"#;

/// Every outline as an SVG symbol, to stand once in a file.
pub(super) fn symbols() -> String {
    let symbol = |role: char, shape: &str| {
        // Inner lines carry their own attributes, so that a standalone file needs no styles.
        let shape = shape
            .replace("class=\"line\"", "fill=\"none\" stroke=\"currentColor\" stroke-width=\"3\"")
            .replace("class=\"slit\"", "fill=\"none\" stroke=\"currentColor\" stroke-width=\"4.5\"")
            .replace("class=\"dot\"", "fill=\"currentColor\" stroke=\"none\"");
        format!(
            "<symbol id=\"{PREFIX}{role}\" viewBox=\"0 0 100 100\" stroke-width=\"4\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\">{shape}{FOOT}</symbol>"
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
