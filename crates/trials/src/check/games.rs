//! Games of the engine against itself, move by move in the open, so that whatever goes wrong can be
//! said again: by nodes or depth, which a fresh process repeats exactly, or by the clock.

use super::engine::TestedEngine;
use super::limits::{NO_MOVE_YET, illegal_in};
use super::needs::Need;
use super::outcome::{Finding, Findings, rule_name};
use super::script::Script;
use super::session::Session;
use super::stop::Stop;
use super::transcript::{Search, is_no_move, search, until_ready};
use dyno_chess::diagnose::Surplus;
use dyno_chess::{Move, Position, SplitMix64};
use dyno_uci::{ILLEGAL_TABLE_MOVES, Info};
use std::time::Duration;

/// A clock for each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    pub base_ms: u64,
    pub increment_ms: u64,
}

/// How moves are limited.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    /// The same `go` for every move.
    Fixed(String),
    /// A clock that is charged the engine's own time.
    Clock(Clocks),
}

/// What the pipe and the timer of a system may cost.
const LATE: Duration = Duration::from_millis(15);

/// Half-moves that are played at random before the engine takes over, and at most in all.
const OPENING: usize = 8;
const MOST_PLIES: usize = 160;

impl Session<'_> {
    /// What ends a search after a few milliseconds, the same on a busy machine: nodes where they
    /// are kept, else a depth, else a time.
    pub fn short_search(&mut self, ms: u64) -> Result<String, Stop> {
        let reach = self.reach()?;
        let speed = reach.speed.filter(|_| reach.tells_nodes);
        if let Some(speed) = speed
            && self.broken(Need::Nodes)?.is_none()
        {
            // Two digits are enough to say it again.
            let nodes = (speed * ms as f64 / 1000.0).max(20.0);
            let step = 10f64.powf(nodes.log10().floor() - 1.0).max(1.0);
            return Ok(format!("go nodes {}", ((nodes / step).round() * step) as u64));
        }
        Ok(match reach.depth_within(ms) {
            Some(depth) => format!("go depth {depth}"),
            None if self.broken(Need::Depth)?.is_none() => "go depth 1".to_owned(),
            None if self.broken(Need::Movetime)?.is_none() => format!("go movetime {ms}"),
            // A clock is what every engine knows.
            None => format!("go wtime {0} btime {0}", 40 * ms),
        })
    }

    /// The search that asks for no more than a move, in words that this engine keeps to.
    pub fn least_search(&mut self) -> Result<String, Stop> {
        let can = self.engine()?.capabilities();
        Ok(match () {
            () if !can.uci_commands && can.depth_limit => "go depth 1",
            () if !can.uci_commands => "go movetime 30",
            () if self.broken(Need::Depth)?.is_none() => "go depth 1",
            () if self.broken(Need::Movetime)?.is_none() => "go movetime 30",
            () => "go wtime 1000 btime 1000",
        }
        .to_owned())
    }
}

/// Plays games as long as there is time; says how many were played to their end.
pub(super) fn play(
    session: &mut Session<'_>,
    findings: &Findings,
    games: u32,
    pace: &Pace,
) -> Result<u32, Stop> {
    let mut random = SplitMix64::new(session.plan.seed ^ 0xD1A0);
    let warm = session.warm_search()?;
    let mut sides = [session.fresh()?, session.fresh()?];
    let mut played = 0;
    while played < games && !session.time_is_up() {
        let mut game = Game::new(&mut random);
        for engine in &mut sides {
            engine.new_game()?;
            until_ready(engine, Duration::from_secs(10))?;
        }
        let mut clock = match pace {
            Pace::Clock(clocks) => [clocks.base_ms as f64; 2],
            Pace::Fixed(_) => [0.0; 2],
        };
        while game.goes_on() && !session.time_is_up() {
            let side = game.words.len() % 2;
            let go = game.go(pace, clock);
            let found = search(&mut sides[side], &game.position(), &go, Duration::from_secs(10))?;
            // XBoard engines may claim a draw or resign instead of moving.
            if sides[side].capabilities().game_claims && is_no_move(&found.best) {
                break;
            }
            findings.judge();
            if let Pace::Clock(clocks) = pace {
                if found.late > LATE {
                    findings.push(lost_on_time(&found, clock[side], &warm));
                    break;
                }
                // What the machine has kept it waiting does not count.
                clock[side] -= found.own_time().as_secs_f64() * 1000.0;
                clock[side] = clock[side].max(1.0) + clocks.increment_ms as f64;
            }
            if !game.judge(&found, findings) {
                break;
            }
        }
        played += 1;
    }
    sides.into_iter().for_each(end);
    Ok(played)
}

fn end(engine: TestedEngine) {
    engine.into_engine().kill();
}

/// A game as it stands.
struct Game {
    played: dyno_chess::Game,
    words: Vec<String>,
}

impl Game {
    /// A game with a random opening, so that no two are alike.
    fn new(random: &mut SplitMix64) -> Game {
        loop {
            let played = dyno_chess::Game::new(Position::startpos());
            let mut game = Game { played, words: Vec::new() };
            while game.words.len() < OPENING {
                let moves = game.here().legal_moves();
                let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
                game.play(*mv);
            }
            if game.words.len() == OPENING && game.goes_on() {
                return game;
            }
        }
    }

    fn position(&self) -> String {
        format!("position startpos moves {}", self.words.join(" "))
    }

    fn here(&self) -> &Position {
        self.played.position()
    }

    fn play(&mut self, mv: Move) {
        self.words.push(self.here().uci(mv));
        self.played.play(mv);
    }

