//! The boards: threads that take games from the schedule and play them.

use super::control::Control;
use super::engine_slot::{EngineSlot, settings};
use super::openings::Openings;
use super::plan::Plan;
use super::play::{House, Played, play};
use super::record::GameRecord;
use super::schedule::{Next, Schedule, Slot};
use crossbeam_channel::Sender;
use dyno_driver::{CpuColocation, EngineError, Interrupt, Log, pin_current_thread};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An engine that cannot be started is tried this often before the match is given up.
const START_ATTEMPTS: u32 = 3;
const NAP: Duration = Duration::from_millis(100);
/// A move that takes less is quick: waking a processor would be a good part of it.
const QUICK: Duration = Duration::from_micros(200);

/// What a board reports.
pub enum Message {
    Started(Slot),
    Finished(Box<GameRecord>),
    Abandoned(Slot),
    /// An engine that does not start.
    Failed(EngineError),
    /// A board is done: for good, or because fewer games at once are wanted.
    Left {
        board: usize,
        for_good: bool,
    },
}

/// What the desk says to a board.
enum Turn {
    Play(Slot),
    Surplus,
    Over,
}

/// What all boards share.
pub struct Hall<'a> {
    pub plan: &'a Plan,
    pub house: House,
    pub openings: Openings,
    pub control: &'a Control,
    pub log: Option<Log>,
    pub desk: Mutex<Desk>,
    pub news: Condvar,
    /// Breaks off all searches once it is 1.
    pub stop_now: Arc<AtomicUsize>,
}

/// Where games are handed out.
pub struct Desk {
    pub schedule: Schedule,
    pub closed: bool,
}

impl Hall<'_> {
    /// Hands out no more games.
    pub fn close(&self) {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.news.notify_all();
    }

    /// Breaks off the running games too.
    pub fn stop(&self) {
        self.close();
        self.stop_now.store(1, Ordering::Relaxed);
    }

    pub fn with_schedule<T>(&self, act: impl FnOnce(&mut Schedule) -> T) -> T {
        let result = act(&mut self.desk.lock().unwrap_or_else(PoisonError::into_inner).schedule);
        self.news.notify_all();
        result
    }

    /// The next game for a board; waits while there may be one later.
    fn take(&self, board: usize) -> Turn {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if desk.closed || self.control.winding_down() {
                return Turn::Over;
            }
            if board >= self.control.concurrency() {
                return Turn::Surplus;
            }
            if !self.control.is_paused() {
                match desk.schedule.hand_out() {
                    Next::Game(slot) if self.may_start(&slot) => return Turn::Play(slot),
                    Next::Game(slot) => {
                        desk.schedule.put_back(&slot);
                        desk.closed = true;
                        return Turn::Over;
                    }
                    Next::Done => return Turn::Over,
                    Next::Wait => {}
                }
            }
            let wait = self.news.wait_timeout(desk, NAP);
            desk = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// When the user wants to stop after the current pairs, only second games are still started.
    fn may_start(&self, slot: &Slot) -> bool {
        !self.control.is_stopping_after_pair()
            || slot.partner.is_some_and(|partner| partner < slot.number)
    }
}

/// One board until there is nothing more to play on it.
pub fn work(hall: &Hall<'_>, board: usize, report: &Sender<Message>) {
    let mut slots: Vec<EngineSlot> = (0..hall.plan.engines.len())
        .map(|index| EngineSlot::new(hall.plan, index, board_settings(hall, board, index)))
        .collect();
    let tell = |message| report.send(message).is_ok();
    let spot = place(hall.plan, board);
    let (mut first, mut quick) = (true, false);
    let for_good = loop {
        let slot = match hall.take(board) {
            Turn::Play(slot) => slot,
            Turn::Surplus => break false,
            Turn::Over => break true,
        };
        if !std::mem::take(&mut first) {
            rest(hall);
        }
        if !tell(Message::Started(slot)) {
            break true;
        }
        let played = one_game(hall, slot, &mut slots, spot.as_ref().filter(|_| quick));
        if let Some(live) = &hall.house.live {
            live.remove(slot.number);
        }
        match played {
            Ok(Played::Finished(record)) => {
                quick = is_quick(&record);
                tell(Message::Finished(record));
            }
            Ok(Played::Interrupted) | Err(EngineError::Interrupted) => {
                tell(Message::Abandoned(slot));
            }
            Err(error) => {
                tell(Message::Abandoned(slot));
                tell(Message::Failed(error));
                break true;
            }
        }
    };
    for mut engine_slot in slots {
        // After a stop nobody waits for courtesies.
        if hall.stop_now.load(Ordering::Relaxed) > 0 {
            engine_slot.discard();
        } else {
            engine_slot.retire();
        }
    }
    tell(Message::Left { board, for_good });
}

