//! Syzygy tables, for ending games whose result they know.

use super::plan::{Adjudication, TbResults};
use dyno_chess::{Bitboard, Color, Position, Role, Square, attacks};
use pyrrhic_rs::{DtzProbeValue, EngineAdapter, TableBases, WdlProbeResult};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What the tables say about the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    Win,
    Draw,
    Loss,
}

/// Why tables cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TablebaseError {
    #[error("-tb {path}: no such folder")]
    NoFolder { path: String },
    #[error("-tb {path}: no Syzygy tables (*.rtbw) in it")]
    NoTables { path: String },
    #[error("-tb {path}: the tables could not be read")]
    Unreadable { path: String },
    #[error("-tb {path}: other tables are in use in this process")]
    Busy { path: String },
}

/// Our attack tables, for the probing code.
#[derive(Clone)]
struct Attacks;

fn square(index: u64) -> Square {
    Square::from_index((index & 63) as usize)
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, at: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        attacks::pawn(color, square(at)).0
    }
    fn knight_attacks(at: u64) -> u64 {
        attacks::knight(square(at)).0
    }
    fn bishop_attacks(at: u64, occupied: u64) -> u64 {
        attacks::bishop(square(at), Bitboard(occupied)).0
    }
    fn rook_attacks(at: u64, occupied: u64) -> u64 {
        attacks::rook(square(at), Bitboard(occupied)).0
    }
    fn queen_attacks(at: u64, occupied: u64) -> u64 {
        attacks::queen(square(at), Bitboard(occupied)).0
    }
    fn king_attacks(at: u64) -> u64 {
        attacks::king(square(at)).0
    }
}

/// Open tables and the rules they are used by.
pub struct Tablebase {
    tables: Arc<Tables>,
    most_pieces: u32,
    ignore_fifty: bool,
    results: TbResults,
}

struct Tables {
    path: String,
    probe: TableBases<Attacks>,
}

/// The probing code keeps its tables in global variables, so all users share one set.
static OPEN: Mutex<Weak<Tables>> = Mutex::new(Weak::new());
static PROBING: Mutex<()> = Mutex::new(());

impl Tablebase {
    /// Opens the tables of the plan, if it wants any.
    pub fn open(plan: &Adjudication) -> Result<Option<Self>, TablebaseError> {
        let Some(path) = &plan.tb else { return Ok(None) };
        let tables = open(path)?;
        let largest = tables.probe.max_pieces();
        Ok(Some(Self {
            tables,
            most_pieces: plan
                .tbpieces
                .filter(|most| *most > 0)
                .map_or(largest, |most| most.min(largest)),
            ignore_fifty: plan.tbignore50,
            results: plan.tbadjudicate,
        }))
    }

    /// The result by perfect play, when the tables know it for sure.
    ///
    /// Draws are certain anywhere. Wins are certain where the fifty-move counter stands at zero,
    /// because the tables of results count from there; elsewhere the tables of distances must
    /// say that the next capture or pawn move comes in time.
    pub fn verdict(&self, position: &Position) -> Option<Wdl> {
        if position.occupied().count() > self.most_pieces || !position.castling_rooks().is_empty() {
            return None;
        }
        let wdl = match (self.probe(position)?, self.ignore_fifty) {
            (WdlProbeResult::Draw, _) => Wdl::Draw,
            (WdlProbeResult::CursedWin | WdlProbeResult::BlessedLoss, false) => Wdl::Draw,
            (WdlProbeResult::Win | WdlProbeResult::CursedWin, _) => Wdl::Win,
            (WdlProbeResult::Loss | WdlProbeResult::BlessedLoss, _) => Wdl::Loss,
        };
        if wdl != Wdl::Draw && !self.ignore_fifty && !self.comes_in_time(position) {
            return None;
        }
        let wanted = match self.results {
            TbResults::Both => true,
            TbResults::WinLoss => wdl != Wdl::Draw,
            TbResults::Draw => wdl == Wdl::Draw,
        };
        wanted.then_some(wdl)
    }

    /// Whether the winner makes progress before the fifty moves are over.
    fn comes_in_time(&self, position: &Position) -> bool {
        let clock = position.halfmove_clock();
        if clock == 0 {
            return true;
        }
        // The probing code cannot look up two distances at once.
        let _alone = PROBING.lock().unwrap_or_else(PoisonError::into_inner);
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(position);
        #[rustfmt::skip]
        let result = self.tables.probe.probe_root(
            white, black, kings, queens, rooks, bishops, knights, pawns,
            clock,
            position.en_passant().map_or(0, |s| s.index() as u32),
            position.side_to_move() == Color::White,
        );
        // Distances may be rounded by one ply, so the last one is left to be played.
        let Ok(found) = result else { return false };
        matches!(found.root, DtzProbeValue::DtzResult(root) if clock + u32::from(root.dtz) < 100)
    }