    /// Not where a draw can be claimed: an engine may take it for the end of the game.
    fn goes_on(&self) -> bool {
        self.words.len() < MOST_PLIES && self.played.adjudicated().is_none()
    }

    fn go(&self, pace: &Pace, clock: [f64; 2]) -> String {
        match pace {
            Pace::Fixed(go) => go.clone(),
            Pace::Clock(clocks) => {
                // The opening has an even number of half-moves: White is side 0.
                let left = clock.map(|ms| ms.max(1.0) as u64);
                let increment = clocks.increment_ms;
                format!("go wtime {} btime {} winc {increment} binc {increment}", left[0], left[1])
            }
        }
    }

    /// Judges an answer and plays it; false where the game cannot go on.
    fn judge(&mut self, found: &Search, findings: &Findings) -> bool {
        if let Some(bad) = illegal_pv(found) {
            findings.push(wrong_line(found, bad).board(self.here()));
        }
        if let Some(told) = illegal_table_moves(found) {
            findings.push(
                Finding::warn(told)
                    .expected("no move of another position under this one's key")
                    .cause("keys collide: too few bits are compared, or parts of the position are left out of the key")
                    .root("table moves")
                    .of(found, illegal_table_moves),
            );
        }
        if let Some(bad) = found.illegal_answer() {
            findings.push(self.illegal(bad, found));
            return false;
        }
        let Ok(mv) = self.here().parse_uci(&found.best) else { return false };
        let next = self.here().play(mv);
        if let Some(bad) = found.illegal_ponder() {
            findings.push(
                Finding::fail(bad)
                    .expected("a ponder move that is legal after the best move")
                    .cause("the ponder move is taken from the table or from an older PV without a check")
                    .board(&next)
                    .root("ponder move")
                    .of(found, Search::illegal_ponder),
            );
        }
        self.play(mv);
        true
    }
}

impl Game {
    /// The finding of an illegal move: a rule that is broken, or no move at all.
    fn illegal(&self, seen: String, found: &Search) -> Finding {
        let finding = Finding::fail(seen).expected("a legal move").board(self.here());
        let rule = dyno_chess::diagnose::surplus(self.here(), &found.best, &[]);
        let finding = if is_no_move(&found.best) || rule == Surplus::NotAMove {
            finding
                .cause("no move is known before the first iteration ends: start with the first legal one")
                .root(NO_MOVE_YET)
        } else {
            finding
                .cause("the rule named, in the generator or when moves are made and taken back; or a table move that is not checked")
                .rule(&rule)
        };
        finding.of(found, Search::illegal_answer)
    }
}

/// The finding, where a line is not legal to its end.
pub(super) fn wrong_line(found: &Search, seen: String) -> Finding {
    let finding = Finding::fail(seen)
        .expected("every move of a PV is legal where it stands")
        .cause("the PV is read from the table after it was overwritten, or a table move of another position is not checked for legality")
        .root("info IllegalPv")
        .of(found, illegal_pv);
    let Some(rule) = rule_broken_in_pv(found) else { return finding };
    let finding = finding.suffers_from(rule_name(&rule));
    match is_special(&rule) {
        true => finding.cause(format!(
            "the move generator, or a table move that is not checked for legality: {rule}"
        )),
        false => finding,
    }
}

/// Rules that point to the generator: a line from another position rarely breaks them.
fn is_special(rule: &Surplus) -> bool {
    matches!(
        rule,
        Surplus::EnPassantNotPossible
            | Surplus::EnPassantExposesKing
            | Surplus::CastlingRightAfterRookTaken
            | Surplus::CastlingRightAfterRookMoved
            | Surplus::CastlingRightAfterKingMoved
            | Surplus::CastlingOutOfCheck
            | Surplus::CastlingThroughAttack
            | Surplus::CastlingThroughPiece
    )
}

/// The rule that the first illegal move of a line breaks.
fn rule_broken_in_pv(found: &Search) -> Option<Surplus> {
    let start = found.position()?;
    let thought = found.thoughts.iter().find(|t| illegal_in(&start, &t.pv).is_some())?;
    let (mut here, mut past) = (start, Vec::new());
    for word in &thought.pv {
        let Ok(mv) = here.parse_uci(word) else {
            return Some(dyno_chess::diagnose::surplus(&here, word, &past));
        };
        past.push((here, mv));
        here = here.play(mv);
    }
    None
}

pub(super) fn illegal_pv(found: &Search) -> Option<String> {
    let position = found.position()?;
    found.thoughts.iter().find_map(|t| {
        let bad = illegal_in(&position, &t.pv)?;
        Some(format!("illegal {bad} in the PV of: {}", t.line))
    })
}

/// Illegal moves from its own table that the engine tells of.
fn illegal_table_moves(found: &Search) -> Option<String> {
    found.thoughts.iter().find_map(|t| {
        let text = Info::parse(&t.line, &mut |_| {}).string?;
        let count: u64 = text.strip_prefix(ILLEGAL_TABLE_MOVES)?.trim().parse().ok()?;
        (count > 0).then(|| format!("{count} illegal moves from its own table, refused"))
    })
}

fn lost_on_time(found: &Search, had: f64, warm: &Script) -> Finding {
    let used = found.elapsed.as_secs_f64() * 1000.0;
    Finding::fail(format!("loses on time: takes {used:.0} ms with {had:.0} ms on its clock"))
        .expected("a bestmove before the clock runs out")
        .cause("no margin for the pipe: keep some ten milliseconds back")
        .root("loses on time")
        .shown_by(warm.clone().and(found.script()), |replay| {
            let late = replay.late()?;
            (late > LATE).then(|| format!("{:.0} ms too late", late.as_secs_f64() * 1000.0))
        })
        .every_time()
}
