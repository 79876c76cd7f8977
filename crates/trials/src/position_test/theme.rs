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

/// What the files call the themes beside the names above, in lower case, without the words in
/// which they differ only by their endings or by what follows.
const SPELLINGS: [(&str, usize); 17] = [
    ("undermin", 1),
    ("open file", 2),
    ("knight outpost", 3),
    ("square vacancy", 4),
    ("bishop vs", 5),
    ("re-capturing", 6),
    ("recaptur", 6),
    ("offer of simplification", 7),
    ("akpc", 8),
    ("advancement of f/g/h", 8),
    ("advancement of a/b/c", 9),
    ("simplification", 10),
    ("king activity", 11),
    ("pawn play in the cent", 13),
    ("queens and rooks to the 7th", 14),
    ("7th rank", 14),
    ("avoid pointless", 15),
];

/// Whether the id belongs to the Strategic Test Suite, and to which of its parts: `STS(v3.0) …`,
/// `STS: Knight Outposts….001`, `STS3.001`, or only the theme, as in `Undermine.001`.
#[must_use]
pub fn sts_number(id: &str) -> Option<usize> {
    let id = id.trim();
    let said = id.strip_prefix("STS").or_else(|| id.strip_prefix("sts"));
    if let Some(rest) = said {
        let digits = rest.trim_start_matches("(v");
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if end > 0 {
            return digits[..end].parse().ok().filter(|number| (1..=STS.len()).contains(number));
        }
    }
    let name = said.unwrap_or(id).trim_start_matches([':', '-', '_', '.', ' ']).to_lowercase();
    // Without STS before it, a name counts only with its running number behind it.
    let numbered = name.rsplit_once('.').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if said.is_none() && !numbered {
        return None;
    }
    if name.starts_with("center control") || name.starts_with("centre control") {
        return Some(12);
    }
    if said.is_some() && name.split('.').next() == Some("at") {
        return Some(15);
    }
    SPELLINGS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, number)| *number)
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
            ("Undermine.001", "STS 01 Undermining"),
            ("STS: Knight Outposts/Repositioning/Centralization.001", "STS 03 Knight Outposts"),
            ("STS: AT.007", "STS 15 Avoid Pointless Exchange"),
            ("STS12.007", "STS 12 Center Control"),
            ("sts8 AKPC.007", "STS 08 Advancement of f/g/h Pawns"),
            ("Centre Control.017", "STS 12 Center Control"),
            ("Bishop vs. Knight.017", "STS 05 Bishop vs Knight"),
            ("Offer of Simplification.017", "STS 07 Offer of Simplification"),
            ("Simplification.017", "STS 10 Simplification"),
            ("Queens and Rooks to the 7th rank.100", "STS 14 7th Rank"),
            ("Advancement of a/b/c pawns.100", "STS 09 Advancement of a/b/c Pawns"),
            ("Advancement of f/g/h pawns.100", "STS 08 Advancement of f/g/h Pawns"),
            // Not by chance: a user's own name is not an STS name.
            ("Simplification", "Simplification"),
            ("AT.12", "AT"),
            ("undermining the king", "undermining the king"),
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
