//! Position and key from outside, for engines that print neither. With cleared tables, a position
//! reached by moves is searched exactly as when it is set up directly: same move, score and nodes.
//! The same holds when the position has just been searched: where the keys agree, what the table
//! knows is used; where they do not, everything is searched again.

use super::needs::Need;
use super::outcome::{Finding, Findings};
use super::positions::mirrored_command;
use super::scores::told;
use super::script::Script;
use super::session::Session;
use super::transcript::{Search, asked_position, search, until_ready};
use super::{Checked, Stop};
use dyno_chess::diagnose::Surplus;
use dyno_uci::Score;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);

/// A kind of move that has to be carried out and hashed.
struct Line {
    kind: &'static str,
    position: &'static str,
    /// What carries the move out wrongly, in the words of the code.
    cause: &'static str,
    /// The rule whose breach has the same cause.
    rule: Option<Surplus>,
}

const fn line(
    kind: &'static str,
    position: &'static str,
    cause: &'static str,
    rule: Option<Surplus>,
) -> Line {
    Line { kind, position, cause, rule }
}

/// Quiet moves alone: an engine that differs here searches by its own lights, and is not judged.
const QUIET: &[&str] = &[
    "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9 \
     moves c1d2 a7a6 b2b3",
    "position fen 2r3k1/pp3ppp/2n5/3p4/3P4/2N2N2/PP3PPP/3R2K1 b - - 0 1 moves c8d8 d1c1 h7h6",
];

/// Every kind of move, the last one such that the position has not been there before.
const LINES: &[Line] = &[
    line(
        "a capture",
        "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9 \
         moves c4d5 e6d5 a2a3",
        "the captured piece",
        None,
    ),
    line(
        "castling on the king's side",
        "position fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1 \
         moves e1g1 a7a6",
        "the rook of a castling move, or the rights that castling ends",
        None,
    ),
    line(
        "castling on the queen's side",
        "position fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1 \
         moves e1c1 a7a6",
        "the rook of a castling move, or the rights that castling ends",
        None,
    ),
    line(
        "a promotion to a queen",
        "position fen 8/1P3k2/2r3p1/5p1p/5P1P/6P1/R5K1/8 w - - 0 1 moves b7b8q f7g7 g3g4",
        "the promoted piece",
        None,
    ),
    line(
        "a promotion to a knight",
        "position fen 8/1P3k2/2r3p1/5p1p/5P1P/6P1/R5K1/8 w - - 0 1 moves b7b8n f7g7 g3g4",
        "the promoted piece: the letter after the move is not read, or it is hashed as a pawn",
        None,
    ),
    line(
        "a promotion by capture",
        "position fen 2r5/1P3k2/6p1/5p1p/5P1P/6P1/R5K1/8 w - - 0 1 moves b7c8r f7g7 g3g4",
        "a promotion that captures",
        None,
    ),
    line(
        "en passant",
        "position fen 4k3/pp1p1ppp/8/4P3/8/8/PP3PPP/R3K3 b Q - 0 1 moves d7d5 e5d6 a7a6",
        "the pawn captured en passant, or the en-passant square",
        None,
    ),
    line(
        "an en-passant square that is not used",
        "position fen 4k3/pp1p1ppp/8/4P3/8/8/PP3PPP/R3K3 b Q - 0 1 moves d7d5 a2a3 a7a6",
        "an en-passant square that has to be forgotten",
        Some(Surplus::EnPassantNotPossible),
    ),
    line(
        "en passant",
        "position fen r1bqkb1r/pppp1ppp/2n2n2/4P3/2B5/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1 \
         moves d7d5 e5d6 a7a6",
        "the pawn captured en passant, or the en-passant square",
        None,
    ),
    line(
        "an en-passant square that is not used",
        "position fen r1bqkb1r/pppp1ppp/2n2n2/4P3/2B5/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1 \
         moves d7d5 h2h3 a7a6",
        "an en-passant square that has to be forgotten",
        Some(Surplus::EnPassantNotPossible),
    ),
    line(
        "a promotion to a queen",
        "position fen r4rk1/pPpq1ppp/2n1bn2/4p3/4P3/2NB1N2/P1PQ1PPP/R4RK1 w - - 0 1 \
         moves b7b8q a7a6",
        "the promoted piece",
        None,
    ),
    line(
        "a king's move that ends castling rights",
        "position fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1 \
         moves e1e2 a7a6 e2e1 a6a5",
        "the castling rights after a king's move",
        Some(Surplus::CastlingRightAfterKingMoved),
    ),
    line(
        "a rook's move that ends a castling right",
        "position fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1 \
         moves h1g1 a7a6 g1h1 a6a5",
        "the castling right after a rook's move",
        Some(Surplus::CastlingRightAfterRookMoved),
    ),
    line(
        "a move of the queen's rook that ends a castling right",
        "position fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1 \
         moves a1b1 h7h6 b1a1 h6h5",
        "the castling right after a rook's move",
        Some(Surplus::CastlingRightAfterRookMoved),
    ),
    line(
        "a capture of a rook that could castle",
        "position fen r3k2r/p3qppp/2p5/1p2p3/8/P1NP1NnR/1PP1QP2/R3K2R b KQkq - 0 1 \
         moves g3h1 h3h1 a7a6",
        "the castling right after the capture of its rook",
        Some(Surplus::CastlingRightAfterRookTaken),
    ),
];

