//! What is said to an engine in a game against another, besides asking it for moves.

use super::Engine;
use crate::cpu_colocation::CpuColocation;
use crate::error::{EngineError, Phase};
use dyno_uci::Deviation;
use std::time::Instant;

impl Engine {
    /// The move just received answers an earlier search: the one that began then goes on.
    pub fn reject_stale_best_move(&mut self, began: Instant) {
        let best = self.protocol.best_move(&self.channel.line, &mut |_| {});
        let text = best.text.to_owned();
        self.channel.report(Deviation::UnexpectedBestMove { text });
        self.resume_search(began);
    }

    /// The line just received did not end the search: the one that began then goes on.
    pub fn resume_search(&mut self, began: Instant) {
        self.search = Some(began);
        self.channel.phase = Phase::Search;
    }

    /// Tells the engine that its opponent offers a draw, where its protocol can.
    pub fn offer_draw(&mut self) -> Result<(), EngineError> {
        self.protocol.offer_draw(&mut self.channel)
    }

    /// Whether the engine has offered a draw since this was asked last.
    pub fn take_draw_offer(&mut self) -> bool {
        if !self.protocol.capabilities().game_claims {
            return false;
        }
        while self.search.is_none() && self.channel.take_buffered() {
            self.handle_idle_line();
        }
        self.protocol.take_draw_offer()
    }

    /// Moves the engine to the CPU of its board and releases it there. It is asked whether it is
    /// ready, so that it runs there once; an engine that cannot be asked stays where it is.
    pub fn colocate(&mut self, colocation: &CpuColocation) -> Result<(), EngineError> {
        let Some(query) = self.protocol.ready_query() else { return Ok(()) };
        if !colocation.pin_process(self.pid()) {
            return Ok(());
        }
        let answer = self.ask_ready(&query, self.settings.ready);
        colocation.release_process(self.pid());
        answer
    }

    /// Whether the engine ponders by itself from the next game on. UCI engines are told what to
    /// ponder on, move by move.
    pub fn set_pondering(&mut self, on: bool) {
        self.protocol.set_pondering(on);
    }

    /// The opponent played the move pondered on: the engine's time begins now.
    pub fn ponder_hit(&mut self) -> Result<Instant, EngineError> {
        let began = self.protocol.ponder_hit(&mut self.channel)?;
        if let Some(search) = &mut self.search {
            *search = began;
        }
        Ok(began)
    }
}
