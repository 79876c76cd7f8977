//! Plain conversation with an engine, every line kept: the checks want to see all that is said.

use super::engine::TestedEngine;
use super::overtime::{Overtime, time_limit};
use super::script::{Awaited, Mark, Script};
use super::stop::Stop;
use dyno_chess::{Position, diagnose};
use dyno_driver::{EngineError, SearchControl, SearchEnd};
use dyno_uci::{Bound, Command, Deviation, Info, Score};
use std::time::{Duration, Instant};

/// Lines that are kept of one answer; an engine that floods must not fill the memory.
const MOST_LINES: usize = 20_000;

/// This long after its time limit a search is late, whatever else.
const LONG_OVERDUE: Duration = Duration::from_millis(500);

/// A line of thought with the time since `go`.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are those of the protocol")]
pub struct InfoLine {
    pub at: Duration,
    pub line: String,
    pub depth: Option<u32>,
    pub multipv: u32,
    pub score: Option<Score>,
    pub exact: bool,
    pub nodes: Option<u64>,
    pub time_ms: Option<u64>,
    pub pv: Vec<String>,
    pub deviations: Vec<Deviation>,
}

impl InfoLine {
    pub(super) fn read(line: &str, at: Duration) -> InfoLine {
        let mut deviations = Vec::new();
        let info = Info::parse(line, &mut |deviation| deviations.push(deviation));
        InfoLine { deviations, ..InfoLine::of(&info, line.to_owned(), at) }
    }

    fn of(info: &Info<'_>, line: String, at: Duration) -> InfoLine {
        InfoLine {
            at,
            depth: info.depth,
            multipv: info.multipv.unwrap_or(1),
            score: info.score,
            exact: info.bound == Bound::Exact,
            nodes: info.nodes,
            time_ms: info.time_ms,
            pv: info.pv_moves().map(str::to_owned).collect(),
            line,
            deviations: Vec::new(),
        }
    }
}

/// A search, from `go` to `bestmove`.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The position and the `go`.
    pub asked: Vec<String>,
    /// The info lines.
    pub thoughts: Vec<InfoLine>,
    /// The move; empty where none came.
    pub best: String,
    /// The move to ponder on.
    pub ponder: Option<String>,
    /// From `go` to `bestmove`.
    pub elapsed: Duration,
    /// How long of that the engine was ready to run and did not, for lack of a processor.
    pub waited: Duration,
    /// How long after its time limit the move came, without what the machine has to answer for.
    pub late: Duration,
    /// It had to be stopped.
    pub overran: bool,
    /// The conversation up to here.
    pub(super) mark: Option<Mark>,
}

impl Search {
    /// The time it took, less what a busy machine kept the engine waiting.
    #[must_use]
    pub fn own_time(&self) -> Duration {
        self.elapsed.saturating_sub(self.waited)
    }

    /// The position it was asked about.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        asked_position(self.asked.first()?)
    }

    /// What is wrong with the move, where it is not a legal one and there are legal ones.
    #[must_use]
    pub fn illegal_answer(&self) -> Option<String> {
        let position = self.position()?;
        let (best, count) = (self.best.as_str(), position.legal_moves().len());
        if count == 0 || position.parse_uci(best).is_ok() {
            return None;
        }
        if !is_no_move(best) {
            let why = diagnose::surplus(&position, best, &[]);
            return Some(format!("bestmove {best} is not legal: {why}"));
        }
        let word = if best.is_empty() { "without a move" } else { best };
        let is_wrong = !is_over(&position);
        is_wrong.then(|| format!("bestmove {word} though there are {count} legal moves"))
    }

    /// A ponder move that is not legal after the best move.
    #[must_use]
    pub fn illegal_ponder(&self) -> Option<String> {
        let ponder = self.ponder.as_deref().filter(|word| !is_no_move(word))?;
        let position = self.position()?;
        let next = position.play(position.parse_uci(&self.best).ok()?);
        let best = &self.best;
        next.parse_uci(ponder).is_err().then(|| {
            format!("the ponder move {ponder} is not legal after {best} in {}", position.fen())
        })
    }

    /// The lines that ask for it.
    pub(super) fn script(&self) -> Script {
        match &self.asked[..] {
            [position, go, ..] => Script::of_search(position, go),
            _ => Script::new(),
        }
    }

    pub(super) fn end(&mut self, line: &str, elapsed: Duration) {
        let mut words = line.split_whitespace().skip(1);
        self.best = words.next().unwrap_or_default().to_owned();
        let is_ponder = words.next() == Some("ponder");
        self.ponder = words.next().filter(|_| is_ponder).map(str::to_owned);
        self.elapsed = elapsed;
    }

    /// The last exact score of the best line.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        self.last(|t| t.score).flatten()
    }

    /// The last line of each iteration: what is said before it may be true of the moves looked at
    /// so far.
    #[must_use]
    pub fn iterations(&self) -> Vec<&InfoLine> {
        let mut last: Vec<&InfoLine> = Vec::new();
        // Some end an iteration with a line of counters alone.
        let tells = |t: &&InfoLine| t.exact && t.multipv == 1 && t.score.is_some();
        for thought in self.thoughts.iter().filter(tells) {
            last.retain(|known| known.depth != thought.depth);
            last.push(thought);
        }
        last
    }

    /// The nodes last told.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        self.thoughts.iter().rev().find_map(|t| t.nodes)
    }

    fn last<T>(&self, get: impl Fn(&InfoLine) -> T) -> Option<T> {
        let mut lines = self.thoughts.iter().rev();
        lines.find(|t| t.multipv == 1 && t.exact && !t.pv.is_empty()).map(get)
    }
}