/// A search as it can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Print {
    best: String,
    score: Option<Score>,
    nodes: Option<u64>,
}

impl Print {
    fn of(found: &Search) -> Print {
        Print { best: found.best.clone(), score: found.score(), nodes: found.nodes() }
    }
}

impl std::fmt::Display for Print {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.best, told(self.score))?;
        self.nodes.map_or(Ok(()), |nodes| write!(f, ", {nodes} nodes"))
    }
}

/// The same position, set up by moves and directly.
struct Twin {
    by_moves: String,
    direct: String,
}

impl Twin {
    fn new(by_moves: String) -> Option<Twin> {
        let end = asked_position(&by_moves)?;
        Some(Twin { direct: format!("position fen {}", end.fen()), by_moves })
    }
}

/// How two searches of one position can be compared with this engine.
#[derive(Clone, Debug)]
struct Terms {
    go: String,
    /// `ucinewgame` does not clear everything: each search has a process of its own.
    is_fresh: bool,
    /// The moves before a position have a say in its search: only searches after the same ones
    /// can be compared.
    by_path: bool,
}

impl Terms {
    /// Searches a position with cleared tables.
    fn cold(&self, session: &mut Session<'_>, position: &str) -> Result<Search, Stop> {
        self.one_by_one(session, &[position])
    }

    /// Searches one position after the other, the first with cleared tables; the last search.
    fn one_by_one(&self, session: &mut Session<'_>, positions: &[&str]) -> Result<Search, Stop> {
        let mut own = None;
        let engine = match self.is_fresh {
            true => own.insert(session.fresh()?),
            false => session.engine()?,
        };
        engine.new_game()?;
        until_ready(engine, PATIENCE)?;
        let mut last = Search::default();
        for position in positions {
            last = search(engine, position, &self.go, PATIENCE)?;
        }
        if let Some(engine) = own {
            engine.into_engine().kill();
        }
        Ok(last)
    }

