//! Games looked at again by an engine: an evaluation of every position, the moves that threw
//! something away, and how often each player chose the engine's move.

mod judgement;
mod players;

pub use judgement::{Evaluation, Judgement};
pub use players::{PlayerRecord, Slip};

use crate::in_order;
use dyno_chess::Position;
use dyno_driver::{Engine, EngineError, EngineIdentity, EngineSpec, Go, RunHeader, Settings};
use dyno_formats::Opened;
use dyno_formats::pgn::{PgnGame, PgnReader, Reason};
use players::Players;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How games are looked at.
#[derive(Clone, Debug)]
pub struct AnnotatePlan {
    /// Who looks at them.
    pub engine: EngineSpec,
    /// Patience and transcript; its interrupt ends the run with what is done.
    pub settings: Settings,
    /// The limit of each search.
    pub go: Go,
    /// After this long a search is stopped.
    pub timeout: Option<Duration>,
    /// Half-moves of each game to leave out.
    pub skip: usize,
    /// Positions looked at side by side, each by a process of its own.
    pub workers: usize,
}

/// Why games could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum AnnotateError {
    /// The input cannot be read any further.
    #[error("cannot read {name}: {reason}")]
    Read {
        /// The input.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// The output cannot be written.
    #[error("cannot write the games")]
    Write(#[source] io::Error),
    /// The engine cannot be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AnnotateResult {
    /// What the run was.
    #[serde(flatten)]
    pub header: RunHeader<Value>,
    /// The input.
    pub source: String,
    /// Who looked.
    pub engine: EngineIdentity,
    /// Games looked at to their end.
    pub games: u64,
    /// Games that could not be read.
    pub bad_games: u64,
    /// Positions looked at.
    pub positions: u64,
    /// Positions on which the engine crashed or hung.
    pub crashes: u64,
    /// The players, in the order of their first game.
    pub players: Vec<PlayerRecord>,
    /// Blunders and mistakes, the costliest first.
    pub slips: Vec<Slip>,
    /// The user stopped it; the games done are written.
    pub interrupted: bool,
}

/// What happens on the way, in the order of the games.
#[derive(Debug)]
pub enum AnnotateEvent<'a> {
    /// A game with its evaluations.
    Game(&'a PgnGame),
    /// A game that could not be read.
    BadGame(&'a str),
    /// The engine failed on a position.
    Trouble(&'a str),
    /// Games and positions so far.
    Progress(u64, u64),
}

enum Job {
    Game(Box<PgnGame>),
    Look(Box<Position>),
    BadGame { error: String, fatal: bool },
}

enum Answer {
    Game(Box<PgnGame>),
    Seen(Option<Evaluation>),
    Trouble(EngineError),
    BadGame { error: String, fatal: bool },
    Failed(EngineError),
}

type Listener<'a> = dyn FnMut(AnnotateEvent<'_>) -> io::Result<()> + 'a;

/// Looks at all games of a file.
pub fn annotate(
    plan: &AnnotatePlan,
    source: &str,
    opened: Opened,
    listen: &mut Listener<'_>,
) -> Result<AnnotateResult, AnnotateError> {
    let began = Instant::now();
    // To know that it runs and who it is, before the first game is read.
    let engine = Engine::start(&plan.engine, &plan.settings)?;
    let identity = engine.record();
    engine.quit();
    let recorded = json!({ "source": source, "limit": plan.go.to_string(), "skip": plan.skip });
    let header = RunHeader::begin("annotate", recorded).engines(vec![identity.clone()]);
    let result = AnnotateResult {
        header,
        source: source.to_owned(),
        engine: identity,
        ..AnnotateResult::default()
    };
    let mut session = Session { plan, result, players: Players::default(), open: None };
    let mut failure = None;
    in_order(
        plan.workers,
        jobs(opened, plan.skip),
        |_| Analyst { plan, engine: None },
        |analyst, job| analyst.work(job),
        |answer| match session.take(answer, listen) {
            Ok(flow) => flow,
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    session.result.interrupted |= session.is_stopped();
    session.result.header.seconds = began.elapsed().as_secs_f64();
    let Session { mut result, players, .. } = session;
    (result.players, result.slips) = players.finish();
    failure.map_or(Ok(result), Err)
}

/// Each game, followed by its positions.
fn jobs(opened: Opened, skip: usize) -> impl Iterator<Item = Job> + Send + use<> {
    PgnReader::new(opened.reader).flat_map(move |game| match game {
        Ok(game) => {
            let looks: Vec<Job> =
                game.positions().skip(skip).map(|position| Job::Look(Box::new(position))).collect();
            std::iter::once(Job::Game(Box::new(game))).chain(looks).collect()
        }
        Err(error) => {
            let fatal = matches!(error.problem.reason, Reason::Line { fatal: true, .. });
            vec![Job::BadGame { error: error.to_string(), fatal }]
        }
    })
}

/// A game whose positions are coming in.
struct OpenGame {
    game: Box<PgnGame>,
    wanted: usize,
    seen: Vec<Option<Evaluation>>,
}

/// Puts the answers together.
struct Session<'a> {
    plan: &'a AnnotatePlan,
    result: AnnotateResult,
    players: Players,
    open: Option<OpenGame>,
}

impl Session<'_> {
    fn is_stopped(&self) -> bool {
        self.plan.settings.interrupt.as_ref().is_some_and(|interrupt| interrupt.requested())
    }

    fn take(
        &mut self,
        answer: Answer,
        listen: &mut Listener<'_>,
    ) -> Result<ControlFlow<()>, AnnotateError> {
        match answer {
            Answer::Game(game) => {
                let wanted = game.positions().count().saturating_sub(self.plan.skip);
                self.open = Some(OpenGame { game, wanted, seen: Vec::with_capacity(wanted) });
            }
            Answer::Seen(evaluation) => self.add(evaluation),
            Answer::Trouble(error) => {
                self.result.crashes += 1;
                self.add(None);
                listen(AnnotateEvent::Trouble(&error.to_string())).map_err(AnnotateError::Write)?;
            }
            Answer::BadGame { error, fatal } => {
                self.result.bad_games += 1;
                listen(AnnotateEvent::BadGame(&error)).map_err(AnnotateError::Write)?;
                if fatal {
                    let name = self.result.source.clone();
                    return Err(AnnotateError::Read { name, reason: error });
                }
            }
            Answer::Failed(EngineError::Interrupted) => {
                self.result.interrupted = true;
                return Ok(ControlFlow::Break(()));
            }
            Answer::Failed(error) => return Err(error.into()),
        }
        if let Some(done) = self.open.take_if(|open| open.seen.len() >= open.wanted) {
            let game = self.players.annotate(*done.game, self.plan.skip, &done.seen);
            self.result.games += 1;
            listen(AnnotateEvent::Game(&game)).map_err(AnnotateError::Write)?;
        }
        let (games, positions) = (self.result.games, self.result.positions);
        listen(AnnotateEvent::Progress(games, positions)).map_err(AnnotateError::Write)?;
        Ok(if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn add(&mut self, evaluation: Option<Evaluation>) {
        self.result.positions += 1;
        if let Some(open) = &mut self.open {
            open.seen.push(evaluation);
        }
    }
}

/// One process of the engine, made when it is needed and again after a crash.
struct Analyst<'a> {
    plan: &'a AnnotatePlan,
    engine: Option<Engine>,
}

impl Analyst<'_> {
    fn work(&mut self, job: Job) -> Answer {
        let position = match job {
            Job::Game(game) => return Answer::Game(game),
            Job::BadGame { error, fatal } => return Answer::BadGame { error, fatal },
            Job::Look(position) => position,
        };
        if let Some(over) = Evaluation::of_end(&position) {
            return Answer::Seen(Some(over));
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => match Engine::start(&self.plan.engine, &self.plan.settings) {
                Ok(engine) => engine,
                Err(error) => return Answer::Failed(error),
            },
        };
        match self.look(&mut engine, &position) {
            Ok(evaluation) => {
                self.engine = Some(engine);
                Answer::Seen(evaluation)
            }
            Err(error) => {
                engine.kill();
                if error.is_fatal() { Answer::Trouble(error) } else { Answer::Failed(error) }
            }
        }
    }

    fn look(
        &self,
        engine: &mut Engine,
        position: &Position,
    ) -> Result<Option<Evaluation>, EngineError> {
        let chess960 = position.is_chess960();
        if engine.option("UCI_Chess960").is_some() {
            engine.set_option("UCI_Chess960", if chess960 { "true" } else { "false" })?;
        }
        let fen = if chess960 { position.shredder_fen() } else { position.fen() };
        engine.prepare()?;
        let found = engine.go(&format!("fen {fen}"), &self.plan.go, self.plan.timeout)?;
        let best = position.parse_uci(&found.best).ok();
        Ok(found.info.score.map(|score| Evaluation { score, best }))
    }
}