    fn probe(&self, position: &Position) -> Option<WdlProbeResult> {
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(position);
        #[rustfmt::skip]
        let result = self.tables.probe.probe_wdl(
            white, black, kings, queens, rooks, bishops, knights, pawns,
            position.en_passant().map_or(0, |s| s.index() as u32),
            position.side_to_move() == Color::White,
        );
        result.ok()
    }
}

/// White, Black, and the pieces in the order that the probing code wants.
fn bitboards(position: &Position) -> [u64; 8] {
    let [white, black] = [Color::White, Color::Black].map(|color| position.by_color(color).0);
    let [king, queen, rook, bishop, knight, pawn] =
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]
            .map(|role| position.by_role(role).0);
    [white, black, king, queen, rook, bishop, knight, pawn]
}

fn open(path: &str) -> Result<Arc<Tables>, TablebaseError> {
    let path = path.to_owned();
    let mut slot = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tables) = slot.upgrade() {
        return if tables.path == path { Ok(tables) } else { Err(TablebaseError::Busy { path }) };
    }
    check_folders(&path)?;
    match TableBases::new(&path) {
        Ok(probe) => {
            let tables = Arc::new(Tables { path, probe });
            *slot = Arc::downgrade(&tables);
            Ok(tables)
        }
        Err(_) => Err(TablebaseError::Unreadable { path }),
    }
}

/// The probing code does not recover from an empty folder, so we look first.
fn check_folders(path: &str) -> Result<(), TablebaseError> {
    let mut any = false;
    for folder in std::env::split_paths(path) {
        let entries = std::fs::read_dir(&folder)
            .map_err(|_| TablebaseError::NoFolder { path: folder.display().to_string() })?;
        let is_table = |p: &Path| p.extension().is_some_and(|e| e == "rtbw");
        any |= entries.flatten().any(|entry| is_table(&entry.path()));
    }
    if any { Ok(()) } else { Err(TablebaseError::NoTables { path: path.to_owned() }) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
    use super::*;

    const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open/syzygy");

    fn plan(tbignore50: bool) -> Adjudication {
        Adjudication { tb: Some(TABLES.into()), tbignore50, ..Adjudication::default() }
    }

    #[test]
    fn verdicts_of_known_endings() {
        if !Path::new(TABLES).is_dir() {
            eprintln!("skipped: {TABLES} is not there");
            return;
        }
        let tables = Tablebase::open(&plan(false)).unwrap().unwrap();
        let verdict = |fen: &str| tables.verdict(&Position::from_fen(fen).unwrap());
        for (fen, wanted) in [
            ("8/8/8/8/8/4k3/8/KQ6 w - - 0 1", Some(Wdl::Win)),
            ("8/8/8/8/8/4k3/8/KQ6 b - - 0 1", Some(Wdl::Loss)),
            // With the counter on: a win where it still comes in time.
            ("8/8/8/8/8/4k3/8/KQ6 w - - 3 1", Some(Wdl::Win)),
            ("8/8/8/8/8/4k3/8/KQ6 w - - 97 1", None),
            ("8/8/8/3k4/8/8/8/KBN5 b - - 90 1", None),
            ("8/8/8/3k4/8/8/8/KBN5 b - - 5 1", Some(Wdl::Loss)),
            ("8/8/8/8/8/k7/p7/K7 w - - 0 1", Some(Wdl::Draw)),
            ("8/8/8/8/8/k7/p7/K7 w - - 9 1", Some(Wdl::Draw)),
            ("8/8/8/3k4/8/8/8/KNN5 w - - 0 1", Some(Wdl::Draw)),
            ("8/8/8/3k4/8/8/8/KBN5 b - - 0 1", Some(Wdl::Loss)),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None),
        ] {
            assert_eq!(verdict(fen), wanted, "{fen}");
        }
        let ignoring = Tablebase::open(&plan(true)).unwrap().unwrap();
        let late = Position::from_fen("8/8/8/8/8/4k3/8/KQ6 w - - 3 1").unwrap();
        assert_eq!(ignoring.verdict(&late), Some(Wdl::Win));
        let few = Adjudication { tbpieces: Some(2), ..plan(true) };
        assert_eq!(Tablebase::open(&few).unwrap().unwrap().verdict(&late), None);
    }

    #[test]
    fn bad_folders_are_named() {
        let open = |path: &str| {
            Tablebase::open(&Adjudication { tb: Some(path.into()), ..Adjudication::default() })
        };
        assert!(matches!(open("/no/such/folder"), Err(TablebaseError::NoFolder { .. })));
        assert!(matches!(open(env!("CARGO_MANIFEST_DIR")), Err(TablebaseError::NoTables { .. })));
    }
}
