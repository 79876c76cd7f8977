//! The object store: files by their BLAKE3 hash, put there by coordinators and taken by workers.

use super::address::chain;
use super::cache::Cache;
use super::error::ClusterError;
use super::message::MatchInfo;
use super::ship::{FileRef, Shipment};
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt as _;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tokio::io::AsyncReadExt as _;

/// The store is pruned to about this size before more is put there.
const MOST_BYTES: usize = 8 << 30;

/// Stores what is not there yet. `say` is told of files that take a while.
pub async fn upload(
    store: &ObjectStore,
    shipment: &Shipment,
    say: &dyn Fn(&str),
) -> Result<(), ClusterError> {
    for (file, path) in &shipment.sources {
        if is_stored(store, file).await {
            continue;
        }
        if file.size > 10 << 20 {
            say(&format!("sending {} to the cluster ({} MB)", file.name, file.size >> 20));
        }
        let content = std::fs::read(path).map_err(ClusterError::io(path))?;
        store.put(file.hash.as_str(), &mut content.as_slice()).await.map_err(|error| {
            let reason = chain(&error);
            let full = ["maximum bytes", "resource", "insufficient", "storage"];
            match full.iter().any(|word| reason.to_lowercase().contains(word)) {
                true => ClusterError::StoreFull(format!("{} ({reason})", file.name)),
                false => ClusterError::jetstream("a file cannot be stored", reason),
            }
        })?;
    }
    Ok(())
}

async fn is_stored(store: &ObjectStore, file: &FileRef) -> bool {
    let info = store.info(file.hash.as_str()).await;
    info.is_ok_and(|info| !info.deleted && info.size as u64 == file.size)
}

/// Brings a file into the cache, checked.
pub async fn download(
    store: &ObjectStore,
    file: &FileRef,
    cache: &Cache,
) -> Result<PathBuf, ClusterError> {
    if let Some(path) = cache.get(file) {
        return Ok(path);
    }
    let fault = |reason: String| ClusterError::jetstream("a file cannot be fetched", reason);
    let object = store.get(file.hash.as_str()).await.map_err(|e| fault(chain(&e)))?;
    // The size is the coordinator's word: room is made as the content comes.
    let mut content = Vec::new();
    let mut object = object.take(file.size.saturating_add(1));
    object.read_to_end(&mut content).await.map_err(|e| fault(e.to_string()))?;
    cache.put(file, &content)
}

/// Removes the oldest files that no match needs until there is room.
pub async fn prune(store: &ObjectStore, matches: &[MatchInfo]) {
    let Ok(mut list) = store.list().await else { return };
    let needed: BTreeSet<&str> = matches
        .iter()
        .flat_map(|info| &info.files)
        .flat_map(|files| {
            let others = files.options.values().chain(files.args.values()).chain(&files.book);
            files.programs.values().chain(others)
        })
        .map(|file| file.hash.as_str())
        .collect();
    let mut found = Vec::new();
    while let Some(Ok(object)) = list.next().await {
        found.push(object);
    }
    let mut total: usize = found.iter().map(|object| object.size).sum();
    found.sort_by_key(|object| object.modified);
    for object in found {
        if total <= MOST_BYTES {
            break;
        }
        if !needed.contains(object.name.as_str()) && store.delete(&object.name).await.is_ok() {
            total -= object.size;
        }
    }
}
