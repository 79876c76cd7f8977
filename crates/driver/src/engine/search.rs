//! Searches: started, followed, stopped, waited for.

use super::Engine;
use crate::channel::Channel;
use crate::error::{EngineError, Phase};
use crate::protocol::LineKind;
use crate::search::{ResultClaim, SearchControl, SearchEnd, SearchEvent, SearchResult};
use dyno_uci::{Deviation, Go, Info, InfoBuf};
use std::time::{Duration, Instant};

/// Reads of unsolicited output before a search; each is as much as the line buffer holds.
const MAX_UNSOLICITED_READS: u32 = 16;

impl Engine {
    /// Starts a search without waiting for it. `position` is what follows UCI's `position`:
    /// `startpos moves e2e4` or `fen …`. Returns when its clock started.
    pub fn start_go(&mut self, position: &str, go: &Go) -> Result<Instant, EngineError> {
        self.drain_unsolicited()?;
        self.info.clear();
        self.channel.phase = Phase::Search;
        let began = self.protocol.start_search(&mut self.channel, position, go)?;
        self.search = Some(began);
        Ok(began)
    }

    /// Deals with everything said so far, so that a move sent before it was asked for is never
    /// taken for the answer. Bounded, for engines that never stop talking.
    fn drain_unsolicited(&mut self) -> Result<(), EngineError> {
        for _ in 0..MAX_UNSOLICITED_READS {
            while self.channel.take_buffered() {
                if self.handle_idle_line() == LineKind::Ready {
                    self.channel.report(Deviation::UnexpectedReadyOk);
                }
            }
            if !self.channel.read_available()? {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the next event of the running search, until the deadline if there is one.
    pub fn poll(&mut self, deadline: Option<Instant>) -> Result<SearchEvent<'_>, EngineError> {
        let began = self.search.unwrap_or_else(Instant::now);
        if let Some(claim) = self.protocol.take_claim() {
            self.end_search();
            return Ok(SearchEvent::Claim { claim, words: "", elapsed: Duration::ZERO });
        }
        let kind = match self.next_search_line(deadline)? {
            None => return Ok(SearchEvent::Deadline),
            Some(LineKind::DrawOffer) => return Ok(SearchEvent::DrawOffer),
            Some(kind) => kind,
        };
        if self.protocol.is_beyond_limit() {
            self.protocol.stop(&mut self.channel)?;
        }
        if kind != LineKind::Info {
            self.end_search();
        }
        let Channel { line, findings, stamp, .. } = &mut self.channel;
        let line: &str = line;
        let elapsed = stamp.saturating_duration_since(began);
        let mut report = |deviation| findings.push(deviation, line);
        Ok(match kind {
            LineKind::BestMove => {
                SearchEvent::Best { best: self.protocol.best_move(line, &mut report), elapsed }
            }
            LineKind::Claim => {
                let claim = self.protocol.take_claim().unwrap_or(ResultClaim::Drawn);
                SearchEvent::Claim { claim, words: line, elapsed }
            }
            _ => {
                let info = self.protocol.info(line, &mut report);
                if info.multipv.unwrap_or(1) <= 1 {
                    self.info.update(&info);
                }
                SearchEvent::Info { info, at: elapsed }
            }
        })
    }

    /// Reads up to the next line that matters to the running search; `None` at the deadline.
    fn next_search_line(
        &mut self,
        deadline: Option<Instant>,
    ) -> Result<Option<LineKind>, EngineError> {
        loop {
            let stop_at = self.protocol.stop_at();
            let until = match (deadline, stop_at) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            if !self.channel.read_line(until)? {
                if until == stop_at && until != deadline {
                    self.protocol.stop(&mut self.channel)?;
                    continue;
                }
                return Ok(None);
            }
            if self.search.is_none() {
                self.handle_idle_line();
                continue;
            }
            match self.protocol.classify(&mut self.channel, true) {
                LineKind::Ready => self.channel.report(Deviation::UnexpectedReadyOk),
                LineKind::Other => {}
                kind => return Ok(Some(kind)),
            }
        }
    }

    fn end_search(&mut self) {
        self.search = None;
        self.channel.phase = Phase::Idle;
    }

    /// Asks the running search to end; its answer still has to be waited for.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.protocol.stop(&mut self.channel)
    }

    /// The last report on the best line of the current or latest search.
    #[must_use]
    pub fn info(&self) -> &InfoBuf {
        &self.info
    }

    /// Searches and waits for the result; after `timeout` the search is stopped.
    pub fn go(
        &mut self,
        position: &str,
        go: &Go,
        timeout: Option<Duration>,
    ) -> Result<SearchResult, EngineError> {
        self.go_watched(position, go, timeout, |_, _| SearchControl::Continue)
    }

    /// Like [`Engine::go`], with every `info` passed to `watch`, which may end the search.
    pub fn go_watched(
        &mut self,
        position: &str,
        go: &Go,
        timeout: Option<Duration>,
        mut watch: impl FnMut(&Info<'_>, Duration) -> SearchControl,
    ) -> Result<SearchResult, EngineError> {
        let began = self.start_go(position, go)?;
        let mut deadline = timeout.map(|p| began + p);
        let mut end = SearchEnd::Finished;
        loop {
            match self.poll(deadline)? {
                SearchEvent::Best { best, elapsed } => {
                    let (best, ponder) = (best.text.to_owned(), best.ponder.map(str::to_owned));
                    let info = self.info.clone();
                    return Ok(SearchResult { best, ponder, elapsed, info, end });
                }
                SearchEvent::Claim { claim, elapsed, .. } => {
                    let best = if claim == ResultClaim::Resign { "resign" } else { "(none)" };
                    let (best, info) = (best.to_owned(), self.info.clone());
                    return Ok(SearchResult { best, ponder: None, elapsed, info, end });
                }
                SearchEvent::DrawOffer => {}
                SearchEvent::Info { info, at } => {
                    let wanted = watch(&info, at);
                    if wanted == SearchControl::Stop && end == SearchEnd::Finished {
                        end = SearchEnd::Stopped;
                        self.stop()?;
                        deadline = Some(Instant::now() + self.settings.grace);
                    }
                }
                SearchEvent::Deadline if end == SearchEnd::Finished => {
                    end = SearchEnd::Overran;
                    let ms = began.elapsed().as_millis() as u64;
                    self.channel.findings.push(Deviation::LateBestMove { ms }, "");
                    self.stop()?;
                    deadline = Some(Instant::now() + self.settings.grace);
                }
                SearchEvent::Deadline => {
                    self.channel.findings.push(Deviation::IgnoredStop, "");
                    return Err(EngineError::Hung {
                        engine: self.channel.name.clone(),
                        after: began.elapsed(),
                    });
                }
            }
        }
    }
}
