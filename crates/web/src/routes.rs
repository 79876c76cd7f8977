//! The addresses of the site, and the guard in front of them.

use crate::access::Gate;
use crate::feed::Feed;
use crate::games::Games;
use crate::live::Command;
use crate::site::Site;
use crate::{assets, history, pages};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures_util::stream;
use std::collections::HashMap;
use std::sync::Arc;

/// What every handler can use.
#[derive(Clone)]
struct App {
    site: Arc<Site>,
    gate: Arc<Gate>,
    cookie: Arc<str>,
}

/// Everything comes from this server; nothing inline is run, nothing frames us.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The whole site. Browsers share cookies between the ports of a host: each has its own name.
pub fn router(site: Arc<Site>, gate: Arc<Gate>, port: u16) -> Router {
    let app = App { site, gate, cookie: format!("dyno-{port}").into() };
    Router::new()
        .route("/", get(front))
        .route("/assets/{name}", get(asset))
        .route("/live/{id}", get(live_page))
        .route("/live/{id}/events", get(events))
        .route("/live/{id}/control", post(control))
        .route("/live/{id}/games", get(live_games))
        .route("/live/{id}/game/{game}", get(live_game))
        .merge(history_routes())
        .fallback(missing)
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

fn history_routes() -> Router<App> {
    Router::new()
        .route("/run/{id}", get(run_page))
        .route("/run/{id}/games", get(run_games))
        .route("/run/{id}/game/{game}", get(run_game))
        .route("/trends", get(trends))
        .route("/compare", get(compare))
        .route("/engines", get(engines))
}

/// Who may pass, and what every answer says to the browser.
async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = match app.admit(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

impl App {
    fn admit(&self, request: &Request) -> Result<(), Box<Response>> {
        let refuse = |status, text: &str| Err(Box::new(pages::plain(status, text)));
        let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if !self.gate.knows(host) {
            let why = "this server does not go by that name: use the address that dyno printed";
            return refuse(StatusCode::MISDIRECTED_REQUEST, why);
        }
        let asked = request.uri().query().unwrap_or_default();
        if let Some(token) = asked.split('&').find_map(|part| part.strip_prefix("token=")) {
            return match self.gate.admits(Some(token)) {
                true => Err(Box::new(self.let_in(request.uri()))),
                false => refuse(StatusCode::FORBIDDEN, "that is not the token"),
            };
        }
        if !self.gate.admits(cookie(request.headers(), &self.cookie)) {
            let why = "this page needs its token: open the whole address that dyno printed";
            return refuse(StatusCode::UNAUTHORIZED, why);
        }
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        if !reads && !self.gate.is_own_origin(text(header::ORIGIN), host) {
            return refuse(StatusCode::FORBIDDEN, "only a page of this server may do that");
        }
        Ok(())
    }

    /// The token becomes a cookie and leaves the address, where it would be seen and kept.
    fn let_in(&self, uri: &Uri) -> Response {
        // Two slashes would lead to another host.
        let path = format!("/{}", uri.path().trim_start_matches('/'));
        let mut response = Redirect::to(&path).into_response();
        if let Some(token) = &self.gate.token {
            let secure = if self.gate.is_secure { "; Secure" } else { "" };
            let name = &self.cookie;
            let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict{secure}");
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
        }
        response
    }

    fn feed(&self, id: &str) -> Result<Arc<Feed>, Box<Response>> {
        let missing = || {
            let why = "no such run goes on here: it may be over, and then it is in the history";
            Box::new(pages::plain(StatusCode::NOT_FOUND, why))
        };
        self.site.feed(id).ok_or_else(missing)
    }
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

async fn front(State(app): State<App>, Query(query): Query<HashMap<String, String>>) -> Response {
    match (app.site.own(), app.site.project(), query.get("text")) {
        (Some(own), _, _) => pages::live(own, app.gate.control, false),
        (None, project @ Some(_), Some(text)) => history::found(project, text),
        (None, Some(project), None) => history::list(project, &app.site.running()),
        (None, None, _) => missing().await,
    }
}

async fn missing() -> Response {
    pages::plain(StatusCode::NOT_FOUND, "there is no such page")
}

async fn asset(Path(name): Path<String>) -> Response {
    match assets::find(&name) {
        Some((kind, text)) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
                (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            ];
            (headers, text).into_response()
        }
        None => missing().await,
    }
}

async fn live_page(State(app): State<App>, Path(id): Path<String>) -> Response {
    let has_history = app.site.project().is_some();
    match app.feed(&id) {
        Ok(feed) => pages::live(&feed, app.gate.control, has_history),
        Err(refusal) => *refusal,
    }
}

/// The state, then what changes, as server-sent events.
async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let feed = match app.feed(&id) {
        Ok(feed) => feed,
        Err(refusal) => return *refusal,
    };
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let viewer = feed.watch(last.or(query.get("last").map(String::as_str)));
    let messages = stream::unfold(viewer, |mut viewer| async move {
        let message = viewer.next().await?;
        Some((Ok::<_, std::convert::Infallible>(message), viewer))
    });
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Proxies must not hold messages back.
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    ([kind, unbuffered], Body::from_stream(messages)).into_response()
}

async fn control(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    if !app.gate.control {
        return pages::plain(StatusCode::FORBIDDEN, "read-only: start it with --control to steer");
    }
    let wanted = query.get("do").map(|word| serde_json::Value::String(word.clone()));
    let command: Option<Command> = wanted.and_then(|word| serde_json::from_value(word).ok());
    let Some(command) = command else {
        return pages::plain(StatusCode::BAD_REQUEST, "no such command");
    };
    match app.feed(&id) {
        Err(refusal) => *refusal,
        Ok(feed) => match feed.live().obey(command) {
            Some(said) => pages::plain(StatusCode::OK, &said),
            None => pages::plain(StatusCode::CONFLICT, "this run cannot be steered"),
        },
    }
}

async fn live_games(State(app): State<App>, Path(id): Path<String>) -> Response {
    let base = format!("/live/{id}");
    match app.feed(&id) {
        Err(refusal) => *refusal,
        Ok(feed) => match feed.live().games() {
            Some(games) => pages::games(&games, &base, &feed.live().head().title),
            None => missing().await,
        },
    }
}

async fn live_game(State(app): State<App>, Path((id, name)): Path<(String, String)>) -> Response {
    match app.feed(&id) {
        Err(refusal) => *refusal,
        Ok(feed) => game(feed.live().games(), &format!("/live/{id}"), &name).await,
    }
}

/// A finished game: its page, or as data for it, or as PGN.
async fn game(games: Option<Arc<Games>>, base: &str, name: &str) -> Response {
    let (number, form) = name.split_once('.').unwrap_or((name, ""));
    let found = games.zip(number.parse().ok()).and_then(|(games, number): (_, u64)| {
        let game = games.get(number)?;
        Some((games, game))
    });
    let Some((games, game)) = found else {
        return pages::plain(StatusCode::NOT_FOUND, "no such game is kept here");
    };
    let answer = match form {
        "" => Some(pages::game(&games, &game, base)),
        "json" => games
            .view(&game)
            .and_then(|view| serde_json::to_string(&view).ok())
            .map(|json| ([(header::CONTENT_TYPE, "application/json")], json).into_response()),
        "pgn" => games.pgn(&game).map(|text| {
            let attachment = format!("attachment; filename=\"game-{}.pgn\"", game.slot.number + 1);
            let headers = [
                (header::CONTENT_TYPE, "application/x-chess-pgn".to_owned()),
                (header::CONTENT_DISPOSITION, attachment),
            ];
            (headers, text).into_response()
        }),
        _ => None,
    };
    match answer {
        Some(answer) => answer,
        None => missing().await,
    }
}

async fn run_page(State(app): State<App>, Path(id): Path<String>) -> Response {
    history::run(app.site.project(), &id)
}

async fn run_games(State(app): State<App>, Path(id): Path<String>) -> Response {
    match history::games(app.site.project(), &id) {
        Some((title, games)) => pages::games(&games, &format!("/run/{id}"), &title),
        None => pages::plain(StatusCode::NOT_FOUND, "the games of that run are not kept"),
    }
}

async fn run_game(State(app): State<App>, Path((id, name)): Path<(String, String)>) -> Response {
    let games = history::games(app.site.project(), &id).map(|(_, games)| Arc::new(games));
    game(games, &format!("/run/{id}"), &name).await
}

async fn trends(State(app): State<App>, Query(query): Query<HashMap<String, String>>) -> Response {
    history::trends(app.site.project(), query.get("metric"), query.get("subject"))
}

async fn compare(State(app): State<App>, Query(query): Query<HashMap<String, String>>) -> Response {
    history::compare(app.site.project(), query.get("a"), query.get("b"))
}

async fn engines(State(app): State<App>) -> Response {
    history::engines(app.site.project())
}
