//! The boards of a worker: a thread each, which keeps its engines from game to game of a match.

use dyno_driver::EngineError;
use dyno_tournament::{
    Assignment, GameContext, GameRecord, MoveMade, Played, Player, WorkerRecord,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// A lease is renewed at most this often, and only by a move.
const RENEWED: Duration = Duration::from_secs(5);
/// Moves are told at most this often.
const MOVES_EVERY: Duration = Duration::from_millis(200);

/// Games for one board, one after the other.
pub struct Job {
    pub run: String,
    pub pair: u64,
    pub games: Vec<Assignment>,
    pub context: Arc<GameContext>,
    pub stamp: WorkerRecord,
    /// Moves made so far in the games of the pair.
    pub moves: Arc<AtomicU64>,
    /// Of one pair in this many the coordinator wants the moves; of none if it is 0.
    pub watch: Arc<AtomicU64>,
}

impl Job {
    fn is_watched(&self) -> bool {
        let one_in = self.watch.load(Ordering::Relaxed);
        one_in > 0 && (self.pair / 2).is_multiple_of(one_in)
    }
}

/// What a board has to say.
#[derive(Debug)]
pub struct BoardNews {
    pub run: String,
    pub pair: u64,
    pub what: What,
}

#[derive(Debug)]
pub enum What {
    Started(u64),
    /// A move was made, for the first time in a while.
    Alive,
    Moved(Box<MoveMade>),
    Finished(Box<GameRecord>),
    /// The job is over: with all its games, or with a reason why not.
    Left {
        board: usize,
        failure: Option<Failure>,
    },
}

/// Why a job's games were not all played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Interrupted,
    Engine(String),
}

enum Task {
    Play(Box<Job>),
    /// A match is over: its engines go.
    Dismiss(String),
}

struct Board {
    tasks: mpsc::Sender<Task>,
    thread: Option<JoinHandle<()>>,
    is_busy: bool,
    /// The match whose engines it keeps.
    run: String,
}

pub struct Boards(Vec<Board>);

impl Boards {
    pub fn start(count: usize, news: &UnboundedSender<BoardNews>) -> Self {
        let start = |number: usize| {
            let (tasks, todo) = mpsc::channel();
            let news = news.clone();
            let thread = std::thread::spawn(move || play_all(number, &todo, &news));
            Board { tasks, thread: Some(thread), is_busy: false, run: String::new() }
        };
        Self((0..count).map(start).collect())
    }

    pub fn free(&self) -> usize {
        self.0.iter().filter(|board| !board.is_busy).count()
    }

    /// Gives a job to a free board, best to one with the engines of its match; `false` when there
    /// is none.
    pub fn play(&mut self, job: Job) -> bool {
        let suits = |board: &&mut Board| !board.is_busy && board.run == job.run;
        let board = match self.0.iter_mut().find(suits) {
            Some(board) => board,
            None => match self.0.iter_mut().find(|board| !board.is_busy) {
                Some(board) => board,
                None => return false,
            },
        };
        (board.is_busy, board.run) = (true, job.run.clone());
        board.tasks.send(Task::Play(Box::new(job))).is_ok()
    }

    pub fn left(&mut self, board: usize) {
        if let Some(board) = self.0.get_mut(board) {
            board.is_busy = false;
        }
    }

    pub fn dismiss(&self, run: &str) {
        for board in &self.0 {
            let _ = board.tasks.send(Task::Dismiss(run.to_owned()));
        }
    }

    /// Ends all boards once they are done with what they have.
    pub fn close(self) {
        let threads: Vec<_> = self.0.into_iter().map(|board| board.thread).collect();
        for thread in threads.into_iter().flatten() {
            let _ = thread.join();
        }
    }
}

/// One board until the worker ends.
fn play_all(board: usize, todo: &mpsc::Receiver<Task>, news: &UnboundedSender<BoardNews>) {
    let mut seated: Option<(String, Player)> = None;
    while let Ok(task) = todo.recv() {
        match task {
            Task::Play(job) => {
                if let Some((run, mut player)) = seated.take_if(|(run, _)| *run != job.run) {
                    player.dismiss();
                    drop(run);
                }
                let (_, player) = seated.get_or_insert_with(|| {
                    (job.run.clone(), Player::new(Arc::clone(&job.context), board))
                });
                let failure = play(player, &job, news).err();
                if failure.is_some()
                    && let Some((_, mut player)) = seated.take()
                {
                    player.dismiss();
                }
                tell(news, &job, What::Left { board, failure });
            }
            Task::Dismiss(run) => {
                if let Some((_, mut player)) = seated.take_if(|(seated, _)| *seated == run) {
                    player.dismiss();
                }
            }
        }
    }
    if let Some((_, mut player)) = seated {
        player.dismiss();
    }
}

fn tell(news: &UnboundedSender<BoardNews>, job: &Job, what: What) {
    let _ = news.send(BoardNews { run: job.run.clone(), pair: job.pair, what });
}

fn play(player: &mut Player, job: &Job, news: &UnboundedSender<BoardNews>) -> Result<(), Failure> {
    for assignment in &job.games {
        tell(news, job, What::Started(assignment.slot.number));
        let (mut renewed, mut shown) = (Instant::now(), Instant::now());
        let mut watch = |made: MoveMade| {
            job.moves.fetch_add(1, Ordering::Relaxed);
            if renewed.elapsed() >= RENEWED {
                renewed = Instant::now();
                tell(news, job, What::Alive);
            }
            if job.is_watched() && shown.elapsed() >= MOVES_EVERY {
                shown = Instant::now();
                tell(news, job, What::Moved(Box::new(made)));
            }
        };
        match player.play(assignment, Some(&mut watch)) {
            Ok(Played::Finished(mut record)) => {
                record.worker = Some(job.stamp.clone());
                tell(news, job, What::Finished(record));
            }
            Ok(Played::Interrupted) | Err(EngineError::Interrupted) => {
                return Err(Failure::Interrupted);
            }
            Err(error) => return Err(Failure::Engine(error.to_string())),
        }
    }
    Ok(())
}
