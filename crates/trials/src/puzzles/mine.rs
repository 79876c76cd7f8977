//! Suites mined from games: mates that are proved, and moves that an engine holds for the only
//! good one.

use super::{PuzzleError, start_with_lines};
use crate::in_order;
use dyno_chess::{Move, Position, Square};
use dyno_driver::{
    Engine, EngineError, EngineIdentity, EngineSpec, Go, RunHeader, SearchControl, Settings,
};
use dyno_formats::Opened;
use dyno_formats::epd::EpdLine;
use dyno_formats::pgn::{PgnGame, PgnReader, Problem, Reason};
use dyno_solver::{Budget, Solver};
use dyno_uci::{Bound, Info, Score};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

/// A gap of this many centipawns decides nothing when the game is decided anyway.
const DECIDED: i32 = 400;

/// A move is forced if any other costs this much of the expected score. Whatever the gap asked for,
/// a better square for a knight is not a tactic.
const FORCED: f64 = 0.2;

/// What is found is looked at again, so much deeper: much of what stands out at first does not stay.
const DEEPER: u32 = 4;

/// What to look for.
#[derive(Clone, Debug)]
pub struct MinePlan {
    /// The engine that looks for tactics; without one only mates are mined.
    pub engine: Option<EngineSpec>,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    /// How deep it looks.
    pub depth: u32,
    /// How much better the best move must be than the second, in centipawns.
    pub gap: i32,
    /// At how many depths in a row, the last included.
    pub held: u32,
    /// The longest mate to look for.
    pub mate: u32,
    /// What one position may cost the solver.
    pub nodes: u64,
    /// Half-moves of each game to leave out.
    pub skip: usize,
    /// At most this many finds.
    pub limit: Option<u64>,
    /// How many work at once.
    pub workers: usize,
    /// Take away castling rights and en-passant squares that a position cannot have.
    pub repair: bool,
}