/// What engines say that see no move, or do not want to play one. The protocol knows no word for
/// it, so there are many; some print the null move, from any square to itself.
pub(super) fn is_no_move(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let is_null = word.len() == 4 && word.get(..2) == word.get(2..);
    let bare = word.trim_matches(['(', ')']);
    is_null || matches!(bare, "" | "none" | "null" | "nomove" | "resign" | "-" | "--")
}

/// Whether the game is over, or would be if the side to move claimed it: then an engine may well
/// play no move.
pub(super) fn is_over(position: &Position) -> bool {
    position.outcome().is_some() || position.halfmove_clock() >= 100
}

/// The position that a `position` command describes, where it is one.
pub(super) fn asked_position(command: &str) -> Option<Position> {
    let text = command.strip_prefix("position ")?;
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut position = match start.trim().strip_prefix("fen ") {
        Some(fen) => Position::from_fen(fen).ok()?,
        None => Position::startpos(),
    };
    for word in moves.split_whitespace() {
        position = position.play(position.parse_uci(word).ok()?);
    }
    Some(position)
}

/// Sends a position and a search and waits for its end; after `patience` it is stopped.
pub(super) fn search(
    engine: &mut TestedEngine,
    position: &str,
    go: &str,
    patience: Duration,
) -> Result<Search, Stop> {
    if !engine.capabilities().uci_commands {
        return search_xboard(engine, position, go, patience);
    }
    let began = engine.send_line(&format!("{position}\n{go}"))?;
    let asked = vec![position.to_owned(), go.to_owned()];
    finish(engine, Search { asked, ..Search::default() }, began, patience)
}

/// The same in XBoard's words, which the driver knows.
fn search_xboard(
    engine: &mut TestedEngine,
    position: &str,
    go: &str,
    patience: Duration,
) -> Result<Search, Stop> {
    let limit = match Command::parse(go) {
        Ok(Command::Go(limit)) => limit,
        _ => return Ok(Search::default()),
    };
    settle_xboard(engine)?;
    let patience = engine.patience(patience);
    let mut thoughts = Vec::new();
    let root = position.trim_start_matches("position ");
    let found = engine.go_watched(root, &limit, Some(patience), |info, at| {
        if thoughts.len() < MOST_LINES {
            let pv: Vec<&str> = info.pv_moves().collect();
            let line = format!("depth {:?} pv {}", info.depth.unwrap_or(0), pv.join(" "));
            thoughts.push(InfoLine::of(info, line, at));
        }
        SearchControl::Continue
    })?;
    Ok(Search {
        asked: vec![position.to_owned(), go.to_owned()],
        thoughts,
        best: found.best,
        ponder: found.ponder,
        elapsed: found.elapsed,
        overran: found.end == SearchEnd::Overran,
        ..Search::default()
    })
}

/// The word that the last game is over may come after its last move: it must not be taken for the
/// answer to the next question.
fn settle_xboard(engine: &mut TestedEngine) -> Result<(), Stop> {
    engine.new_game()?;
    engine.is_ready(Duration::from_secs(5))?;
    for _ in 0..20 {
        let quiet = Instant::now() + Duration::from_millis(10);
        if engine.read_line(Some(quiet))?.is_none() {
            break;
        }
    }
    Ok(())
}

