//! A pool of boards in this process: one thread each.

use super::assignment::Assignment;
use super::board::Played;
use super::context::GameContext;
use super::error::MatchError;
use super::event::MoveMade;
use super::player::Player;
use super::pool::{Introduction, PoolReport, WorkerPool};
use super::slot::Slot;
use super::summary::Ending;
use crossbeam_channel::{Receiver, Sender, unbounded};
use dyno_driver::EngineError;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a board that has nothing to do looks for a change of the controls.
const NAP: Duration = Duration::from_millis(100);
/// How often moves are told.
const MOVES_EVERY: Duration = Duration::from_millis(100);

/// Boards that are threads of this process.
pub struct LocalPool {
    shared: Arc<SharedState>,
    boards: BTreeMap<usize, JoinHandle<()>>,
    /// The board that introduced the engines, for the first thread.
    introduced: Option<Player>,
    report: Sender<BoardReport>,
    reports: Receiver<BoardReport>,
    /// Moves taken from the boards and not told yet.
    moves: VecDeque<MoveMade>,
    moves_taken: Instant,
    /// Games submitted that have not come back.
    outstanding: usize,
    /// Numbers of the games being played.
    running: BTreeSet<u64>,
}

/// What the threads share.
struct SharedState {
    context: Arc<GameContext>,
    queue: GameQueue,
    watching: AtomicBool,
    /// How the game of each board stands, where that was not told yet.
    latest: Mutex<BTreeMap<usize, MoveMade>>,
}

/// Games that wait for a board.
#[derive(Default)]
struct GameQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<Assignment>,
    closed: bool,
}

/// What a board says.
#[expect(clippy::large_enum_variant, reason = "there are a few of them a second")]
enum BoardReport {
    Pool(PoolReport),
    /// The board is done: for good, or because fewer games at once are wanted.
    Left(usize),
}

/// What the queue says to a board.
enum Turn {
    Play(Assignment),
    Leave,
}

impl LocalPool {
    pub fn new(context: GameContext) -> Self {
        let (report, reports) = unbounded();
        let shared = SharedState {
            context: Arc::new(context),
            queue: GameQueue::default(),
            watching: AtomicBool::new(false),
            latest: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
            boards: BTreeMap::new(),
            introduced: None,
            report,
            reports,
            moves: VecDeque::new(),
            moves_taken: Instant::now(),
            outstanding: 0,
            running: BTreeSet::new(),
        }
    }

    /// Starts the boards that are wanted and not there.
    fn staff(&mut self) {
        for board in 0..self.shared.context.control.concurrency() {
            if self.boards.contains_key(&board) {
                continue;
            }
            let (shared, report) = (Arc::clone(&self.shared), self.report.clone());
            let introduced = if board == 0 { self.introduced.take() } else { None };
            let thread = std::thread::spawn(move || {
                let player =
                    introduced.unwrap_or_else(|| Player::new(Arc::clone(&shared.context), board));
                shared.run_board(player, board, &report);
            });
            self.boards.insert(board, thread);
        }
    }

    /// Books what a board said; `None` when it is of no interest outside.
    fn take_in(&mut self, report: BoardReport) -> Option<PoolReport> {
        match report {
            BoardReport::Left(board) => {
                if let Some(thread) = self.boards.remove(&board) {
                    let _ = thread.join();
                }
                None
            }
            BoardReport::Pool(report) => {
                match &report {
                    PoolReport::Started(assignment) => {
                        self.running.insert(assignment.slot.number);
                    }
                    PoolReport::Finished(record) => self.came_back(&record.slot),
                    PoolReport::Returned(slot) => self.came_back(slot),
                    PoolReport::Move(_) | PoolReport::Warning(_) | PoolReport::Failed(_) => {}
                }
                Some(report)
            }
        }
    }

    fn came_back(&mut self, slot: &Slot) {
        self.outstanding = self.outstanding.saturating_sub(1);
        self.running.remove(&slot.number);
    }

    /// Takes from the boards how their games stand, if it is time to tell.
    fn take_moves(&mut self) -> bool {
        let watching = self.shared.watching.load(Ordering::Relaxed);
        if !watching || self.moves_taken.elapsed() < MOVES_EVERY {
            return false;
        }
        self.moves_taken = Instant::now();
        let latest = std::mem::take(&mut *lock(&self.shared.latest));
        self.moves.extend(latest.into_values());
        !self.moves.is_empty()
    }
}

