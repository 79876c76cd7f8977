//! Distances between squares, as a king walks.

use dyno_chess::Square;

static DISTANCES: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let files = (a % 8usize).abs_diff(b % 8);
            let ranks = (a / 8usize).abs_diff(b / 8);
            table[a][b] = if files > ranks { files } else { ranks } as u8;
            b += 1;
        }
        a += 1;
    }
    table
};

/// How many moves a king needs from one square to another.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> usize {
    usize::from(DISTANCES[a.index()][b.index()])
}
