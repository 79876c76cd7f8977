//! The pieces, drawn for Dyno: one outline per role on a square of 100, both colours from it.
//!
//! Fill and stroke come from the `<use>`; `currentColor` is the line drawn inside the shape.

/// What the pieces of both colours stand on.
const FOOT: &str = r#"<path d="M24 91V86.5Q24 78.5 32 78.5H68Q76 78.5 76 86.5V91Z"/>"#;

const KING: &str = r#"<path d="M50 6.5V23.5M42.5 13H57.5" stroke-width="6.5"/><path d="M33.5 78.5C32 70 17.5 60 17.5 45.5C17.5 34.5 25.5 29 33 29C41 29 47 34 50 41C53 34 59 29 67 29C74.5 29 82.5 34.5 82.5 45.5C82.5 60 68 70 66.5 78.5Z"/><path d="M50 21.5C44.5 26.5 42.5 31 44 35.5C45.2 39 48 41.5 50 45C52 41.5 54.8 39 56 35.5C57.5 31 55.5 26.5 50 21.5Z"/><path d="M50 46V68M35 70C45 67 55 67 65 70" class="line"/><path d="M25.5 47C25.5 40 29.5 36.5 34 36.5M74.5 47C74.5 40 70.5 36.5 66 36.5" class="line"/>"#;

const QUEEN: &str = r#"<path d="M31 78.5C30.5 72 28 67 25 62L14 33.5L30 48.5L32.5 23.5L44 45L50 18.5L56 45L67.5 23.5L70 48.5L86 33.5L75 62C72 67 69.5 72 69 78.5Z"/><circle cx="13.5" cy="30" r="5.5"/><circle cx="32" cy="20" r="5.5"/><circle cx="50" cy="14.5" r="6"/><circle cx="68" cy="20" r="5.5"/><circle cx="86.5" cy="30" r="5.5"/><path d="M27 63.5C42 58.5 58 58.5 73 63.5M31.5 71.5C44 68.5 56 68.5 68.5 71.5" class="line"/>"#;

const ROOK: &str = r#"<path d="M26 14H37V22H44.5V14H55.5V22H63V14H74V33L65.5 41L68 78.5H32L34.5 41L26 33Z"/><path d="M27.5 33H72.5M35 41.5H65M33.5 69.5H66.5" class="line"/>"#;

const BISHOP: &str = r#"<path d="M41 63C42 69 37 75 31 78.5H69C63 75 58 69 59 63Z"/><path d="M50 18.5C61 27 70.5 38.5 69.5 50C69 57.5 64.5 61.5 60.5 63.5H39.5C35.5 61.5 31 57.5 30.5 50C29.5 38.5 39 27 50 18.5Z"/><circle cx="50" cy="13" r="6"/><path d="M60 28L50.5 45" class="slit"/><path d="M33.5 55C44 52 56 52 66.5 55M40.5 63.5H59.5" class="line"/>"#;

const KNIGHT: &str = r#"<path d="M33 78.5C32.5 66.5 46 61.5 47.5 51C43 56.5 37.5 58 33.5 58.5C31.5 61.5 29.5 65 25.5 65.5C22 66 16.5 61.5 15.5 57C15 54.5 17 52 18.5 49.5C21.5 44.5 24.5 39.5 25.5 34.5C26.5 30 29.5 26 33 23L33.5 11.5L43 18C44 16 45.5 13.5 48 11L52 18.5C66.5 22.5 76 37 76 56C76 65 74.5 72 72.5 78.5Z"/><path d="M53 26.5C63.5 31.5 68.5 43 68.5 57C68.5 64 67.5 69 66.5 72" class="line"/><circle cx="38" cy="33.5" r="3" class="dot"/><path d="M21 56.5L23.5 54.5" class="line"/>"#;

const PAWN: &str = r#"<path d="M44 46C43.5 58 38 68 31 78.5H69C62 68 56.5 58 56 46Z"/><circle cx="50" cy="31" r="14"/><path d="M38 45.5Q38 42 41.5 42H58.5Q62 42 62 45.5T58.5 49H41.5Q38 49 38 45.5Z"/>"#;

/// The letters of the roles with their drawings.
pub(super) fn shapes() -> impl Iterator<Item = (char, String)> {
    [('k', KING), ('q', QUEEN), ('r', ROOK), ('b', BISHOP), ('n', KNIGHT), ('p', PAWN)]
        .into_iter()
        .map(|(role, shape)| (role, inked(shape) + FOOT))
}

/// Inner lines carry their own attributes, so that a standalone file needs no styles.
fn inked(shape: &str) -> String {
    shape
        .replace("class=\"line\"", "fill=\"none\" stroke=\"currentColor\" stroke-width=\"3\"")
        .replace("class=\"slit\"", "fill=\"none\" stroke=\"currentColor\" stroke-width=\"4.5\"")
        .replace("class=\"dot\"", "fill=\"currentColor\" stroke=\"none\"")
}