impl WorkerPool for LocalPool {
    fn introduce(&mut self, first: Option<&Assignment>) -> Result<Introduction, MatchError> {
        let context = Arc::clone(&self.shared.context);
        let mut player = Player::new(Arc::clone(&context), 0);
        let waiting = std::thread::current();
        // On a thread of its own, so that Ctrl-C ends the wait for an engine that does not answer.
        let introduction = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let introduction = player.introduce(first);
                waiting.unpark();
                introduction
            });
            while !thread.is_finished() {
                if context.control.winding_down() {
                    context.stop();
                }
                std::thread::park_timeout(NAP);
            }
            thread.join().unwrap_or(Err(MatchError::BoardFailed))
        })?;
        self.introduced = Some(player);
        Ok(introduction)
    }

    fn watch_moves(&mut self) {
        self.shared.watching.store(true, Ordering::Relaxed);
    }

    /// Twice the boards: one game each to play, and the next one at hand.
    fn room(&self) -> usize {
        (2 * self.shared.context.control.concurrency()).saturating_sub(self.outstanding)
    }

    fn submit(&mut self, assignment: Assignment) {
        self.outstanding += 1;
        lock(&self.shared.queue.state).waiting.push_back(assignment);
        self.shared.queue.changed.notify_one();
        self.staff();
    }

    fn report(&mut self, patience: Duration) -> Option<PoolReport> {
        let deadline = Instant::now() + patience;
        loop {
            // Boards before moves: a game is told to have started before its first move.
            while let Ok(report) = self.reports.try_recv() {
                if let Some(report) = self.take_in(report) {
                    return Some(report);
                }
            }
            while let Some(made) = self.moves.pop_front() {
                if self.running.contains(&made.number) {
                    return Some(PoolReport::Move(made));
                }
            }
            if self.take_moves() {
                continue;
            }
            let until = match self.shared.watching.load(Ordering::Relaxed) {
                true => deadline.min(self.moves_taken + MOVES_EVERY),
                false => deadline,
            };
            match self.reports.recv_deadline(until) {
                Ok(report) => {
                    if let Some(report) = self.take_in(report) {
                        return Some(report);
                    }
                }
                Err(_) if Instant::now() >= deadline => return None,
                Err(_) => {}
            }
        }
    }

    fn running(&self) -> usize {
        self.running.len()
    }

    fn is_idle(&self) -> bool {
        self.outstanding == 0
    }

    fn recall(&mut self, unwanted: &dyn Fn(&Slot) -> bool) {
        let mut state = lock(&self.shared.queue.state);
        state.waiting.retain(|assignment| {
            let stays = !unwanted(&assignment.slot);
            if !stays {
                // We hold the other end.
                let returned = PoolReport::Returned(assignment.slot);
                let _ = self.report.send(BoardReport::Pool(returned));
            }
            stays
        });
    }

    fn stop(&mut self) {
        self.recall(&|_| true);
        self.shared.context.stop();
    }

    fn close(&mut self, _: Option<Ending>) {
        self.recall(&|_| true);
        lock(&self.shared.queue.state).closed = true;
        self.shared.queue.changed.notify_all();
        for (_, thread) in std::mem::take(&mut self.boards) {
            let _ = thread.join();
        }
        if let Some(mut player) = self.introduced.take() {
            player.dismiss();
        }
    }
}

impl Drop for LocalPool {
    /// Where a match fails, its games end with it.
    fn drop(&mut self) {
        if !self.is_idle() {
            self.stop();
        }
        self.close(None);
    }
}

impl SharedState {
    /// One board until there is nothing more to play on it.
    fn run_board(&self, mut player: Player, board: usize, report: &Sender<BoardReport>) {
        let mut seat = Seat { board, playing: None, report };
        let mut first = true;
        while let Turn::Play(assignment) = self.next_turn(board) {
            if !std::mem::take(&mut first) {
                self.rest();
            }
            seat.playing = Some(assignment.slot);
            seat.tell(PoolReport::Started(assignment.clone()));
            let mut watch = |made: MoveMade| drop(lock(&self.latest).insert(board, made));
            let watch = self
                .watching
                .load(Ordering::Relaxed)
                .then_some(&mut watch as &mut dyn FnMut(MoveMade));
            let played = player.play(&assignment, watch);
            lock(&self.latest).remove(&board);
            seat.playing = None;
            match played {
                Ok(Played::Finished(record)) => seat.tell(PoolReport::Finished(record)),
                Ok(Played::Interrupted) | Err(EngineError::Interrupted) => {
                    seat.tell(PoolReport::Returned(assignment.slot));
                }
                Err(error) => {
                    seat.tell(PoolReport::Returned(assignment.slot));
                    seat.tell(PoolReport::Failed(error.into()));
                    break;
                }
            }
        }
        player.dismiss();
    }

    /// The next game for a board; waits while there may be one later.
    fn next_turn(&self, board: usize) -> Turn {
        let control = &self.context.control;
        let mut state = lock(&self.queue.state);
        loop {
            if state.closed || self.context.is_stopped() || board >= control.concurrency() {
                return Turn::Leave;
            }
            if !control.is_paused()
                && !control.winding_down()
                && let Some(assignment) = state.waiting.pop_front()
            {
                return Turn::Play(assignment);
            }
            let wait = self.queue.changed.wait_timeout(state, NAP);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The pause between two games, if the plan has one.
    fn rest(&self) {
        let end = Instant::now() + Duration::from_millis(self.context.plan.tournament.wait_ms);
        while Instant::now() < end && !self.context.control.winding_down() {
            std::thread::sleep(NAP.min(end.saturating_duration_since(Instant::now())));
        }
    }
}

/// A board's place in the pool: when it is left, even by a panic, the pool gets to know.
struct Seat<'s> {
    board: usize,
    playing: Option<Slot>,
    report: &'s Sender<BoardReport>,
}

impl Seat<'_> {
    fn tell(&self, report: PoolReport) {
        // The pool outlives its boards.
        let _ = self.report.send(BoardReport::Pool(report));
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.playing.take() {
            self.tell(PoolReport::Returned(slot));
            self.tell(PoolReport::Failed(MatchError::BoardFailed));
        }
        let _ = self.report.send(BoardReport::Left(self.board));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
