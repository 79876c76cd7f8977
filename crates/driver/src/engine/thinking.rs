//! Searches: begun, listened to, stopped, waited for.

use super::{Dialect, Engine, Heard};
use crate::channel::Channel;
use crate::error::{EngineError, Phase};
use crate::search::{ResultClaim, SearchControl, SearchEnd, SearchEvent, SearchResult};
use crate::uci::Uci;
use dyno_uci::{BestMove, Deviation, Go, Info, InfoBuf};
use std::time::{Duration, Instant};

/// Reads of unasked output before a search; each is as much as the inbox holds.
const MOST_UNASKED_READS: u32 = 16;

impl Engine {
    /// Starts a search without waiting for it. `position` is what follows UCI's `position`:
    /// `startpos moves e2e4` or `fen …`. Returns when its clock started.
    pub fn start_go(&mut self, position: &str, go: &Go) -> Result<Instant, EngineError> {
        self.overhear_all()?;
        self.info.clear();
        self.channel.phase = Phase::Search;
        let began = match &mut self.dialect {
            Dialect::Uci => Uci::go(&mut self.channel, position, go)?,
            Dialect::Xboard(xboard) => xboard.go(&mut self.channel, position, go)?,
        };
        self.search = Some(began);
        Ok(began)
    }

    /// Deals with everything said so far, so that a move sent before it was asked for is never
    /// taken for the answer. An engine that talks without end is not listened to for ever.
    fn overhear_all(&mut self) -> Result<(), EngineError> {
        for _ in 0..MOST_UNASKED_READS {
            while self.channel.take_buffered() {
                if self.overhear() == Heard::Ready {
                    self.channel.found(Deviation::UnexpectedReadyOk);
                }
            }
            if !self.channel.take_in_now()? {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the next word of the running search until the deadline, for ever without one.
    pub fn poll(&mut self, deadline: Option<Instant>) -> Result<SearchEvent<'_>, EngineError> {
        let began = self.search.unwrap_or_else(Instant::now);
        if let Dialect::Xboard(xboard) = &mut self.dialect
            && let Some(claim) = xboard.take_claim()
        {
            self.search = None;
            self.channel.phase = Phase::Idle;
            return Ok(SearchEvent::Claim { claim, words: "", elapsed: Duration::ZERO });
        }
        let heard = loop {
            let move_now = match &self.dialect {
                Dialect::Xboard(xboard) => xboard.move_now_at(),
                Dialect::Uci => None,
            };
            let until = match (deadline, move_now) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            if !self.channel.read_line(until)? {
                match &mut self.dialect {
                    Dialect::Xboard(xboard) if until == move_now && until != deadline => {
                        xboard.move_now(&mut self.channel)?;
                        continue;
                    }
                    _ => return Ok(SearchEvent::Deadline),
                }
            }
            if self.search.is_none() {
                self.overhear();
                continue;
            }
            match self.dialect.hear(&mut self.channel, true) {
                heard @ (Heard::Best | Heard::Info | Heard::Claim) => break heard,
                Heard::DrawOffer => return Ok(SearchEvent::DrawOffer),
                Heard::Ready => self.channel.found(Deviation::UnexpectedReadyOk),
                Heard::Nothing => {}
            }
        };
        if let Dialect::Xboard(xboard) = &mut self.dialect
            && xboard.is_too_deep()
        {
            xboard.move_now(&mut self.channel)?;
        }
        let Channel { line, findings, stamp, phase, .. } = &mut self.channel;
        let line: &str = line;
        let elapsed = stamp.saturating_duration_since(began);
        let mut found = |deviation| findings.push(deviation, line);
        if heard == Heard::Best {
            self.search = None;
            *phase = Phase::Idle;
            let best = match &self.dialect {
                Dialect::Uci => BestMove::parse(line, &mut found),
                Dialect::Xboard(xboard) => xboard.best(),
            };
            return Ok(SearchEvent::Best { best, elapsed });
        }
        if heard == Heard::Claim {
            self.search = None;
            *phase = Phase::Idle;
            let claim = match &mut self.dialect {
                Dialect::Uci => None,
                Dialect::Xboard(xboard) => xboard.take_claim(),
            };
            return Ok(SearchEvent::Claim {
                claim: claim.unwrap_or(ResultClaim::Drawn),
                words: line,
                elapsed,
            });
        }
        let info = match &self.dialect {
            Dialect::Uci => Info::parse(line, &mut found),
            Dialect::Xboard(xboard) => xboard.info(),
        };
        if info.multipv.unwrap_or(1) <= 1 {
            self.info.update(&info);
        }
        Ok(SearchEvent::Info { info, at: elapsed })
    }

    /// Asks the running search to end; its answer still has to be waited for.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        match &mut self.dialect {
            Dialect::Uci => self.channel.send("stop").map(drop),
            Dialect::Xboard(xboard) => xboard.move_now(&mut self.channel),
        }
    }

    /// The last word on the best line of the current or latest search.
    #[must_use]
    pub fn info(&self) -> &InfoBuf {
        &self.info
    }

    /// Searches and waits for the result; after `patience` the search is stopped.
    pub fn go(
        &mut self,
        position: &str,
        go: &Go,
        patience: Option<Duration>,
    ) -> Result<SearchResult, EngineError> {
        self.go_watched(position, go, patience, |_, _| SearchControl::Continue)
    }

    /// Like [`Engine::go`], with every line of thought shown to `watch`, which may end the search.
    pub fn go_watched(
        &mut self,
        position: &str,
        go: &Go,
        patience: Option<Duration>,
        mut watch: impl FnMut(&Info<'_>, Duration) -> SearchControl,
    ) -> Result<SearchResult, EngineError> {
        let began = self.start_go(position, go)?;
        let mut deadline = patience.map(|p| began + p);
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
