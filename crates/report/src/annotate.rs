//! What looking at games again came to.

use crate::number::{fixed, grouped};
use crate::row;
use crate::terminal::{Table, left, right};
use dyno_trials::annotate::AnnotateResult;

/// The players' records, then the worst slips, up to a limit.
#[must_use]
pub fn annotate_summary(result: &AnnotateResult, slips: usize) -> String {
    let mut text = format!(
        "{} games of {}, {} positions in {} s, by {}\n",
        grouped(result.games),
        result.source,
        grouped(result.positions),
        fixed(result.header.seconds, 1),
        result.engine.name
    );
    let mut table = Table::new([
        left("Player"),
        right("Games"),
        right("Moves"),
        right("Agreement"),
        right("Loss a move"),
        right("?!"),
        right("?"),
        right("??"),
    ]);
    for player in &result.players {
        table.push(row![
            player.name.clone(),
            player.games,
            player.moves,
            player.agreement().map(|share| format!("{} %", fixed(100.0 * share, 1))),
            player.mean_loss().map(|loss| format!("{} cp", fixed(loss, 1))),
            player.inaccuracies,
            player.mistakes,
            player.blunders
        ]);
    }
    text += &format!("\n{table}");
    for slip in result.slips.iter().take(slips) {
        text += &format!(
            "  game {}, {}: {}{} ({} to {}){}\n",
            slip.game,
            slip.player,
            slip.mv,
            if slip.judgement.nag() == 4 { "??" } else { "?" },
            slip.before,
            slip.after,
            if slip.best.is_empty() { String::new() } else { format!("; {} was best", slip.best) },
        );
    }
    if result.slips.len() > slips {
        text += &format!("  and {} more\n", grouped((result.slips.len() - slips) as u64));
    }
    if result.crashes > 0 {
        text += &format!("{} positions on which the engine failed\n", grouped(result.crashes));
    }
    if result.bad_games > 0 {
        text += &format!("{} games could not be read\n", grouped(result.bad_games));
    }
    if result.interrupted {
        text += "interrupted: the games that were done are written\n";
    }
    text
}
