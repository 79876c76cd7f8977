//! Getting ready for a match: its files, its engines' signatures, and how fast they run here.

use super::jail::Confinement;
use crate::address::chain;
use crate::cache::Cache;
use crate::error::ClusterError;
use crate::files;
use crate::message::MatchInfo;
use crate::ship::{FileRef, platform};
use crate::signature::{self, Measured, time_factor};
use crate::streams::Streams;
use crate::terms::{is_timed, longest_move};
use async_nats::jetstream::consumer::{Consumer, pull};
use dyno_driver::Interrupt;
use dyno_tournament::{Control, EngineEntry, GameContext, Plan, WorkerRecord};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;
use tokio::sync::Semaphore;

/// A match that can be played here.
pub struct Ready {
    pub context: Arc<GameContext>,
    pub consumer: Consumer<pull::Config>,
    /// What every game record says about this worker.
    pub stamp: WorkerRecord,
    /// How long a pair may go without a move here.
    pub longest_move: Duration,
}

/// Why a match is not played here.
pub enum NotReady {
    /// It never will be.
    Unfit(String),
    /// The server did not help; another try may do.
    Later(ClusterError),
}

impl From<ClusterError> for NotReady {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Damaged { .. } | ClusterError::Io { .. } => {
                NotReady::Unfit(error.to_string())
            }
            error => NotReady::Later(error),
        }
    }
}

/// What preparing takes.
#[derive(Clone)]
pub struct Preparation {
    pub name: String,
    pub boards: usize,
    pub streams: Streams,
    pub cache: Cache,
    pub tablebases: Option<String>,
    pub confinement: Confinement,
    /// Ends waits for engines once the worker is to stop.
    pub interrupts: Arc<AtomicUsize>,
    /// One match at a time is measured.
    pub measuring: Arc<Semaphore>,
}

impl Preparation {
    pub async fn prepare(self, info: MatchInfo) -> Result<Ready, NotReady> {
        // First, because what follows takes the processor from games.
        let consumer = self.streams.work.get_consumer(&info.run).await.map_err(|error| {
            ClusterError::jetstream("the queue of the match is not there", error)
        })?;
        let plan = self.local_plan(&info).await?;
        let interrupt = Interrupt::new(Arc::clone(&self.interrupts), 1);
        let turn = self.measuring.acquire().await;
        let measuring = plan.clone();
        let measured = tokio::task::spawn_blocking(move || {
            signature::of_engines(&measuring, &interrupt, signature::measure)
        });
        let measured = measured
            .await
            .map_err(|e| NotReady::Unfit(e.to_string()))?
            .map_err(|fault| NotReady::Unfit(format!("{}: {}", fault.0, chain(&fault.1))))?;
        drop(turn);
        check_signatures(&info, &measured)?;
        let speeds: Vec<Option<u64>> = measured.iter().map(|m| m.nps).collect();
        let factor =
            if info.scale && is_timed(&plan) { time_factor(&info.speeds, &speeds) } else { 1.0 };
        let longest_move = longest_move(&plan, factor, &speeds);
        let control = Control::new(Arc::default(), u32::try_from(self.boards).unwrap_or(1));
        let context = GameContext::new(&plan, &control, None)
            .map_err(|error| NotReady::Unfit(error.to_string()))?
            .time_factor(factor);
        let stamp = WorkerRecord {
            name: self.name.clone(),
            time_factor: Some((factor * 1e4).round() / 1e4),
            nps: speeds.first().copied().flatten(),
        };
        Ok(Ready { context: Arc::new(context), consumer, stamp, longest_move })
    }

    /// The plan with the files of this machine.
    async fn local_plan(&self, info: &MatchInfo) -> Result<Plan, NotReady> {
        let unfit = |reason: String| Err(NotReady::Unfit(reason));
        let mut plan = info.plan.clone();
        if info.files.len() != plan.engines.len() || info.signatures.len() != plan.engines.len() {
            return unfit("the match is announced without its engines".to_owned());
        }
        plan.check().map_err(|error| NotReady::Unfit(error.to_string()))?;
        if plan.adjudication.tb.is_some() {
            let Some(tables) = &self.tablebases else {
                return unfit(
                    "the match adjudicates by tablebases: start the worker with --tb FOLDERS"
                        .to_owned(),
                );
            };
            plan.adjudication.tb = Some(tables.clone());
        }
        // Processors are this machine's business.
        plan.machine.affinity = false;
        let platform = platform();
        let mut paths: BTreeMap<FileRef, PathBuf> = BTreeMap::new();
        for (entry, files) in plan.engines.iter().zip(&info.files) {
            let Some(needed) = files.needed(&platform) else {
                let name = entry.name();
                return unfit(format!(
                    "there is no program of {name} for {platform}: add cmd.{platform}=PROGRAM"
                ));
            };
            for file in needed {
                check_name(file)?;
                let path = files::download(&self.streams.files, file, &self.cache).await?;
                paths.insert(file.clone(), path);
            }
        }
        let needed: Vec<&FileRef> = paths.keys().collect();
        self.cache.prune(&needed);
        let path = |file: &FileRef| paths.get(file).cloned().unwrap_or_default();
        let local = |(entry, files): (&EngineEntry, &crate::ship::EngineFiles)| {
            let mut local = files.localise(entry, &platform, &path);
            let shipped = files.needed(&platform).into_iter().flatten().map(path).collect();
            self.confinement.apply(&mut local.spec, shipped);
            local
        };
        plan.engines = plan.engines.iter().zip(&info.files).map(local).collect();
        Ok(plan)
    }
}

/// A file must stay in its own folder.
fn check_name(file: &FileRef) -> Result<(), NotReady> {
    let is_plain = !file.name.is_empty()
        && !file.name.starts_with('.')
        && !file.name.contains(['/', '\\', ':', '\0'])
        && file.hash.len() == 64
        && file.hash.bytes().all(|b| b.is_ascii_hexdigit());
    if is_plain {
        Ok(())
    } else {
        Err(NotReady::Unfit(format!("bad name of a file: {:?}", file.name)))
    }
}

fn check_signatures(info: &MatchInfo, measured: &[Measured]) -> Result<(), NotReady> {
    for ((entry, wanted), here) in info.plan.engines.iter().zip(&info.signatures).zip(measured) {
        if let Some(wanted) = wanted
            && here.signature.as_ref() != Some(wanted)
        {
            return Err(NotReady::Unfit(format!(
                "{} gives the node signature {} here, not {wanted}: it is not the same engine",
                entry.name(),
                here.signature.as_deref().unwrap_or("(none)"),
            )));
        }
    }
    Ok(())
}
