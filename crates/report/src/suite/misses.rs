//! The misses of a page: boards with every engine's move, and a table once there are too many.

use super::{expected, played};
use crate::Verdict;
use crate::cells;
use crate::html::{Arrow, Board, Card, Cards, Code, Column, Section, Table};
use crate::number;
use dyno_trials::suite::{PositionResult, SuiteResult};
use std::collections::HashMap;

/// A position with the answers that miss it, one an engine.
type Missed<'a> = Vec<&'a PositionResult>;

/// The section of the misses; none where there are none.
pub(super) fn section(result: &SuiteResult, misses: &[PositionResult]) -> Option<Section> {
    if misses.is_empty() {
        return None;
    }
    let positions = by_position(&result.suites, misses);
    let all = positions.len();
    let (drawn, listed) = parted(positions);
    let mut section = Section::new(format!("Misses ({})", number::count(all)));
    if !listed.is_empty() {
        let (boards, rows) = (number::count(drawn.len()), number::count(listed.len()));
        let text = match listed.iter().any(|position| points(position).is_some()) {
            true => format!(
                "The {boards} with the fewest points as boards; the other {rows} in a table."
            ),
            false => format!("The first {boards} as boards; the other {rows} in a table."),
        };
        section = section.text(text);
    }
    let cards = drawn.iter().map(|position| card(result, position));
    section = section.add(Cards::new("Misses").cards(cards));
    if !listed.is_empty() {
        section = section.add(table(result, &listed));
    }
    Some(section)
}

/// The answers to one position together, in the order of the suites.
fn by_position<'a>(suites: &[String], misses: &'a [PositionResult]) -> Vec<Missed<'a>> {
    let mut places = HashMap::new();
    let mut positions: Vec<Missed<'a>> = Vec::new();
    for miss in misses {
        let key = (miss.suite.as_str(), miss.line_no, miss.fen.as_str());
        let place = *places.entry(key).or_insert_with(|| {
            positions.push(Vec::new());
            positions.len() - 1
        });
        positions[place].push(miss);
    }
    let suite = |name: &str| suites.iter().position(|suite| suite == name);
    positions.sort_by_key(|answers| (suite(&answers[0].suite), answers[0].line_no));
    positions
}

/// What is drawn and what is only listed: a page with a thousand boards takes megabytes.
fn parted(mut positions: Vec<Missed<'_>>) -> (Vec<Missed<'_>>, Vec<Missed<'_>>) {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by_key(|&index| points(&positions[index]));
    let mut is_drawn = vec![false; positions.len()];
    order.iter().take(Cards::MOST_BOARDS).for_each(|&index| is_drawn[index] = true);
    let mut drawn = is_drawn.into_iter();
    let listed = positions.extract_if(.., |_| drawn.next() == Some(false)).collect();
    (positions, listed)
}

/// The fewest points that an engine has for it.
fn points(answers: &[&PositionResult]) -> Option<i32> {
    answers.iter().filter_map(|answer| answer.points).min()
}

fn card(result: &SuiteResult, answers: &[&PositionResult]) -> Card {
    let first = answers[0];
    let several = result.engines.len() > 1;
    let board = Board::new(&first.fen).mover_below();
    let board = first.solutions.iter().fold(board, |b, mv| b.uci_arrow(mv, Arrow::Expected));
    let mut board = board.legend(Arrow::Expected, format!("expected {}", expected(first)));
    for (kind, answer) in [Arrow::Played, Arrow::SecondPlayed].into_iter().zip(answers) {
        let who = if several { name(result, answer.engine) } else { "engine" };
        board = board
            .uci_arrow(&answer.engine_move, kind)
            .legend(kind, format!("{who} {}", played(answer)));
    }
    let mut card = Card::new(first.id.clone()).verdict(Verdict::Fail).add(board);
    for answer in answers {
        card = if several {
            card.fact(name(result, answer.engine), figures(answer))
        } else {
            facts(card, answer)
        };
    }
    if several && !result.interrupted && first.correct.is_some() {
        let solvers = (0..result.engines.len()).filter(|e| answers.iter().all(|a| a.engine != *e));
        card = solvers.fold(card, |card, engine| card.fact(name(result, engine), "solved it"));
    }
    card.fact("Line", format!("{}:{}", first.suite, first.line_no))
        .add(Code::new(first.fen.clone()).label("FEN"))
}

