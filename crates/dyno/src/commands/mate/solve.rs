//! `dyno mate solve`: our own solver on one position.

use crate::exit::Exit;
use crate::interrupt;
use anyhow::Context;
use dyno_chess::{Color, Move, Position};
use dyno_driver::RunHeader;
use dyno_report::number;
use dyno_report::terminal::{Progress, println};
use dyno_solver::{Budget, Settled, Solver, Tree};
use dyno_trials::mate::san_line;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  dyno mate solve '8/8/8/8/8/5K2/4Q3/7k w - - 0 1' 1
  dyno mate solve r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 0 1 3 --tree
  dyno mate solve 'FEN' -- -2        is the side to move mated in 2, whatever it plays?

Only the board counts: the fifty-move rule and repetitions are not applied.
Exit codes: 0 mate proved, 1 refuted or not settled within --nodes, 2 bad usage, 130 interrupted.";

/// Prove the shortest mate in a position, or refute it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The position as FEN, quoted or not, and then the most moves the mate may take; negative: the
    /// side to move is the one to be mated
    #[arg(value_name = "FEN N", required = true, num_args = 1..=7, allow_negative_numbers = true)]
    problem: Vec<String>,

    /// Print the whole solution: every reply and its answer; of a refutation, the reply to every
    /// first move
    #[arg(long)]
    tree: bool,

    /// Give up after this many positions
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Memory of the solver, in MB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..65536))]
    hash: u32,

    /// Threads that share the first moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

/// The answer, for people and programs.
#[derive(Debug, Default, Serialize)]
struct Solution {
    #[serde(flatten)]
    header: RunHeader<Value>,
    fen: String,
    /// The most moves asked for; negative when the side to move is to be mated.
    asked: i32,
    /// `mate`, `none`, `not settled` or `interrupted`.
    result: &'static str,
    /// The shortest mate; negative when the side to move is mated.
    mate: Option<i32>,
    /// There is certainly no mate in this many moves.
    no_mate_in: u32,
    keys: Vec<String>,
    keys_uci: Vec<String>,
    line: String,
    line_uci: Vec<String>,
    /// With `--tree`: the whole solution, or the reply that refutes each first move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tree: Vec<String>,
    nodes: u64,
    time_ms: f64,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let (position, asked) = problem(&args.problem)?;
    let begun = Instant::now();
    let progress = (!args.quiet && !args.json).then(|| Progress::new("moves deep", None, false));
    let mut solver = Solver::with_threads(args.hash as usize, args.threads.into());
    let stop = interrupt::requested;
    let budget = Budget { nodes: args.nodes.unwrap_or(u64::MAX), stop: &stop };
    let plan = json!({ "fen": position.fen(), "moves": asked, "nodes": args.nodes, "threads": args.threads });
    let header = RunHeader::begin("mate solve", plan);
    let mut solution = Solution { header, fen: position.fen(), asked, ..Solution::default() };
    let deepen = |n: u32| progress.iter().for_each(|progress| progress.set(u64::from(n)));
    let saving = interrupt::hold();
    let shortest = shortest(&mut solver, &position, asked, &budget, &mut solution, deepen);
    solution.result = match shortest {
        Ok(Some(_)) => "mate",
        Ok(None) => "none",
        Err(_) if interrupt::requested() => "interrupted",
        Err(_) => "not settled",
    };
    if let Ok(found) = shortest {
        // What the budget or Ctrl-C leaves no time for stays empty; the answer itself stands.
        let _ = explain(&mut solver, &position, found, args.tree, &budget, &mut solution);
    }
    drop(saving);
    solution.nodes = solver.nodes();
    solution.header.seconds = begun.elapsed().as_secs_f64();
    solution.time_ms = solution.header.seconds * 1e3;
    drop(progress);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&solution)?);
    } else {
        println!("{}", text(&solution, &position));
    }
    Ok(match solution.result {
        _ if interrupt::requested() => Exit::Interrupted,
        "mate" => Exit::Passed,
        _ => Exit::Failed,
    })
}

/// The position and the number, however the FEN was quoted.
fn problem(words: &[String]) -> anyhow::Result<(Position, i32)> {
    let (number, fen) = words.split_last().context("give a FEN and a number of moves")?;
    anyhow::ensure!(
        matches!(fen.len(), 1 | 4 | 6),
        "give a FEN of four or six fields and then the number of moves, as in: '{}' 3",
        words.join(" ")
    );
    anyhow::ensure!(
        number != "0",
        "mate in 0 moves is not a question: give 1 or more, or -1 and less for the side to be mated"
    );
    let fen = fen.join(" ");
    let moves: i32 = number
        .parse()
        .ok()
        .filter(|moves: &i32| moves.unsigned_abs() <= 1000)
        .with_context(|| format!("{number:?} is not a number of moves"))?;
    let position = match fen.as_str() {
        "startpos" => Position::startpos(),
        fen => Position::from_fen(fen).with_context(|| format!("bad FEN {fen:?}"))?,
    };
    Ok((position, moves))
}

/// Deepens move by move, so that what is refuted so far is known when the budget runs out.
fn shortest(
    solver: &mut Solver,
    position: &Position,
    asked: i32,
    budget: &Budget<'_>,
    solution: &mut Solution,
    deepen: impl Fn(u32),
) -> Settled<Option<u32>> {
    let first = u32::from(asked > 0);
    for moves in first..=asked.unsigned_abs() {
        deepen(moves);
        let mates = if asked > 0 {
            solver.mates_within(position, moves, budget)?
        } else {
            solver.mated_within(position, moves, budget)?
        };
        if mates {
            let moves_signed = i32::try_from(moves).unwrap_or(i32::MAX);
            solution.mate = Some(if asked > 0 { moves_signed } else { -moves_signed });
            return Ok(Some(moves));
        }
        solution.no_mate_in = moves;
    }
    Ok(None)
}