    /// What is searched twice, to see what the table is worth.
    fn compared<'t>(&self, twin: &'t Twin) -> &'t str {
        if self.by_path { &twin.by_moves } else { &twin.direct }
    }

    fn are_met(&self, session: &mut Session<'_>) -> Result<bool, Stop> {
        for twin in twins(QUIET.iter().copied()) {
            let [direct, by_moves] = self.both(session, &twin)?;
            if direct.overran || Print::of(&direct) != Print::of(&by_moves) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn both(&self, session: &mut Session<'_>, twin: &Twin) -> Result<[Search; 2], Stop> {
        Ok([self.cold(session, &twin.direct)?, self.cold(session, &twin.by_moves)?])
    }
}

fn twins(lines: impl Iterator<Item = &'static str>) -> impl Iterator<Item = Twin> {
    lines.flat_map(|text| [text.to_owned(), mirrored_command(text)]).filter_map(Twin::new)
}

/// The terms on which positions set up by quiet moves are searched as those set up directly: then
/// any difference means something. Some engines look at the clock unless nodes are given, and
/// some clear their tables only by being started anew.
fn comparable(session: &mut Session<'_>, depth: u32) -> Result<Option<Terms>, Stop> {
    let by_depth = format!("go depth {depth}");
    let by_nodes = format!("go depth {depth} nodes 1000000000");
    for is_fresh in [false, true] {
        for go in [&by_depth, &by_nodes] {
            if go == &by_nodes && session.broken(Need::Nodes)?.is_some() {
                continue;
            }
            let terms = Terms { go: go.clone(), is_fresh, by_path: false };
            if terms.are_met(session)? {
                return Ok(Some(terms));
            }
        }
    }
    Ok(None)
}

/// The terms on which the table shows at all where the moves before a position have a say in its
/// search: positions after quiet moves are found again, though they were set up directly before.
fn on_its_own_path(session: &mut Session<'_>, depth: u32) -> Result<Option<Terms>, Stop> {
    let terms = Terms { go: format!("go depth {depth}"), is_fresh: false, by_path: true };
    for twin in twins(QUIET.iter().copied()) {
        match reuse(session, &twin, &terms)? {
            Some(nodes) if !nodes.is_searched_again() => {}
            _ => return Ok(None),
        }
    }
    Ok(Some(terms))
}

const BY_ITS_OWN_LIGHTS: &str = "positions after quiet moves are not searched as the same positions set up directly: nothing \
     can be told from a difference";

/// Whether positions after moves are what they should be, by how they are searched.
pub(super) fn after_moves(session: &mut Session<'_>, findings: &Findings) -> Result<bool, Stop> {
    let depth = session.depth_within(80)?.unwrap_or(4).clamp(2, 6);
    let Some(terms) = comparable(session, depth)? else { return Ok(false) };
    for line in LINES {
        for twin in twins(std::iter::once(line.position)) {
            if session.time_is_up() {
                break;
            }
            let prints = terms.both(session, &twin)?.map(|found| Print::of(&found));
            findings.judge();
            // What is not searched the same way twice says nothing of the moves before it.
            if prints[0] != prints[1] && Print::of(&terms.cold(session, &twin.direct)?) == prints[0]
            {
                findings.push(elsewhere(line, &twin, &terms, &prints));
            }
        }
    }
    Ok(true)
}

fn elsewhere(line: &Line, twin: &Twin, terms: &Terms, [direct, by_moves]: &[Print; 2]) -> Finding {
    // With a process for each, the lines show the one by moves; the other is known.
    let (script, known) = match terms.is_fresh {
        true => (Script::of_search(&twin.by_moves, &terms.go), Some(direct.clone())),
        false => {
            let twice = Script::of_search(&twin.direct, &terms.go)
                .new_game()
                .search(&twin.direct, &terms.go)
                .new_game();
            (twice.search(&twin.by_moves, &terms.go), None)
        }
    };
    let finding = Finding::fail(format!(
        "after {} the position is another one: {by_moves} by moves, {direct} when it is set up \
         directly",
        line.kind
    ))
    .expected("the same move, score and nodes: it is the same position")
    .cause(format!("making the move mishandles {}", line.cause))
    .root("position after moves")
    .root("keys after moves");
    let finding = match &line.rule {
        Some(rule) => finding.rule(rule),
        None => finding,
    };
    let finding = match asked_position(&twin.by_moves) {
        Some(end) => finding.board(&end),
        None => finding,
    };
    finding.shown_by(script, move |replay| {
        let prints: Vec<Print> = replay.searches().iter().map(Print::of).collect();
        let (direct, by_moves) = match (&known, &prints[..]) {
            (Some(known), [.., by_moves]) => (known.clone(), by_moves),
            (None, [first, again, by_moves]) if first == again => (again.clone(), by_moves),
            _ => return None,
        };
        (direct != *by_moves).then(|| format!("{direct}, then {by_moves}"))
    })
}

/// Whether a search takes so much less, having its results in the table, that it shows.
fn is_warm(cold: u64, again: u64) -> bool {
    5 * again <= 4 * cold
}

pub(super) fn found_again(session: &mut Session<'_>) -> Checked {
    let findings = session.findings("positions");
    let depth = session.depth_within(120)?.unwrap_or(5).clamp(4, 9);
    let terms = match comparable(session, depth)? {
        Some(terms) => terms,
        None => match on_its_own_path(session, depth)? {
            Some(terms) => terms,
            None => return Ok(super::CheckOutcome::skip(BY_ITS_OWN_LIGHTS)),
        },
    };
    for line in LINES {
        for twin in twins(std::iter::once(line.position)) {
            if session.time_is_up() {
                break;
            }
            let Some(nodes) = reuse(session, &twin, &terms)? else { continue };
            findings.judge();
            if nodes.is_searched_again() && is_lost_both_ways(session, &twin, &terms)? {
                findings.push(lost(line, &twin, &terms, nodes));
            }
        }
    }
    Ok(findings.outcome_or_skip(
        "found again in the table after every kind of move",
        "no search is shorter when its position has just been searched",
    ))
}

/// The nodes of a position searched with a cleared table, searched again, and searched again as
/// the moves lead to it.
#[derive(Clone, Copy, Debug)]
struct Reuse {
    cold: u64,
    again: u64,
    by_moves: u64,
}

impl Reuse {
    /// Nearer to a search with an empty table than to one that has everything in it.
    fn is_searched_again(self) -> bool {
        2 * self.by_moves > self.cold + self.again
    }
}

/// The nodes, where the table makes enough of a difference to see it.
fn reuse(session: &mut Session<'_>, twin: &Twin, terms: &Terms) -> Result<Option<Reuse>, Stop> {
    let [direct, by_moves] = terms.both(session, twin)?;
    if !terms.by_path && Print::of(&direct) != Print::of(&by_moves) {
        return Ok(None);
    }
    let compared = terms.compared(twin);
    let again = terms.one_by_one(session, &[compared, compared])?;
    let (Some(cold), Some(again)) = (by_moves.nodes(), again.nodes()) else { return Ok(None) };
    if !is_warm(cold, again) {
        return Ok(None);
    }
    let by_moves = terms.one_by_one(session, &[&twin.direct, &twin.by_moves])?.nodes();
    Ok(by_moves.map(|by_moves| Reuse { cold, again, by_moves }))
}

/// Whether the position set up directly is not found either when moves have led to it before: only
/// then it is the key, and not the order in which moves are looked at.
fn is_lost_both_ways(session: &mut Session<'_>, twin: &Twin, terms: &Terms) -> Result<bool, Stop> {
    let [direct, by_moves] = [twin.direct.as_str(), twin.by_moves.as_str()];
    let mut nodes = [None; 3];
    for (nodes, asked) in
        nodes.iter_mut().zip([&[direct][..], &[direct, direct], &[by_moves, direct]])
    {
        *nodes = terms.one_by_one(session, asked)?.nodes();
    }
    let [Some(cold), Some(again), Some(by_moves)] = nodes else { return Ok(false) };
    Ok(is_warm(cold, again) && Reuse { cold, again, by_moves }.is_searched_again())
}

fn lost(line: &Line, twin: &Twin, terms: &Terms, nodes: Reuse) -> Finding {
    let Reuse { cold, again, by_moves } = nodes;
    let go = &terms.go;
    let compared = terms.compared(twin);
    let twice = Script::new().search(compared, go).search(compared, go).new_game();
    // With a process for each, the lines show the last two; the others are known.
    let (script, known) = match terms.is_fresh {
        true => (Script::new(), Some((cold, again))),
        false => (twice, None),
    };
    let script = script.search(&twin.direct, go).search(&twin.by_moves, go);
    let finding = Finding::fail(format!(
        "after {} the position is not found in the table: {cold} nodes with an empty table, \
         {again} when it has just been searched, {by_moves} when the moves lead to it",
        line.kind
    ))
    .expected("about as few nodes by moves as directly: it is the same position")
    .cause(format!(
        "the key, or one beside it (of pawns, material, corrections), is not updated for {}",
        line.cause
    ))
    .root("keys after moves");
    let finding = match asked_position(&twin.by_moves) {
        Some(end) => finding.board(&end),
        None => finding,
    };
    finding.shown_by(script, move |replay| {
        let nodes: Vec<u64> = replay.searches().iter().filter_map(Search::nodes).collect();
        let (cold, again, by_moves) = match (known, &nodes[..]) {
            (Some((cold, again)), &[_, by_moves]) => (cold, again, by_moves),
            (None, &[cold, again, _, by_moves]) => (cold, again, by_moves),
            _ => return None,
        };
        let nodes = Reuse { cold, again, by_moves };
        (is_warm(cold, again) && nodes.is_searched_again())
            .then(|| format!("{cold} nodes, {again} nodes again, {by_moves} nodes by moves"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_somewhere() {
        for text in LINES.iter().map(|line| line.position).chain(QUIET.iter().copied()) {
            let twin = Twin::new(text.to_owned()).unwrap_or_else(|| panic!("{text}"));
            let (by_moves, direct) = (asked_position(&twin.by_moves), asked_position(&twin.direct));
            assert_eq!(by_moves.map(|p| p.fen()), direct.map(|p| p.fen()));
            // No pawn stands where only some engines write an en-passant square.
            let end = asked_position(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(end.ep_square(), None, "{text}");
        }
    }
}
