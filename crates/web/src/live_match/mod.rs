//! A running match, as the page shows it.
//!
//! A listener like any other, on a thread of its own: it counts with the same `Standings` that the
//! match itself has, and draws nothing before someone looks.

mod course;
mod figures;
mod knockout;
mod panels;
mod running;
mod tables;
mod workers;

use crate::games::{Games, replay_journal};
use crate::live::{BoardView, Command, Live, Panel, RunHead};
use course::Course;
use dyno_driver::EngineIdentity;
use dyno_report::number;
use dyno_report::tournament::{finished, started};
use dyno_stats::{Model, Tally};
use dyno_tournament::tune::TuningSchedule;
use dyno_tournament::{
    Advice, Control, Ending, Envelope, GameRecord, Interest, Listener, MatchEvent, OutputError,
    Plan, Schedule, Standings,
};
use running::RunningGame;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
pub(crate) use tables::game_table;
use workers::Workers;

/// Finished games, events and faults that are listed.
const RESULTS: usize = 40;
const LOG_LINES: usize = 120;
const FAULTS: usize = 30;
const WARNINGS: usize = 100;
/// Boards that are shown at most: a snapshot of thousands would be tens of megabytes.
const BOARDS: usize = 64;
/// How long after a look someone counts as present.
const ATTENTION: Duration = Duration::from_secs(5);
/// Of a fault's evidence, the end says most.
const EVIDENCE: u64 = 6000;

/// A match that can be watched. Clones are the same match.
#[derive(Clone)]
pub struct LiveMatch(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    version: AtomicU64,
    control: Control,
    /// When someone last looked at the boards.
    looked: Mutex<Option<Instant>>,
}

/// All that is known of the match.
struct State {
    plan: Plan,
    run: String,
    started_ms: u64,
    engines: Vec<EngineIdentity>,
    total: Option<u64>,
    schedule: Box<dyn Schedule>,
    tuning: Option<TuningSchedule>,
    standings: Standings,
    course: Course,
    contests: knockout::Contests,
    workers: Workers,
    running: BTreeMap<u64, RunningGame>,
    games: Arc<Games>,
    /// The latest first.
    results: VecDeque<crate::games::GameRow>,
    faults: VecDeque<FaultRow>,
    warnings: Vec<Advice>,
    /// When, and what; the latest first.
    log: VecDeque<(u64, String)>,
    winding_down: bool,
    ending: Option<Ending>,
}

/// Something an engine did wrong, with what shows it.
struct FaultRow {
    game: u64,
    engine: String,
    kind: &'static str,
    detail: String,
    evidence: Option<(String, String)>,
}