/// Fills in keys, line and tree.
fn explain(
    solver: &mut Solver,
    position: &Position,
    found: Option<u32>,
    tree: bool,
    budget: &Budget<'_>,
    solution: &mut Solution,
) -> Settled<()> {
    let mating = solution.asked > 0;
    let Some(moves) = found else {
        if tree && mating {
            solution.tree = refutations(solver, position, solution.no_mate_in, budget)?;
        }
        return Ok(());
    };
    let line = if mating {
        let keys = solver.keys(position, moves, budget)?;
        solution.keys = keys.iter().map(|&mv| position.san(mv)).collect();
        solution.keys_uci = keys.iter().map(|&mv| position.uci(mv)).collect();
        solver.line(position, moves, budget)?
    } else {
        solver.line_when_mated(position, moves, budget)?
    };
    solution.line = san_line(position, &line);
    solution.line_uci = uci_line(position, &line);
    if tree && mating {
        for key in solver.keys(position, moves, budget)? {
            let tree = solver.tree(position, key, moves, budget)?;
            write_tree(&tree, position, 1, 0, &mut solution.tree);
        }
    } else if tree {
        for reply in &position.legal_moves() {
            let after = position.play(reply);
            solution.tree.push(numbered(position, 1, &position.san(reply)));
            if let Some(moves) = solver.shortest(&after, moves, budget)? {
                let line = solver.line(&after, moves, budget)?;
                if let Some(&key) = line.first() {
                    let tree = solver.tree(&after, key, moves, budget)?;
                    let number = 1 + usize::from(position.side_to_move() == Color::Black);
                    write_tree(&tree, &after, number, 1, &mut solution.tree);
                }
            }
        }
    }
    Ok(())
}

/// Each first move with a reply that refutes it.
fn refutations(
    solver: &mut Solver,
    position: &Position,
    moves: u32,
    budget: &Budget<'_>,
) -> Settled<Vec<String>> {
    let mut lines = Vec::new();
    for mv in &position.legal_moves() {
        let text = match solver.refutation(position, mv, moves, budget)? {
            Some(reply) => san_line(position, &[mv, reply]),
            None => format!("{} stalemate", san_line(position, &[mv])),
        };
        lines.push(text);
    }
    Ok(lines)
}

fn uci_line(position: &Position, line: &[Move]) -> Vec<String> {
    let mut at = *position;
    line.iter()
        .map(|&mv| {
            let text = at.uci(mv);
            at = at.play(mv);
            text
        })
        .collect()
}

fn numbered(position: &Position, number: usize, san: &str) -> String {
    let dots = if position.side_to_move() == Color::White { "." } else { "..." };
    format!("{number}{dots} {san}")
}

/// One line for each move of the attacker, indented by depth, with the reply it answers.
fn write_tree(
    tree: &Tree,
    position: &Position,
    number: usize,
    indent: usize,
    lines: &mut Vec<String>,
) {
    let san = numbered(position, number, &position.san(tree.mv));
    lines.push(format!("{}{san}", "    ".repeat(indent)));
    let next = position.play(tree.mv);
    let replies_number = number + usize::from(position.side_to_move() == Color::Black);
    for answer in &tree.answers {
        let reply = numbered(&next, replies_number, &next.san(answer.reply));
        let after = next.play(answer.reply);
        let then = &answer.then;
        let pad = "    ".repeat(indent + 1);
        if then.answers.is_empty() {
            let mate = numbered(&after, number + 1, &after.san(then.mv));
            lines.push(format!("{pad}{reply} {mate}"));
        } else {
            lines.push(format!("{pad}{reply}"));
            write_tree(then, &after, number + 1, indent + 2, lines);
        }
    }
}

fn text(solution: &Solution, position: &Position) -> String {
    let side = position.side_to_move();
    let none = match solution.no_mate_in {
        0 => String::new(),
        n => format!("; none in {n}"),
    };
    let mut lines = vec![match (solution.result, solution.mate) {
        ("mate", Some(0)) => format!("{side} is mated already"),
        ("mate", Some(mate)) if mate < 0 => {
            format!("{side} is mated in {}, whatever it plays: proved{none}", -mate)
        }
        ("mate", Some(mate)) => format!("Mate in {mate} for {side}: proved{none}"),
        ("none", _) if solution.asked > 0 => {
            format!("No mate in {} for {side}: refuted", solution.asked)
        }
        ("none", _) => {
            format!("{side} is not mated in {}: refuted", solution.asked.unsigned_abs())
        }
        ("interrupted", _) => format!("Interrupted before it was settled{none}"),
        _ => format!("Not settled within the budget{none}"),
    }];
    if solution.mate.is_some_and(|mate| mate != 0) && solution.line.is_empty() {
        let cause = if interrupt::requested() { "interrupted" } else { "the budget ran out" };
        lines.push(format!("The line was not worked out: {cause}"));
    }
    if !solution.keys.is_empty() {
        lines.push(format!("Keys   {}", solution.keys.join(", ")));
    }
    if !solution.line.is_empty() {
        lines.push(format!("Line   {}", solution.line));
    }
    lines.push(format!(
        "Nodes  {} in {}",
        number::grouped(solution.nodes),
        number::duration(Duration::from_secs_f64(solution.time_ms / 1e3))
    ));
    if !solution.tree.is_empty() {
        lines.push(String::new());
        lines.extend(solution.tree.iter().cloned());
    }
    lines.join("\n")
}