/// Waits for the end of a search that has begun.
pub(super) fn finish(
    engine: &mut TestedEngine,
    mut search: Search,
    began: Instant,
    patience: Duration,
) -> Result<Search, Stop> {
    let waiting = engine.waiting();
    let (mut deadline, mut cut) = engine.until(began, patience)?;
    if cut && search.asked.get(1).is_some_and(|go| go == "go depth 1") {
        let hangs = began + engine.hangs_after();
        if hangs > deadline {
            (deadline, cut) = engine.not_beyond_all(hangs);
        }
    }
    engine.note_wait(Awaited::BestMove, engine.patience(patience));
    let was_stopped = search.overran;
    let limit = match &search.asked[..] {
        // Stopped already: from now on it is late.
        _ if was_stopped => Some(Duration::ZERO),
        [position, go, ..] => time_limit(position, go),
        _ => None,
    };
    let mut overtime = Overtime::new(began, limit);
    let mut out_of_time = false;
    loop {
        match overtime.read(engine, deadline)? {
            Some((line, at)) => {
                if line.split_whitespace().next() == Some("bestmove") {
                    if out_of_time {
                        return Err(Stop::OutOfTime);
                    }
                    search.late = overtime.late(at);
                    search.end(&line, at.saturating_duration_since(began));
                    search.waited = engine.waiting().since(&waiting);
                    search.mark = Some(engine.mark());
                    engine.give_back(search.waited);
                    return Ok(search);
                }
                if line.trim_start().starts_with("info") && search.thoughts.len() < MOST_LINES {
                    let at = at.saturating_duration_since(began);
                    search.thoughts.push(InfoLine::read(&line, at));
                }
            }
            // The check has to end: nothing can be said about the search, unless it should have
            // ended by itself long before, or heeds `stop` elsewhere and not here.
            None if cut
                && (search.overran || !(is_overdue(began, limit) || engine.heeds_stop())) =>
            {
                return Err(Stop::OutOfTime);
            }
            None if search.overran => {
                return Err(EngineError::Hung {
                    engine: engine.name().to_owned(),
                    after: began.elapsed(),
                }
                .into());
            }
            None => {
                out_of_time = cut && !is_overdue(began, limit);
                search.overran = true;
                engine.send_line("stop")?;
                let grace = engine.patience(Duration::from_secs(3));
                engine.note_wait(Awaited::BestMove, grace);
                (deadline, cut) = engine.not_beyond_all(Instant::now() + grace);
            }
        }
    }
}

fn is_overdue(began: Instant, limit: Option<Duration>) -> bool {
    limit.is_some_and(|limit| began.elapsed() > limit + LONG_OVERDUE)
}

/// Everything said until the deadline.
pub(super) fn listen(engine: &mut TestedEngine, span: Duration) -> Result<Vec<String>, Stop> {
    engine.note_pause(span);
    let deadline = Instant::now() + span;
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if lines.len() < MOST_LINES {
            lines.push(line.to_owned());
        }
    }
    Ok(lines)
}

/// Everything said up to `readyok`, which must come in time.
pub(super) fn until_ready(
    engine: &mut TestedEngine,
    patience: Duration,
) -> Result<Vec<String>, Stop> {
    if !engine.capabilities().uci_commands {
        return engine.is_ready(patience).map(|()| Vec::new());
    }
    match ready_or_not(engine, patience)? {
        (lines, true) => Ok(lines),
        (_, false) => Err(EngineError::NotReady {
            engine: engine.name().to_owned(),
            asked: "isready",
            after: engine.patience(patience),
        }
        .into()),
    }
}

/// Everything said after `isready`, and whether `readyok` came in time.
pub(super) fn ready_or_not(
    engine: &mut TestedEngine,
    patience: Duration,
) -> Result<(Vec<String>, bool), Stop> {
    let (deadline, cut) = engine.until(Instant::now(), patience)?;
    engine.send_line("isready")?;
    engine.note_wait(Awaited::ReadyOk, engine.patience(patience));
    let mut lines = Vec::new();
    while let Some((line, _)) = engine.read_line(Some(deadline))? {
        if line.trim() == "readyok" {
            return Ok((lines, true));
        }
        if lines.len() < MOST_LINES {
            lines.push(line.to_owned());
        }
    }
    if cut { Err(Stop::OutOfTime) } else { Ok((lines, false)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(position: &str, line: &str) -> Search {
        let asked = vec![position.to_owned(), "go depth 1".to_owned()];
        let mut search = Search { asked, ..Search::default() };
        search.end(line, Duration::ZERO);
        search
    }

    #[test]
    fn no_move_has_many_words() {
        for word in ["(none)", "0000", "None", "NULL", "a8a8", "a1a1", "--", "resign", ""] {
            assert!(is_no_move(word), "{word}");
            let open = answered("position startpos", &format!("bestmove {word}"));
            assert!(open.illegal_answer().is_some(), "{word}");
            // Nothing can be won any more, or fifty moves are over.
            for fen in ["8/8/4k3/8/8/4K3/8/8 w - - 0 1", "8/8/4k3/8/8/4K3/4R3/8 w - - 100 120"] {
                let over = answered(&format!("position fen {fen}"), &format!("bestmove {word}"));
                assert_eq!(over.illegal_answer(), None, "{word} in {fen}");
            }
        }
        assert!(!is_no_move("e2e4") && !is_no_move("g1f3"));
        let wrong = answered("position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1", "bestmove e3e5");
        assert!(wrong.illegal_answer().is_some());
    }

    #[test]
    fn a_ponder_move_follows_its_word() {
        let ponder = |line: &str| answered("position startpos", line).illegal_ponder();
        assert_eq!(ponder("bestmove e2e4 ponder e7e5"), None);
        assert_eq!(ponder("bestmove e2e4 ponder (none)"), None);
        assert_eq!(ponder("bestmove e2e4 ponder 0000"), None);
        assert_eq!(ponder("bestmove e2e4 score 30"), None);
        assert!(ponder("bestmove e2e4 ponder e2e3").is_some());
    }
}
