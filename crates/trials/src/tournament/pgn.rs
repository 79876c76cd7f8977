//! A finished game as PGN, in the manner cutechess-cli and fastchess write it.

use super::plan::{Notation, PgnOutput, Plan, Variant};
use super::record::{GameRecord, MoveRecord, ReplayError};
use dyno_chess::{Color, Move, Position};
use dyno_driver::Score;
use dyno_formats::pgn::PgnText;
use std::fmt::Write;

/// The PGN of a game.
pub fn text(record: &GameRecord, plan: &Plan, output: &PgnOutput) -> Result<String, ReplayError> {
    let chess960 = plan.variant == Variant::FischeRandom;
    let mut game = record.opening(chess960)?;
    let mut pgn = PgnText::new();
    tags(&mut pgn, record, plan, output);
    pgn.start(game.start());
    let comments = !output.min;
    for (position, mv) in game.positions().iter().zip(game.moves()) {
        pgn.move_text(
            position,
            &notation(position, *mv, output),
            if comments { "book" } else { "" },
        );
    }
    if record.moves.is_empty() && comments {
        pgn.comment(&record.result.to_string());
    }
    let mut comment = String::new();
    for (i, done) in record.moves.iter().enumerate() {
        let before = *game.position();
        let fault = |e: dyno_chess::MoveTextError| ReplayError {
            number: record.slot.number + 1,
            reason: e.to_string(),
        };
        let mv = before.parse_uci(&done.uci).map_err(fault)?;
        comment.clear();
        if comments {
            describe(&mut comment, done, output);
            if i + 1 == record.moves.len() {
                // Writing into a string cannot fail.
                let _ = write!(comment, ", {}", record.result);
            }
        }
        pgn.move_text(&before, &notation(&before, mv, output), &comment);
        game.play(mv);
    }
    Ok(pgn.finish(record.result.points.text()))
}

fn tags(pgn: &mut PgnText, record: &GameRecord, plan: &Plan, output: &PgnOutput) {
    let name = |color| plan.engines[record.engine(color)].name.as_str();
    let (date, time) = utc(record.started);
    pgn.tag("Event", &plan.event).tag("Site", &plan.site).tag("Date", &date);
    pgn.tag("Round", &record.slot.round.to_string());
    pgn.tag("White", name(Color::White)).tag("Black", name(Color::Black));
    pgn.tag("Result", record.result.points.text());
    if plan.variant == Variant::FischeRandom {
        pgn.tag("Variant", "fischerandom");
    }
    if output.min {
        return;
    }
    let plies = record.start.moves.len() + record.moves.len();
    pgn.tag("GameNumber", &(record.slot.number + 1).to_string());
    pgn.tag("GameStartTime", &format!("{}T{time} UTC", date.replace('.', "-")));
    pgn.tag("GameDuration", &duration(record.lasted));
    pgn.tag("PlyCount", &plies.to_string());
    pgn.tag("Termination", record.result.termination().tag());
    let control = |color| limits_text(plan, record.engine(color));
    let (white, black) = (control(Color::White), control(Color::Black));
    if white == black {
        pgn.tag("TimeControl", &white);
    } else {
        pgn.tag("WhiteTimeControl", &white).tag("BlackTimeControl", &black);
    }
}