fn one_game(
    hall: &Hall<'_>,
    slot: Slot,
    slots: &mut [EngineSlot],
    spot: Option<&CpuColocation>,
) -> Result<Played, EngineError> {
    for (index, engine_slot) in slots.iter_mut().enumerate() {
        match index == slot.white || index == slot.black {
            true => prepare(engine_slot)?,
            // Two processes a board are enough.
            false => engine_slot.retire(),
        }
    }
    let start = hall.openings.nth(slot.opening);
    // With processors to spare, everybody may spread; engines that think are left alone as well.
    let spot = spot.filter(|spot| hall.control.concurrency() >= spot.cpu_count());
    match slots.get_disjoint_mut([slot.white, slot.black]) {
        Ok([white, black]) => {
            if let Some(spot) = spot {
                spot.run_pinned(|| {
                    [&mut *white, &mut *black].into_iter().try_for_each(|c| meet(c, spot))
                })?;
            }
            Ok(play(&hall.house, slot, start, white, black))
        }
        Err(_) => Ok(Played::Interrupted),
    }
}

/// Whether most moves were made at once, so that the next game is better played on one processor.
fn is_quick(record: &GameRecord) -> bool {
    let quick = record.moves.iter().filter(|mv| mv.elapsed() < QUICK).count();
    2 * quick > record.moves.len()
}

/// Brings an engine to the board's processor. One that fails there is replaced.
fn meet(engine_slot: &mut EngineSlot, spot: &CpuColocation) -> Result<(), EngineError> {
    match engine_slot.engine()?.colocate(spot) {
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
        Err(_) => {
            engine_slot.discard();
            prepare(engine_slot)
        }
        Ok(()) => Ok(()),
    }
}

fn prepare(engine_slot: &mut EngineSlot) -> Result<(), EngineError> {
    let mut attempt = 1;
    loop {
        match engine_slot.prepare() {
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(_) if attempt < START_ATTEMPTS => attempt += 1,
            done => return done,
        }
    }
}

/// The pause between two games, if the plan has one.
fn rest(hall: &Hall<'_>) {
    let end = Instant::now() + Duration::from_millis(hall.plan.tournament.wait_ms);
    while Instant::now() < end && !hall.control.winding_down() {
        std::thread::sleep(NAP.min(end.saturating_duration_since(Instant::now())));
    }
}

fn board_settings(hall: &Hall<'_>, board: usize, index: usize) -> dyno_driver::Settings {
    let stop = Interrupt::new(hall.stop_now.clone(), 1);
    let label = format!("{}#{}", hall.plan.engines[index].name(), board + 1);
    settings(&hall.plan.machine, hall.log.clone(), Some(label), Some(stop), cpus(hall.plan, board))
}

/// Where the parties of a board meet before a game. Engines that think at the same time, or with
/// several threads, are better apart; pinned ones have their place, and the board goes there too.
fn place(plan: &Plan, board: usize) -> Option<CpuColocation> {
    if plan.threads() > 1 || plan.engines.iter().any(|engine| engine.ponder) {
        return None;
    }
    match cpus(plan, board).as_slice() {
        [] => CpuColocation::for_board(board),
        pinned => {
            pin_current_thread(pinned);
            None
        }
    }
}

/// The processors of a board, when engines are to be pinned: as many as an engine has threads.
fn cpus(plan: &Plan, board: usize) -> Vec<usize> {
    if !plan.machine.affinity {
        return Vec::new();
    }
    let all: Vec<usize> = match plan.machine.cpus.as_slice() {
        [] => (0..std::thread::available_parallelism().map_or(1, usize::from)).collect(),
        chosen => chosen.to_vec(),
    };
    let width = plan.threads().min(all.len()).max(1);
    (0..width).map(|i| all[(board * width + i) % all.len()]).collect()
}
