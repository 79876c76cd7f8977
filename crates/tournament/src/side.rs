//! Asking an engine for a move, with its clock running, and letting it ponder meanwhile.

use super::engine_slot::EngineSlot;
use super::time_control::Clock;
use dyno_chess::{Color, Game, Move};
use dyno_driver::{Bound, Engine, EngineError, Go, ResultClaim, Score, SearchEvent};
use std::time::{Duration, Instant};

/// How long an engine may take to answer `stop` before it counts as hung.
pub const STOP_GRACE: Duration = Duration::from_millis(500);
/// How often the output of a pondering engine is read while the other one thinks.
const PONDER_POLL: Duration = Duration::from_millis(20);

/// One side of a board.
pub struct Side<'a> {
    pub engine_slot: &'a mut EngineSlot,
    pub color: Color,
    pub clock: Option<Clock>,
    /// The move this engine ponders on.
    guess: Option<Move>,
    /// The last exact score of the present search, with its depth: a search that is cut short often
    /// ends with a mere bound, which the rules on scores must not go by.
    pub exact: Option<(Score, Option<u32>)>,
    /// Whether it had pondered before its present move, and on the right one.
    pub ponder_hit: Option<bool>,
    pub bad_pvs: FaultCounter,
    /// Moves that the engine's table offered where they were not legal, as it tells.
    pub table_moves: FaultCounter,
    /// The last answer. The same again, now illegal, is the echo of an engine that answers twice.
    answer: String,
    /// It would take a draw, until its opponent has moved.
    offers_draw: bool,
}

/// A kind of minor fault in an engine's searches: how often, and the first time in words.
#[derive(Default)]
pub struct FaultCounter {
    pub count: u32,
    pub first: String,
}

impl FaultCounter {
    pub fn note(&mut self, count: u32, words: impl FnOnce() -> String) {
        if self.count == 0 && count > 0 {
            self.first = words();
        }
        self.count = self.count.saturating_add(count);
    }
}

/// What came of asking for a move.
pub enum Reply {
    Move {
        text: String,
        ponder: Option<String>,
        elapsed: Duration,
    },
    /// Nothing in time.
    Late {
        elapsed: Duration,
    },
    /// The engine gives up.
    Resigned,
    /// Both engines want a draw.
    Agreed,
    /// The engine says that it has won, though the game goes on.
    FalseClaim {
        words: String,
    },
    Gone(EngineError),
}

impl<'a> Side<'a> {
    pub fn new(engine_slot: &'a mut EngineSlot, color: Color) -> Self {
        let clock = engine_slot.budget.clock();
        Self {
            engine_slot,
            color,
            clock,
            guess: None,
            exact: None,
            ponder_hit: None,
            bad_pvs: FaultCounter::default(),
            table_moves: FaultCounter::default(),
            answer: String::new(),
            offers_draw: false,
        }
    }

    fn go(&self, theirs: Option<&Clock>) -> Go {
        self.engine_slot.budget.go(self.color, self.clock.as_ref(), theirs)
    }

    /// Asks for a move in the game, whose position `text` describes.
    pub fn ask(&mut self, other: &mut Side<'_>, text: &str, game: &Game) -> Reply {
        match self.try_ask(other, text, game) {
            Ok(reply) => reply,
            Err(error) => Reply::Gone(error),
        }
    }