fn name(result: &SuiteResult, engine: usize) -> &str {
    result.engines.get(engine).map_or("", |engine| &engine.engine.name)
}

/// What is known of one engine's answer, a line each.
fn facts(mut card: Card, miss: &PositionResult) -> Card {
    if let (Some(points), Some(most)) = (miss.points, miss.max_points) {
        card = card.fact("Points", format!("{points} of {most}"));
    }
    if let Some(score) = miss.score {
        card = card.fact("Score", score.to_string());
    }
    if let Some(depth) = miss.depth {
        card = card.fact("Depth", depth.to_string());
    }
    card = card.fact("Time", format!("{:.0} ms", miss.time_ms));
    match miss.trouble.is_empty() {
        true => card,
        false => card.fact("Trouble", miss.trouble.clone()),
    }
}

/// The same on one line, where several engines share a card.
fn figures(miss: &PositionResult) -> String {
    let mut parts = vec![played(miss)];
    if let (Some(points), Some(most)) = (miss.points, miss.max_points) {
        parts.push(format!("{points} of {most} points"));
    }
    parts.extend(miss.score.map(|score| score.to_string()));
    parts.extend(miss.depth.map(|depth| format!("depth {depth}")));
    parts.push(format!("{:.0} ms", miss.time_ms));
    if !miss.trouble.is_empty() {
        parts.push(miss.trouble.clone());
    }
    parts.join(", ")
}

fn table(result: &SuiteResult, listed: &[Missed<'_>]) -> Table {
    let columns = [
        Column::text("Id"),
        Column::choice("Engine"),
        Column::text("Expected"),
        Column::text("Played"),
        Column::number("Points"),
        Column::number("Score"),
        Column::number("Depth"),
        Column::number("ms"),
        Column::code("FEN"),
    ];
    let rows = listed.iter().flatten().map(|miss| {
        cells![
            &miss.id,
            name(result, miss.engine),
            expected(miss),
            played(miss),
            miss.points,
            miss.score.map(|score| score.to_string()),
            miss.depth,
            miss.time_ms.round(),
            &miss.fen
        ]
    });
    Table::new("Other misses", columns).rows(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_trials::suite::AnswerStatus;

    fn miss(line_no: u64, engine: usize, points: Option<i32>) -> PositionResult {
        PositionResult {
            id: format!("p{line_no}"),
            line_no,
            correct: Some(false),
            engine_move: "e2e4".into(),
            engine_san: "e4".into(),
            solutions: vec!["d2d4".into()],
            solutions_san: vec!["d4".into()],
            avoid: vec![],
            fen: format!("8/8/8/8/8/8/8/K1k5 w - - 0 {line_no}"),
            time_ms: 12.0,
            depth: Some(9),
            nodes: None,
            suite: "wac".into(),
            theme: String::new(),
            engine,
            status: AnswerStatus::Answered,
            points,
            max_points: points.map(|_| 10),
            score: None,
            solved_ms: None,
            solved_depth: None,
            trouble: String::new(),
        }
    }

    #[test]
    fn engines_that_miss_the_same_position_share_its_board() {
        let misses = [miss(1, 0, None), miss(3, 0, None), miss(2, 1, None), miss(3, 1, None)];
        let positions = by_position(&["wac".to_owned()], &misses);
        let engines = |answers: &Missed<'_>| answers.iter().map(|a| a.engine).collect::<Vec<_>>();
        assert_eq!(
            positions.iter().map(engines).collect::<Vec<_>>(),
            [vec![0], vec![1], vec![0, 1]]
        );
    }

    #[test]
    fn of_too_many_misses_those_with_the_fewest_points_are_drawn_in_order() {
        let points = |n: u64| Some(if n.is_multiple_of(2) { 0 } else { 5 });
        let misses: Vec<_> = (1..=200).map(|n| miss(n, 0, points(n))).collect();
        let (drawn, listed) = parted(by_position(&["wac".to_owned()], &misses));
        assert_eq!((drawn.len(), listed.len()), (Cards::MOST_BOARDS, 200 - Cards::MOST_BOARDS));
        assert_eq!(drawn.iter().filter(|answers| answers[0].points == Some(0)).count(), 100);
        assert!(drawn.is_sorted_by_key(|answers| answers[0].line_no));
        assert!(listed.iter().all(|answers| answers[0].points == Some(5)));
    }
}
