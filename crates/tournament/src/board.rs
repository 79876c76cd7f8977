//! One game: two engines, two clocks, every move checked.

use super::adjudication::Referee;
use super::assignment::Assignment;
use super::context::GameContext;
use super::engine_slot::EngineSlot;
use super::event::MoveMade;
use super::pv;
use super::record::{Fault, FaultKind, GameRecord, MoveRecord};
use super::result::{End, GameResult};
use super::side::{FaultCounter, Reply, STOP_GRACE, Side, end_search};
use super::slot::Slot;
use dyno_chess::{Color, Game, Move, Position};
use dyno_driver::EngineError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long its engine waited for a processor is asked only about moves that took a while.
const LONG_ENOUGH_TO_ASK: Duration = Duration::from_millis(2);

/// How a game went.
#[derive(Debug)]
pub enum Played {
    Finished(Box<GameRecord>),
    /// The game was broken off: by the user, or because the match is over.
    Interrupted,
}

/// A game in progress.
struct Board<'a> {
    context: &'a GameContext,
    slot: Slot,
    sides: [Side<'a>; 2],
    game: Game,
    referee: Referee,
    /// What follows UCI's `position`.
    text: String,
    moves: Vec<MoveRecord>,
    faults: Vec<Fault>,
    watch: Option<&'a mut dyn FnMut(MoveMade)>,
    /// What each side last expected: for those who watch, whatever the record keeps of it.
    shown_pvs: [String; 2],
}

/// Plays a game with engines that are ready for it.
pub fn play<'a>(
    context: &'a GameContext,
    assignment: &Assignment,
    white: &'a mut EngineSlot,
    black: &'a mut EngineSlot,
    watch: Option<&'a mut dyn FnMut(MoveMade)>,
) -> Played {
    let began = Instant::now();
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let start = &assignment.start;
    // Openings were checked when their book was read.
    let position = start.position(context.chess960).unwrap_or_else(|_| Position::startpos());
    let mut board = Board {
        context,
        slot: assignment.slot,
        sides: [Side::new(white, Color::White), Side::new(black, Color::Black)],
        text: match &start.fen {
            // In Chess960 engines are used to castling rights by the rooks' files.
            Some(_) if context.chess960 => format!("fen {}", position.shredder_fen()),
            Some(_) => format!("fen {}", position.fen()),
            None => "startpos".to_owned(),
        },
        game: Game::new(position),
        referee: Referee::default(),
        moves: Vec::with_capacity(128),
        faults: Vec::new(),
        watch,
        shown_pvs: Default::default(),
    };
    for text in &start.moves {
        if let Ok(mv) = board.game.position().parse_uci(text) {
            board.make(mv, text);
        }
    }
    let Some(result) = board.finish_game() else { return Played::Interrupted };
    board.close();
    Played::Finished(Box::new(GameRecord {
        slot: assignment.slot,
        result,
        started: started.as_millis() as u64,
        lasted: began.elapsed().as_millis() as u64,
        start: start.clone(),
        options: assignment.options.clone(),
        moves: board.moves,
        faults: board.faults,
        worker: None,
    }))
}