    fn try_ask(
        &mut self,
        other: &mut Side<'_>,
        text: &str,
        game: &Game,
    ) -> Result<Reply, EngineError> {
        let began = self.set_thinking(other, text, game.moves().last().copied())?;
        let allowance = self.engine_slot.budget.allowance(self.clock.as_ref());
        // A patience without end would overflow the clock of the system.
        let deadline = began.checked_add(allowance);
        let engine = self.engine_slot.engine()?;
        loop {
            let until = match other.guess {
                Some(_) => Some(
                    deadline.map_or(began + PONDER_POLL, |d| d.min(Instant::now() + PONDER_POLL)),
                ),
                None => deadline,
            };
            match engine.poll(until)? {
                SearchEvent::Info { info, .. } => {
                    if let Some(score) = info.score
                        && info.bound == Bound::Exact
                        && info.multipv.unwrap_or(1) <= 1
                    {
                        self.exact = Some((score, info.depth));
                    }
                }
                SearchEvent::Best { best, .. }
                    if !self.answer.is_empty()
                        && best.text == self.answer
                        && game.position().parse_uci(best.text).is_err() =>
                {
                    engine.reject_stale_best_move(began);
                }
                SearchEvent::Best { best, elapsed } => {
                    self.answer.clear();
                    self.answer.push_str(best.text);
                    let (text, ponder) = (best.text.to_owned(), best.ponder.map(str::to_owned));
                    self.offers_draw |= engine.take_draw_offer();
                    if self.offers_draw && other.offers_draw {
                        return Ok(Reply::Agreed);
                    }
                    return Ok(Reply::Move { text, ponder, elapsed });
                }
                SearchEvent::DrawOffer => {
                    self.offers_draw = engine.take_draw_offer();
                    if self.offers_draw && other.offers_draw {
                        return Ok(Reply::Agreed);
                    }
                }
                SearchEvent::Claim { claim: ResultClaim::Resign | ResultClaim::Lost, .. } => {
                    return Ok(Reply::Resigned);
                }
                // Perhaps its next move brings the draw; then the rules will say so.
                SearchEvent::Claim { claim: ResultClaim::Drawn, .. } => engine.resume_search(began),
                SearchEvent::Claim { claim: ResultClaim::Won, words, .. } => {
                    return Ok(Reply::FalseClaim { words: words.chars().take(80).collect() });
                }
                SearchEvent::Deadline if deadline.is_some_and(|d| Instant::now() >= d) => {
                    return Ok(Reply::Late { elapsed: began.elapsed() });
                }
                SearchEvent::Deadline => other.read_pondering(),
            }
        }
    }

    /// Starts the engine's clock and search; `last` is the move it has to answer.
    fn set_thinking(
        &mut self,
        other: &Side<'_>,
        text: &str,
        last: Option<Move>,
    ) -> Result<Instant, EngineError> {
        let go = self.go(other.clock.as_ref());
        let guess = self.guess.take();
        self.exact = None;
        self.ponder_hit = guess.map(|guess| Some(guess) == last);
        let left = self.engine_slot.budget.allowance(self.clock.as_ref());
        self.offers_draw = false;
        let engine = self.engine_slot.engine()?;
        if other.offers_draw {
            engine.offer_draw()?;
        }
        match guess {
            Some(guess) if Some(guess) == last => engine.ponder_hit(),
            Some(_) => {
                // Stopping is not on its clock, but has a limit as well.
                end_search(engine, left + STOP_GRACE)?;
                engine.start_go(text, &go)
            }
            None => engine.start_go(text, &go),
        }
    }

    /// Reads what a pondering engine says, so that it never has to wait for us.
    fn read_pondering(&mut self) {
        let Ok(engine) = self.engine_slot.engine() else { return };
        let until = Instant::now() + Duration::from_millis(1);
        loop {
            match engine.poll(Some(until)) {
                Ok(SearchEvent::Info { .. }) if Instant::now() < until => {}
                // An unasked answer, or a death that its next turn will show.
                Ok(SearchEvent::Best { .. } | SearchEvent::Claim { .. }) | Err(_) => {
                    return self.guess = None;
                }
                _ => return,
            }
        }
    }

    /// Lets the engine think about its opponent's move, after its own.
    pub fn ponder(&mut self, text: &str, guess: Move, theirs: Option<&Clock>) {
        let go = Go { ponder: true, ..self.go(theirs) };
        let Ok(engine) = self.engine_slot.engine() else { return };
        if engine.start_go(text, &go).is_ok() {
            self.guess = Some(guess);
        }
    }

    /// Ends a search on the opponent's time; `false` when the engine does not obey.
    pub fn stop_pondering(&mut self) -> bool {
        match (self.guess.take(), self.engine_slot.engine()) {
            (Some(_), Ok(engine)) => end_search(engine, STOP_GRACE).is_ok(),
            _ => true,
        }
    }
}

/// Stops the running search and waits for its answer, which is ignored.
pub fn end_search(engine: &mut Engine, patience: Duration) -> Result<(), EngineError> {
    engine.stop()?;
    let began = Instant::now();
    let deadline = began.checked_add(patience);
    loop {
        match engine.poll(deadline)? {
            SearchEvent::Best { .. } | SearchEvent::Claim { .. } => return Ok(()),
            SearchEvent::Info { .. } | SearchEvent::DrawOffer => {}
            SearchEvent::Deadline => {
                let engine = engine.name().to_owned();
                return Err(EngineError::Hung { engine, after: began.elapsed() });
            }
        }
    }
}
