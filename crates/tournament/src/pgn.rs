//! A finished game as PGN, in the manner cutechess-cli and fastchess write it.

use super::openings::eco::{self, EcoEntry, NAMED_PLIES};
use super::plan::{Notation, PgnOutput, Plan, Variant};
use super::record::{GameRecord, MoveRecord, ReplayError};
use dyno_chess::{Color, Game, Move, Position};
use dyno_driver::Score;
use dyno_formats::Digits;
use dyno_formats::pgn::PgnText;
use std::fmt::Write;

/// The PGN of a game.
pub fn text(record: &GameRecord, plan: &Plan, output: &PgnOutput) -> Result<String, ReplayError> {
    let chess960 = plan.variant == Variant::FischeRandom;
    let game = record.opening(chess960)?;
    let mut pgn = PgnText::new();
    tags(&mut pgn, record, plan, output);
    if let Some(opening) = opening_name(record, &game, plan).filter(|_| !output.min) {
        pgn.tag("ECO", opening.code).tag("Opening", &opening.name);
    }
    pgn.start(game.start());
    let comments = !output.min;
    let (mut words, mut comment) = (String::new(), String::new());
    for (pair, mv) in game.positions().windows(2).zip(game.moves()) {
        notation(&mut words, &pair[0], *mv, &pair[1], output);
        pgn.move_text(&pair[0], &words, if comments { "book" } else { "" });
    }
    if record.moves.is_empty() && comments {
        pgn.comment(&record.result.to_string());
    }
    let mut before = *game.position();
    for (i, done) in record.moves.iter().enumerate() {
        let fault = |e: dyno_chess::MoveTextError| ReplayError {
            number: record.slot.number + 1,
            reason: e.to_string(),
        };
        let mv = before.parse_uci(&done.uci).map_err(fault)?;
        let after = before.play(mv);
        comment.clear();
        if comments {
            describe(&mut comment, done, output);
            if i + 1 == record.moves.len() {
                // Writing into a string cannot fail.
                let _ = write!(comment, ", {}", record.result);
            }
        }
        notation(&mut words, &before, mv, &after, output);
        pgn.move_text(&before, &words, &comment);
        before = after;
    }
    Ok(pgn.finish(record.result.points.text()))
}

fn tags(pgn: &mut PgnText, record: &GameRecord, plan: &Plan, output: &PgnOutput) {
    let name = |color| plan.engines[record.engine(color)].name();
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
    let (end_date, end_time) = utc(record.started + record.lasted);
    pgn.tag("GameEndTime", &format!("{}T{end_time} UTC", end_date.replace('.', "-")));
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

/// The name of the last position of the opening that has one.
fn opening_name(record: &GameRecord, book: &Game, plan: &Plan) -> Option<&'static EcoEntry> {
    if plan.variant != Variant::Standard || plan.begun_earlier {
        return None;
    }
    let found = book.positions().iter().rev().find_map(eco::at);
    let further = NAMED_PLIES.saturating_sub(book.moves().len());
    let mut position = *book.position();
    let played = record.moves.iter().take(further).map_while(|done| {
        position = position.play(position.parse_uci(&done.uci).ok()?);
        Some(eco::at(&position))
    });
    played.flatten().last().or(found)
}

/// An engine's limits as the tag has them: the clock in PGN's manner, else the words used.
pub fn limits_text(plan: &Plan, engine: usize) -> String {
    let limits = &plan.engines[engine].limits;
    let control = limits.tc.as_ref().map(ToString::to_string);
    let named = |name: &str, value: Option<String>| value.map(|v| format!("{name}={v}"));
    let parts = [
        control,
        named("st", limits.st.map(|v| v.to_string())),
        named("depth", limits.depth.map(|v| v.to_string())),
        named("nodes", limits.nodes.map(|v| v.to_string())),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Puts the move into `words`, in place of what is there.
fn notation(words: &mut String, before: &Position, mv: Move, after: &Position, output: &PgnOutput) {
    words.clear();
    match output.notation {
        Notation::San => before.push_san(mv, after, words),
        Notation::Uci => words.push_str(&before.uci(mv)),
        Notation::Lan => words.push_str(&long_algebraic(before, mv)),
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
            out.push(sign);
            push_decimal(out, value.unsigned_abs().into(), 2);
        }
        None => out.push_str("0.00"),
    }
    out.push('/');
    out.push_str(Digits::of(done.depth.unwrap_or(0).into()).as_str());
    out.push(' ');
    push_seconds(out, done.nanos);
    let mut time = |wanted: bool, name: &str, nanos: Option<u64>| {
        if let Some(nanos) = nanos.filter(|_| wanted) {
            push_name(out, name);
            push_seconds(out, nanos);
        }
    };
    time(output.timeleft, "tl", done.left);
    time(output.latency, "latency", done.latency().map(|l| l.as_nanos() as u64));
    let mut count = |wanted: bool, name: &str, value: Option<u64>| {
        if let Some(value) = value.filter(|_| wanted) {
            push_name(out, name);
            out.push_str(Digits::of(value).as_str());
        }
    };
    count(output.nodes, "n", done.nodes);
    count(output.seldepth, "sd", done.seldepth.map(u64::from));
    count(output.nps, "nps", done.nps);
    count(output.hashfull, "hashfull", done.hashfull.map(u64::from));
    count(output.tbhits, "tbhits", done.tbhits);
    if output.pv && !done.pv.is_empty() {
        let _ = write!(out, ", pv=\"{}\"", done.pv);
    }
}

fn push_name(out: &mut String, name: &str) {
    out.push_str(", ");
    out.push_str(name);
    out.push('=');
}

/// A number of hundredths or thousandths as a decimal fraction.
fn push_decimal(out: &mut String, value: u64, places: usize) {
    let unit = 10u64.pow(places as u32);
    out.push_str(Digits::of(value / unit).as_str());
    out.push('.');
    out.push_str(Digits::padded(value % unit, places).as_str());
}

/// `1.234s`, rounded to milliseconds.
fn push_seconds(out: &mut String, nanos: u64) {
    push_decimal(out, nanos.saturating_add(500_000) / 1_000_000, 3);
    out.push('s');
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
