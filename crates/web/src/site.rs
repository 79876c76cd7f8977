//! What there is to be looked at: one run, or everything of a project.

use crate::feed::Feed;
use crate::live::{Live, RunHead};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// All that a server shows.
pub struct Site {
    /// The one run that the server is there for; otherwise the front page lists all.
    own: Option<Arc<Feed>>,
    project: Option<Project>,
    epoch: u64,
    feeds: Mutex<BTreeMap<String, Arc<Feed>>>,
}

/// A project with its past and running runs.
pub struct Project {
    /// The history.
    pub history: PathBuf,
    /// Where running commands tell how they stand.
    pub live: PathBuf,
}

impl Site {
    /// A site about one run.
    pub fn of_run(live: Arc<dyn Live>) -> Self {
        let epoch = epoch();
        let own = Some(Feed::new(live, epoch));
        Self { own, project: None, epoch, feeds: Mutex::default() }
    }

    /// A site about all runs of a project.
    pub fn of_project(project: Project) -> Self {
        Self { own: None, project: Some(project), epoch: epoch(), feeds: Mutex::default() }
    }

    pub(crate) fn own(&self) -> Option<&Arc<Feed>> {
        self.own.as_ref()
    }

    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The runs that go on.
    pub(crate) fn running(&self) -> Vec<RunHead> {
        match (&self.own, &self.project) {
            (Some(own), _) => vec![own.live().head()],
            (None, Some(project)) => crate::folder::running(&project.live),
            (None, None) => Vec::new(),
        }
    }

    /// The run of that name, where it goes on or has just ended.
    pub(crate) fn feed(&self, id: &str) -> Option<Arc<Feed>> {
        if let Some(own) = &self.own {
            return (own.live().head().id == id).then(|| Arc::clone(own));
        }
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        // Only runs that are watched are remembered.
        feeds.retain(|_, feed| feed.viewers() > 0 || !feed.live().is_over());
        if let Some(feed) = feeds.get(id) {
            return Some(Arc::clone(feed));
        }
        let live = crate::folder::FolderRun::open(&self.project.as_ref()?.live, id)?;
        let feed = Feed::new(Arc::new(live), self.epoch);
        feeds.insert(id.to_owned(), Arc::clone(&feed));
        Some(feed)
    }

    /// Sends everyone the last state.
    pub(crate) fn say_goodbye(&self) {
        if let Some(own) = &self.own {
            own.refresh(true);
        }
    }

    pub(crate) fn viewers(&self) -> usize {
        let feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        self.own.iter().chain(feeds.values()).map(|feed| feed.viewers()).sum()
    }
}

fn epoch() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as u64)
}