impl MinePlan {
    fn recorded(&self, source: &str) -> Value {
        json!({
            "source": source,
            "depth": self.depth,
            "gap": self.gap,
            "held": self.held,
            "mate": self.mate,
            "nodes": self.nodes,
            "skip": self.skip,
            "limit": self.limit,
            "repair": self.repair,
        })
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MinedKind {
    /// A proved mate in this many moves.
    Mate(u32),
    /// A single best move.
    Tactic,
}

/// A position worth keeping.
#[derive(Clone, Debug)]
pub struct Mined {
    /// What it is.
    pub kind: MinedKind,
    /// Its line of EPD.
    pub line: String,
    /// The key of its position.
    key: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MineResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The input.
    pub source: String,
    /// The engine, if there was one.
    pub engine: Option<EngineIdentity>,
    /// Games read.
    pub games: u64,
    /// Games that could not be read.
    pub bad_games: u64,
    /// Games whose position was repaired.
    #[serde(default)]
    pub repaired: u64,
    /// Positions looked at, each once.
    pub positions: u64,
    /// Mates found.
    pub mates: u64,
    /// Tactics found.
    pub tactics: u64,
    /// Positions that the solver could not settle within its budget.
    pub unsettled: u64,
    /// Positions on which the engine crashed or hung.
    #[serde(default)]
    pub crashes: u64,
    /// The user stopped it; what was written stays.
    pub interrupted: bool,
}

/// What happens on the way, in the order of the games.
#[derive(Debug)]
pub enum MineEvent<'a> {
    /// A find.
    Found(&'a Mined),
    /// A game that could not be read.
    BadGame(&'a str),
    /// The engine failed on a position.
    Trouble(&'a str),
    /// So far.
    Progress(&'a MineResult),
}

/// A position with where it comes from.
struct Place {
    position: Position,
    source: String,
    id: String,
    /// Where a piece has just been taken: taking back is not a tactic.
    taken_on: Option<Square>,
}

enum Job {
    Look(Box<Place>),
    Game { repaired: bool },
    BadGame { error: String, fatal: bool },
}

enum JobOutcome {
    Found(Option<Mined>),
    Unsettled,
    Trouble(String),
    Game { repaired: bool },
    BadGame { error: String, fatal: bool },
    Failed(EngineError),
}

/// Mines a file of games.
pub fn mine(
    plan: &MinePlan,
    source: &str,
    opened: Opened,
    listen: &mut dyn FnMut(MineEvent<'_>) -> std::io::Result<()>,
) -> Result<MineResult, PuzzleError> {
    let began = Instant::now();
    let header = RunHeader::begin("puzzles mine", plan.recorded(source));
    let mut result = MineResult { header, source: source.to_owned(), ..MineResult::default() };
    let mut first = None;
    if let Some(spec) = &plan.engine {
        let engine = start(spec, plan)?;
        let identity = engine.record();
        result.header.engines.push(identity.clone());
        result.engine = Some(identity);
        first = Some(engine);
    }
    let first = Mutex::new(first);
    let mut failure = None;
    let mut known = HashSet::new();
    in_order(
        plan.workers,
        places(plan, opened),
        |_| Miner::new(plan, &first),
        |miner, job| miner.work(job),
        |answer| match result.take(new_to(&mut known, answer), plan, listen) {
            Ok(flow) => flow,
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    result.interrupted |= plan.settings.interrupt.as_ref().is_some_and(|i| i.requested());
    result.header.seconds = began.elapsed().as_secs_f64();
    failure.map_or(Ok(result), Err)
}

/// A position found before, and looked at again because it had been forgotten, does not count.
fn new_to(known: &mut HashSet<u64>, answer: JobOutcome) -> JobOutcome {
    match answer {
        JobOutcome::Found(found) => {
            JobOutcome::Found(found.filter(|mined| known.insert(mined.key)))
        }
        other => other,
    }
}

fn start(spec: &EngineSpec, plan: &MinePlan) -> Result<Engine, EngineError> {
    let mut engine = start_with_lines(spec, &plan.settings)?;
    engine.set_option("MultiPV", "2")?;
    Ok(engine)
}

impl MineResult {
    fn take(
        &mut self,
        answer: JobOutcome,
        plan: &MinePlan,
        listen: &mut dyn FnMut(MineEvent<'_>) -> std::io::Result<()>,
    ) -> Result<ControlFlow<()>, PuzzleError> {
        let written = |error| PuzzleError::Write { name: "the output".into(), error };
        match answer {
            JobOutcome::Game { repaired } => {
                self.games += 1;
                self.repaired += u64::from(repaired);
            }
            JobOutcome::BadGame { error, fatal } => {
                self.bad_games += 1;
                listen(MineEvent::BadGame(&error)).map_err(written)?;
                if fatal {
                    let error = std::io::Error::other(error);
                    return Err(PuzzleError::Read { name: self.source.clone(), error });
                }
            }
            JobOutcome::Unsettled => {
                self.positions += 1;
                self.unsettled += 1;
            }
            JobOutcome::Trouble(error) => {
                self.positions += 1;
                self.crashes += 1;
                listen(MineEvent::Trouble(&error)).map_err(written)?;
            }
            JobOutcome::Found(found) => {
                self.positions += 1;
                if let Some(found) = found {
                    match found.kind {
                        MinedKind::Mate(_) => self.mates += 1,
                        MinedKind::Tactic => self.tactics += 1,
                    }
                    listen(MineEvent::Found(&found)).map_err(written)?;
                }
            }
            JobOutcome::Failed(EngineError::Interrupted) => {
                self.interrupted = true;
                return Ok(ControlFlow::Break(()));
            }
            JobOutcome::Failed(error) => return Err(error.into()),
        }
        listen(MineEvent::Progress(self)).map_err(written)?;
        let stop = plan.settings.interrupt.as_ref().is_some_and(|i| i.requested());
        let full = plan.limit.is_some_and(|limit| self.mates + self.tactics >= limit);
        Ok(if stop || full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// The positions met last. It forgets the older ones, so that memory does not grow with the file:
/// what comes back after millions of others is looked at again.
struct Seen(Vec<u64>);

impl Seen {
    /// As a power of two: 16 MiB.
    const SIZE: u32 = 21;

    fn new() -> Self {
        Self(vec![0; 1 << Self::SIZE])
    }

    /// Whether the position has not been met, as far as is remembered; from now on it has.
    fn insert(&mut self, key: u64) -> bool {
        let slot = &mut self.0[(key >> (u64::BITS - Self::SIZE)) as usize];
        std::mem::replace(slot, key) != key
    }
}

/// The positions of all games, each once, wherever it occurs first.
fn places(plan: &MinePlan, opened: Opened) -> impl Iterator<Item = Job> + Send + use<> {
    let skip = plan.skip;
    let mut seen = Seen::new();
    let file = opened.name.clone();
    PgnReader::new(opened.reader).repairing(plan.repair).flat_map(move |game| {
        let (game, mut jobs) = match game {
            Ok(game) => {
                let is_repair =
                    |problem: &Problem| matches!(problem.reason, Reason::Repaired { .. });
                let repaired = game.warnings.iter().any(is_repair);
                (game, vec![Job::Game { repaired }])
            }
            Err(error) => {
                let fatal = matches!(error.problem.reason, Reason::Line { fatal: true, .. });
                let job = Job::BadGame { error: error.to_string(), fatal };
                // The moves up to the fault are sound.
                match error.partial {
                    Some(game) => (*game, vec![job]),
                    None => return vec![job],
                }
            }
        };
        let source = source_of(&game);
        let mut taken_on = None;
        let mut moves = game.moves();
        for (ply, position) in game.positions().enumerate() {
            let before = taken_on.take();
            let next = moves.next();
            taken_on = next.filter(|mv| position.is_capture(*mv)).map(Move::to);
            if ply < skip {
                continue;
            }
            if !seen.insert(position.key()) || !position.has_legal_move() {
                continue;
            }
            let white = position.side_to_move() == dyno_chess::Color::White;
            let dots = if white { "." } else { "..." };
            let number = position.fullmove_number();
            jobs.push(Job::Look(Box::new(Place {
                position,
                taken_on: before,
                source: format!("{source}, move {number}{dots}"),
                id: format!("{file}:{}.{number}{}", game.number, if white { "w" } else { "b" }),
            })));
        }
        jobs
    })
}

/// `White – Black, Event 2024.01.02`
fn source_of(game: &PgnGame) -> String {
    let tag = |name| game.tags.get(name).filter(|value| !value.is_empty() && *value != "?");
    let mut text = format!("{} - {}", tag("White").unwrap_or("?"), tag("Black").unwrap_or("?"));
    for name in ["Event", "Date"] {
        if let Some(value) = tag(name).filter(|value| *value != "????.??.??") {
            text.push_str(", ");
            text.push_str(value);
        }
    }
    text
}

struct Miner<'a> {
    plan: &'a MinePlan,
    engine: Option<Engine>,
    solver: Solver,
}

impl<'a> Miner<'a> {
    fn new(plan: &'a MinePlan, first: &Mutex<Option<Engine>>) -> Miner<'a> {
        let engine = first.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        Miner { plan, engine, solver: Solver::new(16) }
    }

    fn work(&mut self, job: Job) -> JobOutcome {
        let place = match job {
            Job::Look(place) => place,
            Job::Game { repaired } => return JobOutcome::Game { repaired },
            Job::BadGame { error, fatal } => return JobOutcome::BadGame { error, fatal },
        };
        let mut unsettled = false;
        if self.plan.mate > 0 {
            match self.mate(&place) {
                Ok(Some(mined)) => return JobOutcome::Found(Some(mined)),
                Ok(None) => {}
                Err(_) => unsettled = true,
            }
        }
        match self.tactic(&place) {
            Ok(Ok(None)) if unsettled => JobOutcome::Unsettled,
            Ok(Ok(found)) => JobOutcome::Found(found),
            Ok(Err(crash)) => JobOutcome::Trouble(format!("{}: {crash}", place.id)),
            Err(error) => JobOutcome::Failed(error),
        }
    }

    /// A mate that the solver proves, with all its keys.
    fn mate(&mut self, place: &Place) -> Result<Option<Mined>, dyno_solver::Unsettled> {
        let stopped = || self.plan.settings.interrupt.as_ref().is_some_and(|i| i.requested());
        let budget = Budget { nodes: self.plan.nodes, stop: &stopped };
        let position = &place.position;
        let Some(moves) = self.solver.shortest(position, self.plan.mate, &budget)? else {
            return Ok(None);
        };
        let keys = self.solver.keys(position, moves, &budget)?;
        let line = self.solver.line(position, moves, &budget)?;
        let text = EpdLine::new(position)
            .moves("bm", &keys)
            .line("pv", &line)
            .number("dm", i64::from(moves))
            .string("id", &place.id)
            .string("c0", &place.source)
            .to_string();
        Ok(Some(Mined { kind: MinedKind::Mate(moves), line: text, key: position.key() }))
    }

    /// A move that the engine holds for much better than any other, depth after depth. The inner
    /// error is a crash, which costs this position but not the work: the next one gets a new process.
    fn tactic(&mut self, place: &Place) -> Result<Result<Option<Mined>, EngineError>, EngineError> {
        let Some(spec) = &self.plan.engine else { return Ok(Ok(None)) };
        if place.position.legal_moves().len() < 2 {
            return Ok(Ok(None));
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => start(spec, self.plan)?,
        };
        let found = self.forced_move(&mut engine, &place.position);
        match found {
            Ok(_) => self.engine = Some(engine),
            Err(_) => drop(engine.kill()),
        }
        let found = match found {
            Ok(found) => found,
            Err(error) if error.is_fatal() => return Ok(Err(error)),
            Err(error) => return Err(error),
        };
        let takes_back = |mv: &Move| place.taken_on == Some(mv.to());
        let found = found.filter(|(line, _)| !line.first().is_some_and(takes_back));
        Ok(Ok(found.map(|(line, score)| {
            let text = EpdLine::new(&place.position)
                .moves("bm", &line[..1])
                .line("pv", &line)
                .number("ce", i64::from(stated(score)))
                .number("acd", i64::from(self.plan.depth + DEEPER))
                .string("id", &place.id)
                .string("c0", &place.source)
                .to_string();
            Mined { kind: MinedKind::Tactic, line: text, key: place.position.key() }
        })))
    }
}

impl Miner<'_> {
    /// The line of the only good move, if there is one at the depth of the plan and still is when
    /// the engine looks deeper; and its score.
    fn forced_move(
        &self,
        engine: &mut Engine,
        position: &Position,
    ) -> Result<Option<(Vec<Move>, Score)>, EngineError> {
        let text = format!("fen {}", position.fen());
        let mut look = |depth: u32, held: u32| {
            let mut views = Views::default();
            engine.prepare()?;
            engine.go_watched(&text, &Go::depth(depth), None, |info, _| {
                views.take(info);
                SearchControl::Continue
            })?;
            Ok::<_, EngineError>(views.verdict(depth, held, self.plan.gap, position))
        };
        let Some((first, _)) = look(self.plan.depth, self.plan.held)? else { return Ok(None) };
        let again = look(self.plan.depth + DEEPER, 1)?;
        Ok(again.filter(|(line, _)| line.first() == first.first()))
    }
}

/// The share of the points that an evaluation promises.
fn expected_score(centipawns: i32) -> f64 {
    1.0 / (1.0 + 10f64.powf(-f64::from(centipawns) / 400.0))
}

/// A score as `ce` states it: of a mate, 32767 less the half-moves to it.
fn stated(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value,
        Score::Mate(moves) if moves > 0 => 32767 - (2 * moves - 1),
        Score::Mate(moves) => -32767 - 2 * moves,
    }
}

/// What the engine thought of its two best moves, depth by depth.
#[derive(Default)]
struct Views(Vec<View>);

#[derive(Default)]
struct View {
    depth: u32,
    best: Option<(Score, String)>,
    second: Option<Score>,
}

impl Views {
    fn take(&mut self, info: &Info<'_>) {
        let (Some(depth), Some(score), Some(pv)) = (info.depth, info.score, info.pv) else {
            return;
        };
        // "At least" and "at most" are no scores to compare.
        if info.bound != Bound::Exact {
            return;
        }
        if self.0.last().is_none_or(|view| view.depth != depth) {
            self.0.push(View { depth, ..View::default() });
        }
        let Some(view) = self.0.last_mut() else { return };
        match info.multipv.unwrap_or(1) {
            1 => view.best = Some((score, pv.to_owned())),
            2 => view.second = Some(score),
            _ => {}
        }
    }

    /// The line and its score, if the last depths agree on the move and on its distance from the
    /// second, if any other move costs a good part of the point, and the game is not decided either
    /// way.
    fn verdict(
        &self,
        depth: u32,
        held: u32,
        gap: i32,
        position: &Position,
    ) -> Option<(Vec<Move>, Score)> {
        let complete: Vec<(&View, Score, &str, Score)> = self
            .0
            .iter()
            .filter_map(|view| {
                let (best, pv) = view.best.as_ref()?;
                Some((view, *best, pv.as_str(), view.second?))
            })
            .collect();
        let held = held.max(1) as usize;
        let last = complete.last().filter(|last| last.0.depth >= depth)?;
        let tail = complete.len().checked_sub(held).map(|start| &complete[start..])?;
        let first_of = |pv: &str| pv.split_ascii_whitespace().next().map(str::to_owned);
        let agreed = tail.iter().all(|(_, best, pv, second)| {
            first_of(pv) == first_of(last.2) && best.centipawns() - second.centipawns() >= gap
        });
        let (best, second) = (last.1.centipawns(), last.3.centipawns());
        // Winning anyway, or lost anyway: the move makes no difference.
        let mates = matches!(last.1, Score::Mate(moves) if moves > 0);
        let forced = mates || expected_score(best) - expected_score(second) >= FORCED;
        let matters = second < DECIDED && best > -DECIDED && forced;
        if !agreed || !matters {
            return None;
        }
        let mut line = Vec::new();
        let mut at = *position;
        for word in last.2.split_ascii_whitespace() {
            let Ok(mv) = at.parse_uci(word) else { break };
            at = at.play(mv);
            line.push(mv);
        }
        (!line.is_empty()).then_some((line, last.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap of 30 is not a tactic, even when asked for; nor is a larger one in a game already won.
    #[test]
    fn only_a_move_that_is_forced_is_a_tactic() {
        let position = Position::startpos();
        for (best, second, is_tactic) in
            [(30, 0, false), (200, 0, true), (100, -100, true), (390, 250, false), (0, -300, true)]
        {
            let pv = "e2e4 e7e5".to_owned();
            let best = Some((Score::Cp(best), pv));
            let views = Views(vec![View { depth: 8, best, second: Some(Score::Cp(second)) }]);
            assert_eq!(views.verdict(8, 1, 30, &position).is_some(), is_tactic, "{second}");
        }
    }

    #[test]
    fn what_was_met_is_known_until_it_is_forgotten() {
        let mut seen = Seen::new();
        let place = 7 << (u64::BITS - Seen::SIZE);
        assert!(seen.insert(place + 1) && !seen.insert(place + 1));
        assert!(seen.insert(place + 2) && seen.insert(place + 1));
    }
}
