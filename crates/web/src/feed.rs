//! What viewers of a run are sent: the present state once, then what changes.
//!
//! Changes are worked out and written down once for all viewers, a few times a second and only
//! while there are some. A viewer that cannot keep up is not sent the rest later: it gets the
//! present state again.

use crate::live::{BoardView, Live, PlyView};
use axum::body::Bytes;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// How often boards are looked at, and the rest of the page.
const TICK: Duration = Duration::from_millis(200);
const PANELS_EVERY: Duration = Duration::from_millis(600);
/// A line now and then tells proxies and viewers that the connection lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Messages that a viewer may be behind, and those kept for one that comes back.
const BEHIND: usize = 16;
const KEPT_BYTES: usize = 256 << 10;

/// A run with its viewers.
pub struct Feed {
    live: Arc<dyn Live>,
    /// Tells the messages of this server from those of an earlier one.
    epoch: u64,
    shown: Mutex<Shown>,
    messages: broadcast::Sender<Message>,
    viewers: AtomicUsize,
    /// Whether changes are being worked out.
    is_followed: AtomicBool,
}

/// A message in the form of server-sent events, shared by all who are sent it.
#[derive(Clone)]
struct Message {
    seq: u64,
    text: Bytes,
    is_last: bool,
}

/// What viewers see at the moment.
#[derive(Default)]
struct Shown {
    seq: u64,
    version: u64,
    title: String,
    panels: BTreeMap<String, String>,
    boards: BTreeMap<u64, BoardView>,
    panels_at: Option<Instant>,
    is_over: bool,
    /// The latest messages, for viewers whose connection broke.
    kept: VecDeque<Message>,
    kept_bytes: usize,
}

/// What a message says.
#[derive(Default, Serialize)]
struct Update<'a> {
    /// Everything, and not only what changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    snapshot: bool,
    /// What the run is about, which a trial learns from its engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    panels: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<BoardUpdate<'a>>,
    /// Games that are no longer being played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    over: bool,
}

/// A board: its moves from `from` on, and the rest as it is.
#[derive(Serialize)]
struct BoardUpdate<'a> {
    game: u64,
    round: u32,
    start: &'a str,
    black_first: bool,
    first_number: u32,
    from: usize,
    plies: &'a [PlyView],
    sides: &'a [crate::live::SideView; 2],
    since_ms: u64,
}

impl<'a> BoardUpdate<'a> {
    fn new(board: &'a BoardView, from: usize) -> Self {
        Self {
            game: board.game,
            round: board.round,
            start: &board.start,
            black_first: board.black_first,
            first_number: board.first_number,
            from,
            plies: &board.plies[from..],
            sides: &board.sides,
            since_ms: board.since_ms,
        }
    }
}

impl Feed {
    /// A feed without viewers yet; `epoch` differs from server to server.
    pub fn new(live: Arc<dyn Live>, epoch: u64) -> Arc<Self> {
        let (messages, _) = broadcast::channel(BEHIND);
        let (shown, viewers) = (Mutex::default(), AtomicUsize::new(0));
        let is_followed = AtomicBool::new(false);
        Arc::new(Self { live, epoch, shown, messages, viewers, is_followed })
    }

    pub fn live(&self) -> &Arc<dyn Live> {
        &self.live
    }