impl Board<'_> {
    /// Plays on until there is a result; `None` when interrupted.
    fn finish_game(&mut self) -> Option<GameResult> {
        let mut outcome = self.game.adjudicated();
        while outcome.is_none() {
            let mover = self.game.position().side_to_move();
            let score = if self.play_from_book(mover) {
                None
            } else {
                match self.next_move(mover) {
                    Ok(score) => score,
                    Err(end) => return end,
                }
            };
            self.show_move();
            outcome = self.game.adjudicated();
            if outcome.is_none()
                && let Some(result) =
                    self.referee.judge(&self.context.rules, &self.game, mover, score)
            {
                return Some(result);
            }
        }
        outcome.map(GameResult::by_rule)
    }

    /// Asks the engine and makes its move; an error is the end of the game (`None`: interrupted).
    fn next_move(
        &mut self,
        mover: Color,
    ) -> Result<Option<dyno_driver::Score>, Option<GameResult>> {
        let (me, other) = both(&mut self.sides, mover);
        match me.ask(other, &self.text, &self.game) {
            Reply::Move { text, ponder, elapsed } => self.answered(mover, &text, ponder, elapsed),
            Reply::Late { elapsed } => Err(Some(self.late(mover, elapsed))),
            Reply::Resigned => Err(Some(GameResult::loss(mover, End::Resignation))),
            Reply::Agreed => Err(Some(GameResult::draw(End::Agreement))),
            Reply::FalseClaim { words } => Err(Some(self.false_claim(mover, words))),
            Reply::Gone(EngineError::Interrupted) => Err(None),
            Reply::Gone(error) => Err(Some(self.gone(mover, &error))),
        }
    }

    fn answered(
        &mut self,
        mover: Color,
        text: &str,
        ponder: Option<String>,
        elapsed: Duration,
    ) -> Result<Option<dyno_driver::Score>, Option<GameResult>> {
        let (me, _) = both(&mut self.sides, mover);
        let budget = me.engine_slot.budget.clone();
        let had = budget.allowance(me.clock.as_ref());
        if !budget.charge(me.clock.as_mut(), elapsed) {
            let detail = format!("took {} of {}", show(elapsed), show(had));
            self.fault(mover, FaultKind::TimeLoss, detail);
            return Err(Some(GameResult::loss(mover, End::TimeForfeit)));
        }
        let Ok(mv) = self.game.position().parse_uci(text) else {
            return Err(Some(self.illegal(mover, text)));
        };
        self.note_pv(mover);
        self.note_table_moves(mover);
        let record = self.record(mover, mv, elapsed);
        let score = record.score;
        self.make(mv, &record.uci);
        self.moves.push(record);
        self.start_pondering(mover, ponder);
        Ok(score)
    }

    fn record(&mut self, mover: Color, mv: Move, elapsed: Duration) -> MoveRecord {
        let keep_pv = self.context.keep_pv;
        let uci = self.game.position().uci(mv);
        let (me, _) = both(&mut self.sides, mover);
        let left = me.clock.as_ref().map(|clock| nanos(clock.left()));
        let flipped = me.engine_slot.white_pov && mover == Color::Black;
        let exact = me.exact.take();
        let mut record = MoveRecord {
            uci,
            nanos: nanos(elapsed),
            left,
            ponder_hit: me.ponder_hit.take(),
            ..MoveRecord::default()
        };
        if let Ok(engine) = me.engine_slot.engine() {
            let info = engine.info();
            let (score, depth) = match exact {
                Some((score, depth)) => (Some(score), depth.or(info.depth)),
                None => (info.score, info.depth),
            };
            record.score = score.map(|s| if flipped { s.flipped() } else { s });
            record.depth = depth;
            record.seldepth = info.seldepth;
            record.nodes = info.nodes;
            record.nps = info.nps;
            record.hashfull = info.hashfull;
            record.tbhits = info.tbhits;
            record.own_ms = info.time_ms;
            record.wake_up = nanos(engine.wake_up_delay());
            if keep_pv {
                record.pv.clone_from(&info.pv);
            }
            if self.watch.is_some() {
                self.shown_pvs[mover.index()].clone_from(&info.pv);
            }
            if elapsed >= LONG_ENOUGH_TO_ASK {
                record.queued = nanos(engine.run_delay().min(elapsed));
            }
        }
        record
    }

    fn make(&mut self, mv: Move, text: &str) {
        self.text.push_str(if self.game.moves().is_empty() { " moves " } else { " " });
        self.text.push_str(text);
        self.game.play(mv);
    }

    /// A move from the engine's own opening book, made for it at no cost.
    fn play_from_book(&mut self, mover: Color) -> bool {
        let (me, _) = both(&mut self.sides, mover);
        let Some(book) = self.context.books.get(me.engine_slot.index).and_then(Option::as_ref)
        else {
            return false;
        };
        let seed = self.slot.opening;
        let Some(mv) = book.choose(self.game.position(), self.game.moves().len(), seed) else {
            return false;
        };
        me.stop_pondering();
        let uci = self.game.position().uci(mv);
        self.make(mv, &uci);
        self.moves.push(MoveRecord { uci, book: true, ..MoveRecord::default() });
        true
    }

    fn start_pondering(&mut self, mover: Color, wish: Option<String>) {
        let (me, other) = both(&mut self.sides, mover);
        if !me.engine_slot.ponders || self.game.adjudicated().is_some() {
            return;
        }
        let Some(wish) = wish else { return };
        if let Ok(guess) = self.game.position().parse_uci(&wish) {
            let text = format!("{} {wish}", self.text);
            me.ponder(&text, guess, other.clock.as_ref());
        }
    }

    /// A principal variation must be playable from where it begins.
    fn note_pv(&mut self, mover: Color) {
        let (me, _) = both(&mut self.sides, mover);
        let Ok(engine) = me.engine_slot.engine() else { return };
        let info = engine.info();
        let fault = match self.context.plan.check_mate_pvs {
            true => pv::full_check(&self.game, info),
            false => pv::first_illegal(self.game.position(), &info.pv),
        };
        let Some(fault) = fault else { return };
        let fen = || self.game.position().fen();
        me.bad_pvs.note(1, || format!("{fault} in \"{}\" from {}", info.pv, fen()));
    }

    /// An illegal move from the hash table does no harm, but it shows that keys collide.
    fn note_table_moves(&mut self, mover: Color) {
        let (me, _) = both(&mut self.sides, mover);
        let Ok(engine) = me.engine_slot.engine() else { return };
        let count = engine.info().illegal_table_moves.unwrap_or(0);
        let fen = || self.game.position().fen();
        me.table_moves.note(count, || format!("{count} refused in the search from {}", fen()));
    }

    fn illegal(&mut self, mover: Color, text: &str) -> GameResult {
        let text: String = text.chars().take(40).collect();
        let text = if text.is_empty() { "(none)".to_owned() } else { text };
        let detail = format!("{text} in {}", self.game.position().fen());
        self.fault(mover, FaultKind::IllegalMove, detail);
        GameResult::loss(mover, End::IllegalMove { text })
    }

    /// A win that the rules do not confirm is a loss: the engine that claims it does not play on.
    fn false_claim(&mut self, mover: Color, text: String) -> GameResult {
        let detail = format!("{text:?} in {}", self.game.position().fen());
        self.fault(mover, FaultKind::FalseClaim, detail);
        GameResult::loss(mover, End::FalseClaim { text })
    }

    /// The time is up. Whether the engine still listens decides if its process is kept.
    fn late(&mut self, mover: Color, elapsed: Duration) -> GameResult {
        let (me, _) = both(&mut self.sides, mover);
        let timed = me.engine_slot.budget.is_timed();
        let listens =
            me.engine_slot.engine().is_ok_and(|engine| end_search(engine, STOP_GRACE).is_ok());
        let detail = match listens {
            true => format!("no move after {}", show(elapsed)),
            false => format!("no move after {}, and stop was ignored", show(elapsed)),
        };
        let kind = if listens && timed { FaultKind::TimeLoss } else { FaultKind::Hang };
        self.fault(mover, kind, detail.clone());
        if !listens {
            self.engine_slot(mover).discard();
        }
        let end = if timed { End::TimeForfeit } else { End::Stall { detail } };
        GameResult::loss(mover, end)
    }

    fn gone(&mut self, mover: Color, error: &EngineError) -> GameResult {
        let detail = error.to_string();
        let hung = matches!(error, EngineError::NotReading { .. } | EngineError::Hung { .. });
        let kind = if hung { FaultKind::Hang } else { FaultKind::Crash };
        self.fault(mover, kind, detail.clone());
        self.engine_slot(mover).discard();
        let end = if hung { End::Stall { detail } } else { End::Disconnect { detail } };
        GameResult::loss(mover, end)
    }

    /// Notes a fault, with all that its author needs to see it happen.
    fn fault(&mut self, mover: Color, kind: FaultKind, detail: String) {
        let name = |index: usize| self.context.plan.engines[index].name();
        let (me, _) = both(&mut self.sides, mover);
        let engine = me.engine_slot.index;
        let (tail, stderr) = match me.engine_slot.engine() {
            Ok(engine) => (engine.transcript_tail(), engine.stderr()),
            Err(_) => Default::default(),
        };
        let transcript = format!(
            "{}: {}: {detail}\ngame {} ({} vs {}), {} to move\nFEN: {}\nposition {}\n\n\
             The end of the conversation (milliseconds, > to and < from the engine):\n{tail}\n\
             The end of its standard error:\n{stderr}\n",
            name(engine),
            kind.label(),
            self.slot.number + 1,
            name(self.slot.white),
            name(self.slot.black),
            mover,
            self.game.position().fen(),
            self.text,
        );
        let transcript = Some(transcript);
        self.faults.push(Fault { engine, kind, count: 1, detail, evidence: None, transcript });
    }

    /// Tells how the game stands, if that is of interest.
    fn show_move(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let moves = self.text.split_once(" moves ").map_or("", |(_, moves)| moves);
        let mut mover = self.game.position().side_to_move();
        let mut latest = self.moves.iter().rev().map(|record| {
            mover = !mover;
            MoveRecord { pv: self.shown_pvs[mover.index()].clone(), ..record.clone() }
        });
        let Some(last) = latest.next() else { return };
        watch(MoveMade {
            number: self.slot.number,
            ply: self.game.moves().len(),
            moves: moves.to_owned(),
            last,
            before: latest.next().map(Box::new),
        });
    }

    /// After the last move: no engine goes on thinking, and doubtful moves are put down.
    fn close(&mut self) {
        for side in &mut self.sides {
            if !side.stop_pondering() {
                side.engine_slot.discard();
            }
            for (kind, counter) in [
                (FaultKind::BadPv, &mut side.bad_pvs),
                (FaultKind::TableMove, &mut side.table_moves),
            ] {
                let FaultCounter { count, first: detail } = std::mem::take(counter);
                if count > 0 {
                    let engine = side.engine_slot.index;
                    self.faults.push(Fault {
                        engine,
                        kind,
                        count,
                        detail,
                        evidence: None,
                        transcript: None,
                    });
                }
            }
        }
    }

    fn engine_slot(&mut self, color: Color) -> &mut EngineSlot {
        both(&mut self.sides, color).0.engine_slot
    }
}

/// The sides as the mover and the other one.
fn both<'s, 'e>(
    sides: &'s mut [Side<'e>; 2],
    mover: Color,
) -> (&'s mut Side<'e>, &'s mut Side<'e>) {
    let [white, black] = sides;
    match mover {
        Color::White => (white, black),
        Color::Black => (black, white),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn show(duration: Duration) -> String {
    format!("{:.3} s", duration.as_secs_f64())
}
