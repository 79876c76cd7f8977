//! Pages about what runs, and about finished games.

use crate::feed::Feed;
use crate::games::Games;
use crate::live::Panel;
use crate::live_match::game_table;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dyno_report::html::{Board, Code, Html, Page, Section, served};
use dyno_report::number;
use dyno_tournament::GameRecord;

/// Games on one page.
const LISTED: usize = 1000;

/// A page as it is sent: with the way to the others at its top.
pub fn send(page: &str, links: &[(&str, &str)]) -> Response {
    let links: Html = links
        .iter()
        .map(|(name, address)| Html::link(*name, address).and(Html::text(" ")))
        .collect();
    let html = served(page, &links);
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

/// The ways from any page of a project.
pub const PROJECT: &[(&str, &str)] =
    &[("Runs", "/"), ("Trends", "/trends"), ("Engines", "/engines")];

/// A few words instead of a page.
pub fn plain(status: StatusCode, text: &str) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (status, kind, format!("{text}\n")).into_response()
}

/// A run that goes on. What is known is on the page from the start; the script keeps it current.
pub fn live(feed: &Feed, control: bool, has_history: bool) -> Response {
    let head = feed.live().head();
    if head.id.is_empty() {
        let page = Page::new(head.title.as_str()).command(head.kind.as_str());
        let page = page
            .lead("The engines are being started.")
            .add(Html::trusted("<p id=\"starting\">This page looks again every second.</p>"));
        return send(&page.render(), &[]);
    }
    let mut body = format!(
        "<div id=\"live\" data-run=\"{}\"><p id=\"connection\" role=\"status\"></p>",
        Html::text(&head.id)
    );
    for panel in feed.live().panels() {
        if panel.id == "course" || (panel.id == "rows" && head.kind != "match") {
            body += BOARDS;
        }
        body += &section(&panel);
        if panel.id == "state" && control && head.can_obey {
            body += CONTROLS;
        }
    }
    body += "</div>";
    // The script draws boards from this one.
    body += &format!("<template id=\"board\">{}</template>", Html::from(Board::new(EMPTY)));
    body += LARGE;
    let page = Page::new(head.title.as_str())
        .command(head.kind.as_str())
        .fact("Started", number::date(head.started_ms))
        .add(Html::trusted(body));
    send(&page.render(), if has_history { PROJECT } else { &[] })
}

fn section(panel: &Panel) -> String {
    let hidden = if panel.html.is_empty() { " hidden" } else { "" };
    let title = match panel.title.as_str() {
        "" => String::new(),
        title => format!("<h2>{}</h2>", Html::text(title)),
    };
    let id = Html::text(&panel.id);
    format!(
        "<section class=\"panel\" id=\"panel-{id}\"{hidden}>{title}<div class=\"content\">{}</div></section>",
        panel.html
    )
}

const EMPTY: &str = "8/8/8/8/8/8/8/8";

const BOARDS: &str = "<section id=\"boards\" hidden><h2>Games being played</h2><div class=\"games\"></div></section>";

const CONTROLS: &str = "<div id=\"controls\" role=\"group\" aria-label=\"Controls\">\
    <button type=\"button\" class=\"control\" data-do=\"pause\">Pause or go on</button>\
    <button type=\"button\" class=\"control\" data-do=\"fewer\" aria-label=\"One game fewer at once\">− 1 game</button>\
    <button type=\"button\" class=\"control\" data-do=\"more\" aria-label=\"One game more at once\">+ 1 game</button>\
    <button type=\"button\" class=\"control\" data-do=\"stop-after-pairs\">Stop after the pairs</button>\
    <button type=\"button\" class=\"control\" data-do=\"stop\">Stop after the games</button>\
    <button type=\"button\" class=\"control\" data-do=\"stop-now\">Stop now</button>\
    <output></output></div>";

const LARGE: &str = "<dialog id=\"large\" aria-labelledby=\"large-title\"><form method=\"dialog\">\
    <h2 id=\"large-title\"></h2><button class=\"control\" aria-label=\"Close\">Close</button></form><div class=\"viewer\"></div></dialog>";

/// Finished games, the latest first.
pub fn games(games: &Games, base: &str, title: &str) -> Response {
    let rows = games.latest(LISTED);
    let all = games.count();
    let lead = match all > rows.len() {
        true => format!("The latest {} of {} games.", rows.len(), number::count(all)),
        false => format!("{} games.", number::count(all)),
    };
    let page = Page::new(format!("Games of {title}"))
        .command("match")
        .lead(lead)
        .section(Section::new("Games").add(game_table("Finished games", &rows, base, false)));
    send(&page.render(), &[("Match", base)])
}

/// A finished game to be played through.
pub fn game(games: &Games, game: &GameRecord, base: &str) -> Response {
    let row = games.row(game);
    let number = row.number;
    let pgn = games.pgn(game).unwrap_or_default();
    let body = format!(
        "<div class=\"viewer\" id=\"viewer\" data-game=\"{base}/game/{number}.json\"></div>\
         <template id=\"board\">{}</template>",
        Html::from(Board::new(EMPTY)),
        base = Html::text(base),
    );
    let download = Html::trusted(format!(
        "<p><a class=\"control\" href=\"{}/game/{number}.pgn\" download>Download the PGN</a></p>",
        Html::text(base)
    ));
    let page = Page::new(format!("{} – {}", row.white, row.black))
        .command("match")
        .lead(format!("Game {number}, round {}: {}, {}", row.round, row.result, row.reason))
        .add(Html::trusted(body))
        .section(Section::new("PGN").add(download).add(Code::new(pgn).label("PGN")));
    let before = number.saturating_sub(1).max(1);
    let before = format!("{base}/game/{before}");
    let after = format!("{base}/game/{}", number + 1);
    let all = format!("{base}/games");
    send(
        &page.render(),
        &[("Match", base), ("Games", &all), ("Previous", &before), ("Next", &after)],
    )
}