    pub fn viewers(&self) -> usize {
        self.viewers.load(Ordering::SeqCst)
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that is to be sent to one more viewer. `last` is the last message it has seen,
    /// where it has been here before.
    pub fn watch(self: &Arc<Self>, last: Option<&str>) -> Viewer {
        self.refresh(true);
        self.viewers.fetch_add(1, Ordering::SeqCst);
        if !self.is_followed.swap(true, Ordering::SeqCst) {
            let feed = Arc::clone(self);
            tokio::spawn(async move { feed.keep_fresh().await });
        }
        let shown = self.shown();
        let missed = last.and_then(|last| self.missed(&shown, last));
        let waiting = missed.unwrap_or_else(|| vec![self.snapshot(&shown)]);
        Viewer {
            messages: self.messages.subscribe(),
            waiting: waiting.into(),
            is_over: false,
            feed: Arc::clone(self),
        }
    }

    /// Works out what changed, as long as someone watches.
    async fn keep_fresh(&self) {
        loop {
            while self.viewers() > 0 && !self.shown().is_over {
                tokio::time::sleep(TICK).await;
                self.refresh(false);
            }
            self.is_followed.store(false, Ordering::SeqCst);
            // Someone may have come while this was about to end.
            let is_wanted = self.viewers() > 0 && !self.shown().is_over;
            if !is_wanted || self.is_followed.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Works out what changed since the last time and sends it to all viewers.
    pub fn refresh(&self, at_once: bool) {
        let is_over = self.live.is_over();
        let mut shown = self.shown();
        let shown = &mut *shown;
        let mut update = Update::default();
        let due = shown.panels_at.is_none_or(|at| at.elapsed() >= PANELS_EVERY);
        let version = self.live.version();
        let mut title = None;
        let changed = if (due || at_once || is_over) && version != shown.version {
            (shown.version, shown.panels_at) = (version, Some(Instant::now()));
            title = Some(self.live.head().title).filter(|title| *title != shown.title);
            let panels = self.live.panels().into_iter();
            panels.filter(|p| shown.panels.get(&p.id) != Some(&p.html)).collect()
        } else {
            Vec::new()
        };
        update.title = title.as_deref();
        for panel in &changed {
            update.panels.insert(&panel.id, &panel.html);
        }
        let boards: BTreeMap<u64, BoardView> =
            self.live.boards().into_iter().map(|board| (board.game, board)).collect();
        for (game, board) in &boards {
            match shown.boards.get(game) {
                Some(before) if is_same_position(before, board) => {}
                Some(before) => {
                    update.boards.push(BoardUpdate::new(board, common(before, board)));
                }
                None => update.boards.push(BoardUpdate::new(board, 0)),
            }
        }
        update.gone =
            shown.boards.keys().filter(|game| !boards.contains_key(game)).copied().collect();
        update.over = is_over && !shown.is_over;
        let is_empty = update.title.is_none()
            && update.panels.is_empty()
            && update.boards.is_empty()
            && update.gone.is_empty()
            && !update.over;
        if !is_empty {
            shown.seq += 1;
            let message = self.message(shown.seq, &update, is_over);
            shown.keep(message.clone());
            // Without viewers it goes nowhere.
            let _ = self.messages.send(message);
        }
        shown.panels.extend(changed.into_iter().map(|panel| (panel.id, panel.html)));
        shown.title = title.unwrap_or_else(|| std::mem::take(&mut shown.title));
        shown.boards = boards;
        shown.is_over = is_over;
    }

    /// The messages after the one named, where all of them are still there.
    fn missed(&self, shown: &Shown, last: &str) -> Option<Vec<Message>> {
        let (epoch, seq) = last.split_once('-')?;
        let seq: u64 = seq.parse().ok()?;
        let is_whole = epoch == self.epoch.to_string()
            && seq <= shown.seq
            && (seq == shown.seq || shown.kept.front().is_some_and(|first| first.seq <= seq + 1));
        let after = || shown.kept.iter().filter(|message| message.seq > seq).cloned();
        is_whole
            .then(|| after().collect())
            .filter(|missed: &Vec<_>| !shown.is_over || !missed.is_empty())
    }

    fn snapshot(&self, shown: &Shown) -> Message {
        let text = |(id, html): (&'_ String, &'_ String)| (id.clone(), html.clone());
        let panels: BTreeMap<String, String> = shown.panels.iter().map(text).collect();
        let update = Update {
            snapshot: true,
            title: Some(&shown.title),
            panels: panels.iter().map(|(id, html)| (id.as_str(), html.as_str())).collect(),
            boards: shown.boards.values().map(|board| BoardUpdate::new(board, 0)).collect(),
            gone: Vec::new(),
            over: shown.is_over,
        };
        self.message(shown.seq, &update, shown.is_over)
    }

    fn message(&self, seq: u64, update: &Update<'_>, is_last: bool) -> Message {
        // JSON has no raw line breaks, which would end the message.
        let json = serde_json::to_string(update).unwrap_or_default();
        let text = format!("id: {}-{seq}\ndata: {json}\n\n", self.epoch);
        Message { seq, text: text.into(), is_last }
    }
}

impl Shown {
    fn keep(&mut self, message: Message) {
        self.kept_bytes += message.text.len();
        self.kept.push_back(message);
        while self.kept_bytes > KEPT_BYTES
            && let Some(oldest) = self.kept.pop_front()
        {
            self.kept_bytes -= oldest.text.len();
        }
    }
}

/// Whether nothing but time has passed.
fn is_same_position(before: &BoardView, now: &BoardView) -> bool {
    before.plies.len() == now.plies.len()
        && before.sides == now.sides
        && before.plies.last() == now.plies.last()
}

/// How many moves two states of a game share.
fn common(before: &BoardView, now: &BoardView) -> usize {
    let same = before.plies.iter().zip(&now.plies).take_while(|(a, b)| a == b).count();
    same.min(now.plies.len())
}

/// Someone who watches.
pub struct Viewer {
    feed: Arc<Feed>,
    messages: broadcast::Receiver<Message>,
    waiting: VecDeque<Message>,
    is_over: bool,
}

impl Viewer {
    /// The next thing to send; `None` when nothing will change any more.
    pub async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if let Some(message) = self.waiting.pop_front() {
            self.is_over = message.is_last;
            return Some(message.text);
        }
        let message = match tokio::time::timeout(KEEP_ALIVE, self.messages.recv()).await {
            Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
            Ok(Ok(message)) => message,
            Ok(Err(RecvError::Lagged(_))) => self.catch_up(),
            Ok(Err(RecvError::Closed)) => return None,
        };
        self.is_over = message.is_last;
        Some(message.text)
    }

    /// Too far behind: what was missed is left out, and the present state sent.
    fn catch_up(&mut self) -> Message {
        let shown = self.feed.shown();
        self.messages = self.feed.messages.subscribe();
        self.feed.snapshot(&shown)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.feed.viewers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::live::{Panel, RunHead};
    use serde_json::Value;

    /// A run whose state the test decides.
    #[derive(Default)]
    struct Fake(Mutex<(u64, Vec<Panel>, Vec<BoardView>, bool)>);

    impl Live for Fake {
        fn head(&self) -> RunHead {
            RunHead::default()
        }
        fn version(&self) -> u64 {
            self.0.lock().unwrap().0
        }
        fn panels(&self) -> Vec<Panel> {
            self.0.lock().unwrap().1.clone()
        }
        fn boards(&self) -> Vec<BoardView> {
            self.0.lock().unwrap().2.clone()
        }
        fn is_over(&self) -> bool {
            self.0.lock().unwrap().3
        }
    }

    impl Fake {
        fn set(&self, score: &str, boards: &[(u64, usize)]) {
            let mut state = self.0.lock().unwrap();
            state.0 += 1;
            state.1 = vec![Panel::new("score", "", score), Panel::new("rest", "", "same")];
            let board = |&(game, plies): &(u64, usize)| BoardView {
                game,
                plies: vec![PlyView { san: "e4\n".into(), ..PlyView::default() }; plies],
                ..BoardView::default()
            };
            state.2 = boards.iter().map(board).collect();
        }
    }

    fn feed() -> (Arc<Fake>, Arc<Feed>) {
        let fake = Arc::new(Fake::default());
        fake.set("0", &[(1, 2)]);
        let feed = Feed::new(Arc::clone(&fake) as Arc<dyn Live>, 7);
        (fake, feed)
    }

    /// The id and the content of a message.
    fn parts(message: Bytes) -> (String, Value) {
        let text = String::from_utf8(message.to_vec()).unwrap();
        let mut lines = text.lines();
        let id = lines.next().unwrap().strip_prefix("id: ").unwrap().to_owned();
        let data = lines.next().unwrap().strip_prefix("data: ").unwrap();
        assert!(text.ends_with("\n\n") && lines.next() == Some(""), "one line of data: {text:?}");
        (id, serde_json::from_str(data).unwrap())
    }

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    #[test]
    fn a_viewer_gets_everything_and_then_what_changes() {
        run(async {
            let (fake, feed) = feed();
            let mut viewer = feed.watch(None);
            let (_, first) = parts(viewer.next().await.unwrap());
            assert_eq!(first["snapshot"], true);
            assert_eq!(first["panels"]["score"], "0");
            assert_eq!(first["boards"][0]["plies"].as_array().unwrap().len(), 2);
            fake.set("1", &[(1, 3), (2, 0)]);
            feed.refresh(true);
            let (_, next) = parts(viewer.next().await.unwrap());
            assert_eq!(next.get("snapshot"), None);
            assert_eq!(next["panels"], serde_json::json!({"score": "1"}), "the rest is the same");
            assert_eq!(
                (&next["boards"][0]["from"], &next["boards"][1]["from"]),
                (&2.into(), &0.into())
            );
            assert_eq!(next["boards"][0]["plies"].as_array().unwrap().len(), 1);
            fake.set("1", &[(2, 0)]);
            feed.refresh(true);
            let (_, last) = parts(viewer.next().await.unwrap());
            assert_eq!(last["gone"], serde_json::json!([1]));
        });
    }

    #[test]
    fn who_comes_back_gets_what_was_missed_or_else_everything() {
        run(async {
            let (fake, feed) = feed();
            let (id, _) = parts(feed.watch(None).next().await.unwrap());
            for score in ["1", "2"] {
                fake.set(score, &[(1, 2)]);
                feed.refresh(true);
            }
            let mut back = feed.watch(Some(&id));
            let missed = [back.next().await.unwrap(), back.next().await.unwrap()].map(parts);
            assert_eq!(missed[0].1["panels"]["score"], "1");
            assert_eq!(missed[1].1["panels"]["score"], "2");
            for unknown in ["6-1", "7-99", "", "x", "7-"] {
                let (_, all) = parts(feed.watch(Some(unknown)).next().await.unwrap());
                assert_eq!(all["snapshot"], true, "{unknown}");
            }
        });
    }

    #[test]
    fn who_is_too_slow_gets_the_present_state() {
        run(async {
            let (fake, feed) = feed();
            let mut slow = feed.watch(None);
            slow.next().await.unwrap();
            for score in 0..100 {
                fake.set(&score.to_string(), &[(score, 1)]);
                feed.refresh(true);
            }
            let (_, now) = parts(slow.next().await.unwrap());
            assert_eq!((&now["snapshot"], &now["panels"]["score"]), (&true.into(), &"99".into()));
            assert!(feed.shown().kept_bytes <= KEPT_BYTES);
        });
    }

    #[test]
    fn the_end_is_the_last_message() {
        run(async {
            let (fake, feed) = feed();
            let mut viewer = feed.watch(None);
            let (id, _) = parts(viewer.next().await.unwrap());
            fake.0.lock().unwrap().3 = true;
            feed.refresh(true);
            assert_eq!(parts(viewer.next().await.unwrap()).1["over"], true);
            assert!(viewer.next().await.is_none());
            drop(viewer);
            for last in [None, Some(id.as_str()), Some("7-2")] {
                let mut late = feed.watch(last);
                assert_eq!(parts(late.next().await.unwrap()).1["over"], true, "{last:?}");
                assert!(late.next().await.is_none());
            }
            assert_eq!(feed.viewers(), 0);
        });
    }
}
