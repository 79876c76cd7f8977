//! What a position is about, from its id.

/// The themes of the Strategic Test Suite by the number in its ids, such as `STS(v3.0)`. The files
/// spell some of them in two ways.
const STS: [&str; 15] = [
    "Undermining",
    "Open Files and Diagonals",
    "Knight Outposts",
    "Square Vacancy",
    "Bishop vs Knight",
    "Recapturing",
    "Offer of Simplification",
    "Advancement of f/g/h Pawns",
    "Advancement of a/b/c Pawns",
    "Simplification",
    "King Activity",
    "Center Control",
    "Pawn Play in the Center",
    "7th Rank",
    "Avoid Pointless Exchange",
];

/// The theme of an id: STS's by their number, for others the id without its running number.
#[must_use]
pub fn theme_of(id: &str) -> String {
    if let Some(number) = sts_number(id) {
        return format!("STS {number:02} {}", STS[number - 1]);
    }
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    // A letter after the number, as in `BK.12a`, belongs to the number.
    let name = match name.strip_suffix(|c: char| c.is_ascii_lowercase()) {
        Some(rest) if name.len() == id.len() && rest.ends_with(|c: char| c.is_ascii_digit()) => {
            rest.trim_end_matches(|c: char| c.is_ascii_digit())
        }
        _ => name,
    };
    name.trim_end_matches(['.', '-', '_', '#', ' ', ':', '(']).to_owned()
}

/// Whether the id belongs to the Strategic Test Suite, and to which of its parts.
pub(crate) fn sts_number(id: &str) -> Option<usize> {
    let rest = id.trim_start().strip_prefix("STS(v")?;
    let digits = rest.split(['.', ')']).next()?;
    digits.parse().ok().filter(|number| (1..=STS.len()).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes() {
        for (id, theme) in [
            ("STS(v1.0) Undermine.001", "STS 01 Undermining"),
            (
                "STS(v3.0) Knight Outposts/Centralization/Repositioning.045",
                "STS 03 Knight Outposts",
            ),
            ("STS(v15.0) AT.100", "STS 15 Avoid Pointless Exchange"),
            ("STS(v99.0) x.1", "STS(v99.0) x"),
            ("WAC.001", "WAC"),
            ("BK.12a", "BK"),
            ("lct-ii pos 7", "lct-ii pos"),
            ("line 17", "line"),
            ("Reinfeld", "Reinfeld"),
            ("7", ""),
        ] {
            assert_eq!(theme_of(id), theme, "{id}");
        }
    }
}
