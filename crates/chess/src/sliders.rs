//! The squares that sliders see, by table.
//!
//! The blockers on a slider's lines index a table of attacks. Where the processor can gather bits
//! (`pext`), that is the index; elsewhere a multiplication finds one. Both tables are made at
//! compile time, so that nothing has to be prepared, or asked for, on the hot path.

#![allow(unsafe_code, reason = "table indices are in bounds by construction; pext needs BMI2")]

use crate::magics;

/// A way to look up slider attacks; the generator is compiled once for each.
pub(crate) trait Sliders: Copy {
    /// The squares a bishop sees.
    fn bishop(square: usize, occupied: u64) -> u64;
    /// The squares a rook sees.
    fn rook(square: usize, occupied: u64) -> u64;
}

/// By multiplication: works everywhere.
#[derive(Clone, Copy)]
pub(crate) struct Magic;

/// By hardware bit gathering: only for code compiled with BMI2 and run where it exists.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Pext;

const BISHOP_ENTRIES: usize = 5_248;
const ROOK_ENTRIES: usize = 102_400;

/// Where one square's attacks lie in the table, and which squares can block.
#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    magic: u64,
    offset: u32,
    shift: u32,
}

struct Table<const N: usize> {
    entries: [Entry; 64],
    attacks: [u64; N],
}

static BISHOPS_BY_MAGIC: Table<BISHOP_ENTRIES> = table(true, false);
static ROOKS_BY_MAGIC: Table<ROOK_ENTRIES> = table(false, false);
#[cfg(target_arch = "x86_64")]
static BISHOPS_BY_PEXT: Table<BISHOP_ENTRIES> = table(true, true);
#[cfg(target_arch = "x86_64")]
static ROOKS_BY_PEXT: Table<ROOK_ENTRIES> = table(false, true);

impl Sliders for Magic {
    #[inline(always)]
    fn bishop(square: usize, occupied: u64) -> u64 {
        BISHOPS_BY_MAGIC.by_magic(square, occupied)
    }

    #[inline(always)]
    fn rook(square: usize, occupied: u64) -> u64 {
        ROOKS_BY_MAGIC.by_magic(square, occupied)
    }
}

#[cfg(target_arch = "x86_64")]
impl Sliders for Pext {
    #[inline(always)]
    fn bishop(square: usize, occupied: u64) -> u64 {
        BISHOPS_BY_PEXT.by_pext(square, occupied)
    }

    #[inline(always)]
    fn rook(square: usize, occupied: u64) -> u64 {
        ROOKS_BY_PEXT.by_pext(square, occupied)
    }
}

impl<const N: usize> Table<N> {
    #[inline(always)]
    fn by_magic(&'static self, square: usize, occupied: u64) -> u64 {
        let entry = &self.entries[square & 63];
        let index = (occupied & entry.mask).wrapping_mul(entry.magic) >> entry.shift;
        // SAFETY: the index has as many bits as the mask, and the table holds that many attacks
        // from the offset on (the sizes add up to N, or `table` would not compile).
        unsafe { *self.attacks.get_unchecked(entry.offset as usize + index as usize) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn by_pext(&'static self, square: usize, occupied: u64) -> u64 {
        let entry = &self.entries[square & 63];
        // SAFETY: `Pext` is used only in code that has asked for BMI2 at run time; the index has
        // as many bits as the mask, as above.
        unsafe {
            let index = core::arch::x86_64::_pext_u64(occupied, entry.mask);
            *self.attacks.get_unchecked(entry.offset as usize + index as usize)
        }
    }
}

/// Whether bits can be gathered by hardware, and fast: early Zen processors have the instruction
/// but take hundreds of cycles for it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn pext_is_fast() -> bool {
    use std::sync::atomic::{AtomicU8, Ordering};
    static KNOWN: AtomicU8 = AtomicU8::new(0);

    #[cold]
    fn find_out() -> bool {
        let features = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        let fast = features && !is_early_zen();
        KNOWN.store(1 + u8::from(fast), Ordering::Relaxed);
        fast
    }

    match KNOWN.load(Ordering::Relaxed) {
        0 => find_out(),
        known => known == 2,
    }
}

#[cfg(target_arch = "x86_64")]
fn is_early_zen() -> bool {
    use core::arch::x86_64::__cpuid;
    let vendor = __cpuid(0);
    let amd = vendor.ebx == u32::from_le_bytes(*b"Auth");
    let hygon = vendor.ebx == u32::from_le_bytes(*b"Hygo");
    let signature = __cpuid(1).eax;
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    (amd || hygon) && family < 0x19
}

/// The two lines of a slider through a square, as steps in one of their directions.
const fn lines(diagonal: bool) -> [(i32, i32); 2] {
    if diagonal { [(1, 1), (1, -1)] } else { [(1, 0), (0, 1)] }
}

/// What is seen along a line, both ways, up to the first piece.
const fn walk(square: usize, occupied: u64, step: (i32, i32)) -> u64 {
    let mut seen = 0;
    let mut sign = -1;
    while sign <= 1 {
        let (files, ranks) = (sign * step.0, sign * step.1);
        let mut file = (square & 7) as i32 + files;
        let mut rank = (square >> 3) as i32 + ranks;
        while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            let bit = 1u64 << (8 * rank + file);
            seen |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += files;
            rank += ranks;
        }
        sign += 2;
    }
    seen
}