impl LiveMatch {
    /// A match before its first game; `control` are its switches.
    pub fn new(plan: &Plan, control: &Control) -> Self {
        let state = State {
            run: String::new(),
            started_ms: now_ms(),
            engines: Vec::new(),
            total: None,
            schedule: plan.schedule(),
            tuning: plan.tune.clone().map(TuningSchedule::new),
            standings: Standings::new(plan),
            course: Course::default(),
            contests: knockout::Contests::default(),
            workers: Workers::default(),
            running: BTreeMap::new(),
            games: Arc::new(Games::in_memory(plan.clone())),
            results: VecDeque::new(),
            faults: VecDeque::new(),
            warnings: Vec::new(),
            log: VecDeque::new(),
            winding_down: false,
            ending: None,
            plan: plan.clone(),
        };
        let (state, version) = (Mutex::new(state), AtomicU64::new(1));
        let (control, looked) = (control.clone(), Mutex::default());
        Self(Arc::new(Shared { state, version, control, looked }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn looked(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for LiveMatch {
    fn hear(&mut self, envelope: &Envelope) -> Result<(), OutputError> {
        self.state().take_in(envelope);
        if !envelope.event.is_droppable() {
            self.0.version.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn wants_moves(&self) -> bool {
        true
    }

    fn interest(&self) -> Option<Interest> {
        let this = self.clone();
        Some(Box::new(move || this.looked().is_some_and(|at| at.elapsed() < ATTENTION)))
    }
}

impl Live for LiveMatch {
    fn head(&self) -> RunHead {
        let state = self.state();
        let names: Vec<&str> = state.plan.engines.iter().map(|engine| engine.name()).collect();
        let kind = if state.tuning.is_some() { "tune" } else { "match" };
        RunHead {
            id: state.run.clone(),
            kind: kind.to_owned(),
            title: match kind {
                "tune" => {
                    let program = state.engines.first().and_then(|engine| engine.id.clone());
                    program.map_or("Tuning".to_owned(), |program| format!("Tuning of {program}"))
                }
                _ if names.len() > 4 => format!("{}: {} engines", state.plan.event, names.len()),
                _ => names.join(" vs "),
            },
            started_ms: state.started_ms,
            line: state.progress_line(),
            can_obey: true,
        }
    }

    fn version(&self) -> u64 {
        // The switches are turned by others as well: on the terminal.
        let control = &self.0.control;
        let switches = u64::from(control.is_paused())
            | u64::from(control.is_stopping_after_pair()) << 1
            | u64::from(control.winding_down()) << 2
            | u64::from(control.stopping_now()) << 3
            | (control.concurrency() as u64) << 4;
        self.0.version.load(Ordering::Relaxed) << 16 | switches & 0xffff
    }

    fn panels(&self) -> Vec<Panel> {
        self.state().panels(&self.0.control)
    }

    fn boards(&self) -> Vec<BoardView> {
        *self.looked() = Some(Instant::now());
        let mut state = self.state();
        let mut games: Vec<&mut RunningGame> = state.running.values_mut().collect();
        // A cluster of thousands of boards tells the moves of some.
        games.sort_by_key(|game| !game.has_moves());
        games.into_iter().take(BOARDS).map(RunningGame::view).collect()
    }

    fn is_over(&self) -> bool {
        self.state().ending.is_some()
    }

    fn games(&self) -> Option<Arc<Games>> {
        Some(Arc::clone(&self.state().games))
    }

    fn obey(&self, command: Command) -> Option<String> {
        let control = &self.0.control;
        let at_once =
            |games: usize| format!("{} at once", number::plural(games as u64, "game", "games"));
        Some(match command {
            Command::Pause if control.toggle_pause() => "paused".to_owned(),
            Command::Pause => "going on".to_owned(),
            Command::More => at_once(control.change_concurrency(1)),
            Command::Fewer => at_once(control.change_concurrency(-1)),
            Command::StopAfterPairs => {
                control.stop_after_pair();
                "stopping after the pairs that have begun".to_owned()
            }
            Command::Stop => {
                control.wind_down();
                "finishing the running games".to_owned()
            }
            Command::StopNow => {
                control.stop_now();
                "stopping now".to_owned()
            }
        })
    }
}

impl State {
    fn take_in(&mut self, envelope: &Envelope) {
        let at = envelope.at;
        match &envelope.event {
            MatchEvent::MatchStarted { engines, total, done, journal, .. } => {
                self.run.clone_from(&envelope.run);
                self.started_ms = at;
                self.engines.clone_from(engines);
                self.total = *total;
                if let Some(journal) = journal {
                    self.follow_journal(&PathBuf::from(journal), *done);
                }
                self.log(at, format!("the match begins{}", resumed(*done)));
            }
            MatchEvent::GameStarted { slot, white_name, black_name, total, start } => {
                self.total = self.total.or(*total);
                self.contests.started(slot);
                let game = RunningGame::new(&self.plan, slot, [white_name, black_name], start);
                self.running.insert(slot.number, game);
                self.log(at, started(slot, *total, white_name, black_name));
            }
            MatchEvent::MoveMade(made) => {
                if let Some(game) = self.running.get_mut(&made.number) {
                    game.take_in(made);
                }
            }
            MatchEvent::GameFinished { game, white_name, black_name, .. } => {
                self.running.remove(&game.slot.number);
                self.count(game);
                self.course.tick(at);
                self.log(at, finished(game, white_name, black_name));
            }
            MatchEvent::GameAbandoned { slot } => {
                self.running.remove(&slot.number);
                self.log(at, format!("game {} was broken off and is still owed", slot.number + 1));
            }
            MatchEvent::WindingDown { running } => {
                self.winding_down = true;
                self.log(at, format!("stopping: {running} running games are being finished"));
            }
            MatchEvent::Warning { advice } => {
                if self.warnings.len() < WARNINGS {
                    self.warnings.push(advice.clone());
                }
                self.log(at, format!("warning: {}", advice.message));
            }
            MatchEvent::MatchEnded { games, ending } => {
                self.running.clear();
                self.ending = Some(*ending);
                self.log(at, format!("the match is over after {games} games"));
            }
        }
    }

    /// Games go to the journal; those of an earlier run are in it already.
    fn follow_journal(&mut self, path: &Path, done: u64) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if done > 0 {
            replay_journal(&path, |game| self.count(game));
        }
        self.games = Arc::new(Games::of_journal(self.plan.clone(), path));
    }

    fn count(&mut self, game: &GameRecord) {
        if !self.schedule.owes(&game.slot) {
            return;
        }
        self.schedule.record(&game.slot, game.result.points);
        if let Some(tuning) = &mut self.tuning {
            tuning.record(&game.slot, game.result.points);
        }
        self.standings.add(game, &|number| self.schedule.partner(number));
        let pairs = self.counts_pairs();
        self.course.add(&self.standings, |tally| observations(tally, pairs));
        self.contests.finished(game);
        self.workers.add(game);
        self.games.keep(game);
        self.results.push_front(self.games.row(game));
        self.results.truncate(RESULTS);
        for fault in &game.faults {
            let engine = self.plan.engines.get(fault.engine);
            self.faults.push_front(FaultRow {
                game: game.slot.number + 1,
                engine: engine.map_or_else(String::new, |engine| engine.name().to_owned()),
                kind: fault.kind.label(),
                detail: fault.detail.clone(),
                evidence: fault.evidence.as_ref().map(|path| (path.clone(), evidence(path))),
            });
            self.faults.truncate(FAULTS);
        }
    }

    /// Whether the test counts pairs, or games one by one.
    fn counts_pairs(&self) -> bool {
        let single = self.plan.sprt.as_ref().is_some_and(|sprt| sprt.model == Model::BayesElo);
        self.plan.tournament.repeat > 1 && !single
    }

    /// Pairs, or games, of a tally.
    fn observations(&self, tally: &Tally) -> u64 {
        observations(tally, self.counts_pairs())
    }

    fn log(&mut self, at: u64, line: String) {
        self.log.push_front((at, line));
        self.log.truncate(LOG_LINES);
    }

    fn progress_line(&self) -> String {
        let games = self.standings.games;
        match self.total {
            Some(total) => format!("{games} of {total} games"),
            None => format!("{games} games"),
        }
    }
}

fn observations(tally: &Tally, pairs: bool) -> u64 {
    if pairs { tally.pair_count() } else { tally.games() }
}

/// The end of a file with evidence.
fn evidence(path: &str) -> String {
    let mut text = Vec::new();
    if let Ok(mut file) = File::open(path)
        && let Ok(meta) = file.metadata()
        && meta.is_file()
        && file.seek(SeekFrom::Start(meta.len().saturating_sub(EVIDENCE))).is_ok()
    {
        let _ = file.take(EVIDENCE).read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn resumed(done: u64) -> String {
    if done > 0 { format!(" again after {done} games") } else { String::new() }
}

fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as u64)
}