/// An engine's limits as the tag has them: the clock in PGN's manner, else the words used.
pub fn limits_text(plan: &Plan, engine: usize) -> String {
    let limits = &plan.engines[engine].limits;
    let control = limits.tc.map(|tc| tc.scaled(limits.tscale.unwrap_or(1.0)).to_string());
    let named = |name: &str, value: Option<String>| value.map(|v| format!("{name}={v}"));
    let parts = [
        control,
        named("st", limits.st.map(|v| v.to_string())),
        named("depth", limits.depth.map(|v| v.to_string())),
        named("nodes", limits.nodes.map(|v| v.to_string())),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn notation(position: &Position, mv: Move, output: &PgnOutput) -> String {
    match output.notation {
        Notation::San => position.san(mv),
        Notation::Uci => position.uci(mv),
        Notation::Lan => long_algebraic(position, mv),
    }
}

fn long_algebraic(position: &Position, mv: Move) -> String {
    let san = position.san(mv);
    if mv.is_castling() {
        return san;
    }
    let piece = position.role_at(mv.from()).map(|r| r.upper_letter()).filter(|l| *l != 'P');
    let sign = if position.is_capture(mv) { 'x' } else { '-' };
    let tail: String = san.chars().filter(|c| matches!(c, '+' | '#')).collect();
    let promotion = mv.promotion().map(|r| format!("={}", r.upper_letter())).unwrap_or_default();
    let piece = piece.map(String::from).unwrap_or_default();
    format!("{piece}{}{sign}{}{promotion}{tail}", mv.from(), mv.to())
}

/// `+0.35/12 1.2s`, then whatever else was asked for.
fn describe(out: &mut String, done: &MoveRecord, output: &PgnOutput) {
    if done.book {
        out.push_str("book");
        return;
    }
    match done.score {
        Some(Score::Mate(moves)) if moves > 0 => drop(write!(out, "+M{}", 2 * moves - 1)),
        Some(Score::Mate(moves)) => drop(write!(out, "-M{}", 2 * moves.unsigned_abs())),
        Some(Score::Cp(value)) => {
            let sign = if value < 0 { '-' } else { '+' };
            let value = value.unsigned_abs();
            let _ = write!(out, "{sign}{}.{:02}", value / 100, value % 100);
        }
        None => out.push_str("0.00"),
    }
    let _ = write!(out, "/{} {:.3}s", done.depth.unwrap_or(0), done.nanos as f64 / 1e9);
    let mut field = |wanted: bool, name: &str, value: Option<String>| {
        if let (true, Some(value)) = (wanted, value) {
            let _ = write!(out, ", {name}={value}");
        }
    };
    let text = |value: Option<u64>| value.map(|v| v.to_string());
    field(output.timeleft, "tl", done.left.map(|l| format!("{:.3}s", l as f64 / 1e9)));
    let latency = done.latency().map(|l| format!("{:.3}s", l.as_secs_f64()));
    field(output.latency, "latency", latency);
    field(output.nodes, "n", text(done.nodes));
    field(output.seldepth, "sd", text(done.seldepth.map(u64::from)));
    field(output.nps, "nps", text(done.nps));
    field(output.hashfull, "hashfull", text(done.hashfull.map(u64::from)));
    field(output.tbhits, "tbhits", text(done.tbhits));
    field(output.pv && !done.pv.is_empty(), "pv", Some(format!("\"{}\"", done.pv)));
}

fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Date and time of day in UTC, from milliseconds since 1970.
pub fn utc(ms: u64) -> (String, String) {
    let seconds = ms / 1000;
    let (day, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Years begin in March, so that the leap day is the last of its year.
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (
        format!("{year:04}.{month:02}.{of_month:02}"),
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (ms, date, time) in [
            (0, "1970.01.01", "00:00:00"),
            (951_782_400_000, "2000.02.29", "00:00:00"),
            (1_709_251_199_999, "2024.02.29", "23:59:59"),
            (4_102_444_800_000, "2100.01.01", "00:00:00"),
        ] {
            assert_eq!(utc(ms), (date.to_owned(), time.to_owned()));
        }
    }

    #[test]
    fn comments_as_users_know_them() {
        let mut mv = MoveRecord {
            score: Some(Score::Cp(-35)),
            depth: Some(12),
            nanos: 1_234_000_000,
            nodes: Some(99),
            left: Some(2_500_000_000),
            own_ms: Some(1_230),
            ..MoveRecord::default()
        };
        let said = |mv: &MoveRecord, output: &PgnOutput| {
            let mut out = String::new();
            describe(&mut out, mv, output);
            out
        };
        assert_eq!(said(&mv, &PgnOutput::default()), "-0.35/12 1.234s");
        let full = PgnOutput { nodes: true, timeleft: true, latency: true, ..PgnOutput::default() };
        assert_eq!(said(&mv, &full), "-0.35/12 1.234s, tl=2.500s, latency=0.004s, n=99");
        mv.score = Some(Score::Mate(3));
        assert!(said(&mv, &PgnOutput::default()).starts_with("+M5/12"));
        mv.score = Some(Score::Mate(-2));
        assert!(said(&mv, &PgnOutput::default()).starts_with("-M4/12"));
        mv.book = true;
        assert_eq!(said(&mv, &full), "book");
    }
}
