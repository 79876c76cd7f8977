//! Standard error, of which only the end is kept.

/// The end of what an engine wrote to its standard error.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    tail: Vec<u8>,
    /// Arrived since the last look.
    fresh: Vec<u8>,
}

impl StderrTail {
    const KEPT: usize = 4 * 1024;

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in [&mut self.tail, &mut self.fresh] {
            part.extend_from_slice(bytes);
            if part.len() > 2 * Self::KEPT {
                part.drain(..part.len() - Self::KEPT);
            }
        }
    }

    /// What came since the last call.
    pub(crate) fn take_fresh(&mut self) -> Option<Vec<u8>> {
        (!self.fresh.is_empty()).then(|| std::mem::take(&mut self.fresh))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.tail).trim_end().to_owned()
    }
}