/// The squares of a line that can block: all but its ends.
const fn blockers(square: usize, step: (i32, i32)) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const RANK_1: u64 = 0xff;
    let mut ends = 0;
    if step.0 != 0 {
        ends |= FILE_A | FILE_A << 7;
    }
    if step.1 != 0 {
        ends |= RANK_1 | RANK_1 << 56;
    }
    walk(square, 0, step) & !ends
}

/// Every set of blockers on one line: the set, what is then seen, and the set's `pext` index
/// within the mask of both lines.
struct Line {
    sets: [(u64, u64, usize); 64],
    size: usize,
}

const fn line(square: usize, step: (i32, i32), both: u64) -> Line {
    let mask = blockers(square, step);
    let size = 1 << mask.count_ones();
    let mut line = Line { sets: [(0, 0, 0); 64], size };
    let mut set = 0u64;
    let mut nth = 0;
    while nth < size {
        line.sets[nth] = (set, walk(square, set, step), gathered(set, both));
        set = set.wrapping_sub(mask) & mask;
        nth += 1;
    }
    line
}

/// `pext`, bit by bit.
const fn gathered(set: u64, mask: u64) -> usize {
    let (mut rest, mut nth, mut index) = (mask, 0, 0);
    while rest != 0 {
        if set & rest & rest.wrapping_neg() != 0 {
            index |= 1 << nth;
        }
        rest &= rest - 1;
        nth += 1;
    }
    index
}

/// The table of a slider. A slider's attacks are those of its two lines together, which makes
/// this quick enough for the compiler's interpreter.
const fn table<const N: usize>(diagonal: bool, by_pext: bool) -> Table<N> {
    let nothing = Entry { mask: 0, magic: 0, offset: 0, shift: 0 };
    let mut table = Table { entries: [nothing; 64], attacks: [0; N] };
    let [one, other] = lines(diagonal);
    let mut offset = 0;
    let mut square = 0;
    while square < 64 {
        let mask = blockers(square, one) | blockers(square, other);
        let magic = if diagonal { magics::BISHOP[square] } else { magics::ROOK[square] };
        let shift = 64 - mask.count_ones();
        table.entries[square] = Entry { mask, magic, offset: offset as u32, shift };
        let (first, second) = (line(square, one, mask), line(square, other, mask));
        let mut i = 0;
        while i < first.size {
            let (set, seen, index) = first.sets[i];
            let mut j = 0;
            while j < second.size {
                let both = set | second.sets[j].0;
                let index = if by_pext {
                    index | second.sets[j].2
                } else {
                    (both.wrapping_mul(magic) >> shift) as usize
                };
                table.attacks[offset + index] = seen | second.sets[j].1;
                j += 1;
            }
            i += 1;
        }
        offset += first.size * second.size;
        square += 1;
    }
    assert!(offset == N, "the table is filled exactly");
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout, reason = "tests say what they skip")]

    use super::*;

    fn agrees_with_walking<S: Sliders>() {
        for (square, diagonal) in (0..64).flat_map(|square| [(square, true), (square, false)]) {
            let [one, other] = lines(diagonal);
            let seen = |occupied| walk(square, occupied, one) | walk(square, occupied, other);
            let mask = blockers(square, one) | blockers(square, other);
            for subset in crate::Bitboard(mask).subsets() {
                // Pieces off the lines and on their last squares must not matter.
                let occupied = subset.0 | !seen(0);
                let found =
                    if diagonal { S::bishop(square, occupied) } else { S::rook(square, occupied) };
                assert_eq!(found, seen(subset.0));
            }
        }
    }

    #[test]
    fn magics_agree_with_walking_the_board() {
        agrees_with_walking::<Magic>();
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn pext_agrees_with_walking_the_board() {
        if !pext_is_fast() {
            println!("skipped: this processor gathers no bits, or slowly");
            return;
        }
        #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
        fn with_bmi2() {
            agrees_with_walking::<Pext>();
        }
        // SAFETY: asked for just above.
        unsafe { with_bmi2() }
    }
}
