//! All checks, each with the rule it examines, the usual causes of failure and the way to mend it.

use super::needs::Need::{
    self, Depth, Infinite, Movetime, Nodes, ReadsInput, SearchMoves, Stop as Stops,
};
use super::spec::{CheckSpec, Group, Guide, SHARE};
use super::{
    caches, consistency, deep_mates, depths, draws, endurance, every_move, full_table, hash_size,
    identity, legality, limits, limits_once, listed, mates, mirror, mix_ups, odd_limits, offers,
    options, oversights, protocol, root_moves, scores, setups, speed, stability, startup, stopping,
    table, tactics, threads, timing, whole_lines, zugzwang,
};

/// The check of an id.
pub fn find_check(id: &str) -> Option<&'static CheckSpec> {
    CATALOGUE.iter().find(|check| check.id == id)
}

macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

macro_rules! checks {
    ($($group:ident $id:literal $title:literal $run:path {
        rule: $rule:literal, causes: $causes:literal, fix: $fix:literal
        $(, needs: $needs:expr)? $(, share: $share:literal)? $(,)?
    })*) => {
        /// Every check, in the order of the examination.
        pub static CATALOGUE: &[CheckSpec] = &[$(CheckSpec {
            id: $id,
            group: Group::$group,
            title: $title,
            guide: Guide { rule: $rule, causes: $causes, fix: $fix },
            needs: { const NEEDS: &[Need] = first!($(&$needs,)? &[]); NEEDS },
            share: first!($($share,)? SHARE),
            run: $run,
        }),*];
    };
}

checks! {
    Startup "startup.handshake" "answers uci and says its name" startup::handshake {
        rule: "After `uci` the engine sends `id name`, its options and `uciok`, within a second or two.",
        causes: "Tables computed or large hash allocated before the first answer; output left in a buffer.",
        fix: "Answer `uci` first and allocate on `isready`; flush after every line.",
        share: 0.5,
    }
    Startup "startup.ready" "answers isready" startup::ready {
        rule: "`isready` is answered with `readyok` as soon as earlier commands are carried out.",
        causes: "A main loop that polls with a sleep; output left in a buffer.",
        fix: "Block on input instead of polling; flush after `readyok`.",
        share: 1.0,
    }
    Startup "startup.quit" "ends on quit" startup::quit {
        rule: "`quit` ends the process soon, with exit code 0.",
        causes: "A search or timer thread that is never joined or told to stop; a crash in a destructor.",
        fix: "Tell all threads to stop, join them, return from main.",
        share: 1.0,
    }
    Startup "startup.quit-while-searching" "ends on quit during a search" startup::quit_while_searching {
        rule: "`quit` during a search ends the process as soon as possible.",
        causes: "Input is not read while searching, or the search flag is not set by `quit`.",
        fix: "Read input on its own thread; let `quit` do what `stop` does, then leave.",
        needs: [Infinite],
        share: 1.0,
    }
    Startup "startup.end-of-input" "ends at the end of its input" startup::end_of_input {
        rule: "When the input is closed, no more commands can come: the engine ends.",
        causes: "A failed read is taken for an empty line and tried again without end.",
        fix: "Treat end of file like `quit`.",
        share: 1.0,
    }
    Startup "startup.leftovers" "leaves no process behind" startup::leftovers {
        rule: "After `quit`, nothing that the engine started is still running.",
        causes: "A wrapper script that does not `exec` the engine; helper processes that are not ended.",
        fix: "Use `exec` in scripts; end and wait for helpers.",
        share: 1.0,
    }
    Protocol "protocol.options" "declares its options well" options::declarations {
        rule: "Each option line has a name, a known type, and a default inside its own range or choices.",
        causes: "Hand-written lines with a missing `min` or `max`, or a default changed later.",
        fix: "Print the declarations from the same table that checks the values.",
    }
    Protocol "protocol.option-values" "survives every option value" options::values {
        rule: "Every declared value can be set; rubbish is refused without harm.",
        causes: "Numbers read without checking; tables resized to zero; an option set during set-up.",
        fix: "Parse, clamp to the declared range, ignore what cannot be read.",
        share: 3.0,
    }
    Protocol "protocol.option-changes" "lets options change while it runs" options::changes {
        rule: "Options can be changed between searches, and a change during one does no harm.",
        causes: "A table that is resized while threads hold it; a setting that is read only at the start.",
        fix: "Wait for the search to end before an option takes effect; read options when `go` comes.",
        needs: [Depth],
        share: 3.0,
    }
    Protocol "protocol.unknown-commands" "passes over what it does not know" protocol::unknown_commands {
        rule: "Unknown commands and empty lines are ignored.",
        causes: "An assertion or exit in the default branch; a line without words indexed at its first.",
        fix: "Ignore, perhaps with an `info string`.",
        needs: [Depth],
        share: 1.0,
    }
    Protocol "protocol.isready-while-searching" "answers isready during a search" protocol::ready_while_searching {
        rule: "`isready` is answered at once, also while the engine searches, and does not end the search.",
        causes: "Search and input on one thread; input polled only every few seconds.",
        fix: "Search on its own thread.",
        needs: [Infinite],
        share: 2.0,
    }
    Protocol "protocol.stop" "stops at once" stopping::stops {
        rule: "`stop` ends the search as soon as possible, with a move even when it comes immediately.",
        causes: "The stop flag is looked at too rarely, or cleared by the starting search after `stop` has set it; no move before the first iteration ends.",
        fix: "Clear the flag before starting the thread; look at it every few thousand nodes; keep the first legal move as a fallback.",
        needs: [Infinite, ReadsInput],
        share: 2.0,
    }
    Protocol "protocol.stop-twice" "answers a search once" stopping::stop_twice {
        rule: "There is exactly one `bestmove` for each `go`, however often `stop` is sent, and none when idle.",
        causes: "`stop` prints the move itself instead of ending the search.",
        fix: "Print `bestmove` in one place: where the search returns.",
        needs: [Infinite, ReadsInput, Stops],
        share: 1.0,
    }
    Protocol "protocol.infinite" "goes on until stop on go infinite" protocol::infinite {
        rule: "After `go infinite` no `bestmove` is sent before `stop`, even if the search has nothing left to do.",
        causes: "The loop ends at the maximal depth or at a mate, and prints.",
        fix: "When the search is done before `stop`, wait for it.",
        share: 3.0,
    }
    Protocol "protocol.depth" "keeps to go depth" depths::depth {
        rule: "`go depth n` ends by itself after the iteration of depth n, with that depth and no greater one in the last info line.",
        causes: "The word is not read; the limit is compared after the next iteration has begun; extensions counted as depth.",
        fix: "Let the loop of iterative deepening run to the smaller of the limit and the greatest depth.",
        needs: [Depth],
        share: 2.0,
    }
    Protocol "protocol.limits" "keeps to every kind of limit" limits::every_limit {
        rule: "Each of depth, nodes, movetime, mate, clocks, increments and movestogo ends the search with a legal move.",
        causes: "A parameter that is not read, so that the search is endless; division by a zero movestogo.",
        fix: "Read all parameters into one structure, and let every limit in it end the search.",
        needs: [Depth],
        share: 3.0,
    }
    Protocol "protocol.odd-limits" "survives odd limits" odd_limits::odd_limits {
        rule: "Odd limits do no harm: the words of `go` in another order, unknown ones, `movestogo 0`, a clock at or below zero, a second `go`.",
        causes: "Words read at fixed places; a division by zero; less than nothing taken for no limit.",
        fix: "Look for each word by its name, take 0 for not given, and leave at least a millisecond for a move.",
        needs: [Depth],
        share: 2.5,
    }
    Protocol "protocol.position" "sets up every position anew" setups::positions {
        rule: "A `position` describes the whole position, whatever was set up before; white space of any kind separates its words, and the counters of a FEN may be missing.",
        causes: "Moves played on the board that stands there; castling rights or en passant left from the position before; lines split at single spaces.",
        fix: "Begin every `position` with an empty state, and split lines at white space.",
        needs: [Depth],
        share: 2.0,
    }
    Protocol "protocol.limits-once" "forgets a limit after its search" limits_once::limits_once {
        rule: "A limit holds for the `go` it comes with, and for no other.",
        causes: "Time, nodes or depth are globals that `go` sets where they are given and nothing resets.",
        fix: "Begin every `go` with a new structure of limits.",
        needs: [Depth],
        share: 2.0,
    }
    Protocol "protocol.ponder" "ponders, and takes ponderhit" protocol::ponder {
        rule: "While pondering no move is sent; after `ponderhit` the clock counts; on `stop` the move comes.",
        causes: "The time limit runs while pondering; `ponderhit` is ignored.",
        fix: "Start without a limit, and set it when `ponderhit` comes.",
        needs: [ReadsInput, Stops],
        share: 3.0,
    }
    Protocol "protocol.searchmoves" "keeps to searchmoves" root_moves::search_moves {
        rule: "`go searchmoves` restricts the root to the given moves, to all of them.",
        causes: "Not implemented: the words are skipped; or one of them is kept.",
        fix: "Filter the root move list.",
        needs: [Depth],
    }
    Protocol "protocol.searchmoves-once" "forgets searchmoves after the search" root_moves::search_moves_once {
        rule: "`searchmoves` holds for the search it comes with, and for no other.",
        causes: "The list of root moves is a global that `go searchmoves` fills and nothing clears.",
        fix: "Build the list of root moves anew with every `go`.",
        needs: [Depth, SearchMoves],
        share: 1.0,
    }
    Protocol "protocol.multipv" "shows several lines in order" root_moves::multi_pv {
        rule: "With MultiPV n there are n lines with different first moves, ordered by score.",
        causes: "Lines of the previous iteration mixed with new ones; no re-sorting after the iteration.",
        fix: "Sort the root moves after each iteration and print them together.",
        needs: [Depth],
        share: 2.0,
    }
    Protocol "protocol.info" "says what it thinks, and truly" limits::info_lines {
        rule: "Info lines are well-formed; depth, nodes and time do not fall within a search; every move of a PV is legal.",
        causes: "PV lines taken from the table after it was overwritten; a hash move of another position; counters reset between iterations; 32-bit overflow.",
        fix: "Collect the PV in the search itself, and check table moves for legality.",
        needs: [Depth],
        share: 3.0,
    }
    Protocol "protocol.info-clock" "tells its time and speed truly" limits::info_clock {
        rule: "`time` is in milliseconds since `go`, and `nps` is nodes by time.",
        causes: "Another unit; processor time instead of the clock on the wall; a start that is not reset with every `go`.",
        fix: "Take the start when `go` is read, from a monotonic clock, and print milliseconds.",
        needs: [Movetime],
        share: 2.0,
    }
    Protocol "protocol.mate-scores" "announces only mates that are there" limits::mate_scores {
        rule: "`score mate n` means that mate can be forced in n moves.",
        causes: "Mate scores stored in the table without correcting them by the ply; plies printed instead of moves, or halved and rounded down; pruning that trusts a mate bound; a check of which every answer was pruned, scored as mate.",
        fix: "Add the ply when storing and subtract it when reading; print (plies + 1) / 2.",
        needs: [Depth],
        share: 3.0,
    }
    Protocol "protocol.castling" "writes castling rightly" root_moves::castling_notation {
        rule: "Castling is the king's move (e1g1); with UCI_Chess960 it is king takes rook (e1h1).",
        causes: "One notation used for both; the option read but not used on output.",
        fix: "Choose the notation in the one function that prints moves.",
        needs: [Depth, SearchMoves],
        share: 1.0,
    }
    Legality "legality.perft" "counts moves rightly" legality::perft_counts {
        rule: "Perft counts equal the reference; where not, the wrong move is hunted down and named.",
        causes: "Castling rights kept after the rook is captured, en passant that exposes the king, squares indexed off by one, undo that forgets a state.",
        fix: "Set up the position shown, look at the move named, then run `dyno perft N --engine E` until all is right.",
        share: 6.0,
    }
    Legality "legality.illegal-moves" "knows which moves are illegal" offers::illegal_moves {
        rule: "An illegal move is not played, however good it would be, and not searched when it is offered by `searchmoves`.",
        causes: "Castling rights kept after the rook moved or was captured, castling through or out of check, en passant that exposes the king or comes too late, pins.",
        fix: "The finding names the rule and the position: set it up, list the moves, look at the one named.",
        needs: [Depth],
        share: 5.0,
    }
    Legality "legality.forgotten-moves" "knows every legal move" offers::forgotten_moves {
        rule: "Every legal move is known: it is played where it is the only good one, and searched when `searchmoves` asks for it.",
        causes: "Underpromotions, en passant in check, castling while only the rook is attacked, a pinned piece's moves along its line.",
        fix: "The finding names the kind of move and the position: set it up and list the moves.",
        needs: [Depth],
        share: 4.0,
    }
    Legality "legality.listed-moves" "lists exactly the legal moves" listed::listed_moves {
        rule: "With MultiPV as large as it goes, there is one line for each legal move: no move is missing, and none is too many.",
        causes: "Castling rights, en passant, promotions and pins, in the generator or when `position … moves …` is carried out.",
        fix: "The finding names the rule and the position: set it up, list the moves, look at the one named.",
        needs: [Depth],
        share: 3.0,
    }
    Legality "legality.special" "plays legally in special positions" legality::special_positions {
        rule: "Every answer and every PV is legal: under double check, with en-passant pins, with 218 moves, with one.",
        causes: "Move lists too short for 218 moves; hash moves not checked; legality tested only outside check.",
        fix: "Reproduce with the position shown; perft at depth 1 of it usually shows the cause.",
        share: 3.0,
    }
    Legality "legality.ended" "knows when the game is over" legality::ended_games {
        rule: "Asked for a move in a mate or stalemate, an engine says `bestmove (none)` or `0000`, and survives. In most of the positions one broken rule would offer a way out.",
        causes: "The first move of an empty list is played; or the move named breaks the rule named, in the generator or when `position … moves …` is carried out.",
        fix: "Answer before searching when there is no legal move; mend the rule named.",
        needs: [Depth],
        share: 2.0,
    }
    Legality "legality.random" "plays legally everywhere" legality::random_games {
        rule: "The best move and the ponder move are legal in positions of random games.",
        causes: "As above; also state left over from the position before.",
        fix: "Reproduce with the position shown.",
        share: 4.0,
    }
    Legality "legality.ponder" "names a legal move to ponder on" legality::ponder_moves {
        rule: "The move after `ponder` is legal after the best move.",
        causes: "The second move of a line that belongs to another best move, or of a line cut short by the table.",
        fix: "Take best move and ponder move from the same line, and leave the ponder move out when there is none.",
        needs: [Depth],
        share: 1.0,
    }
    Legality "legality.chess960" "plays legally in Chess960" legality::chess960 {
        rule: "With UCI_Chess960 every answer is legal, castling included.",
        causes: "Castling paths assumed to begin on e1; the rook's square assumed to be a corner; castling rights lost by the wrong rook.",
        fix: "Keep castling rights by rook square; test king and rook paths apart.",
        needs: [Depth],
        share: 2.0,
    }
    Identity "hash.by-moves" "is where the moves lead" identity::by_moves {
        rule: "FEN and key after `position … moves …` are those of the same position set up directly.",
        causes: "The old en-passant square is not taken out of the key, castling rights are not updated when a rook is captured, a promotion is hashed as a pawn.",
        fix: "After every make, compare the key with one computed from scratch (debug builds).",
        share: 2.0,
    }
    Identity "hash.transpositions" "gives transpositions one key" identity::transpositions {
        rule: "The same position has the same key, by whatever moves it was reached.",
        causes: "En passant hashed though no capture is possible; move counters in the key.",
        fix: "Hash en passant only when a capture is legal.",
        share: 1.0,
    }
    Identity "hash.distinct" "gives different positions different keys" identity::distinct {
        rule: "Positions that differ in pieces, side to move, castling rights or en passant have different keys.",
        causes: "A component left out of the key; random numbers that repeat.",
        fix: "Fill the tables from a 64-bit generator and use every component.",
        share: 2.0,
    }
    Identity "hash.table" "finds in its table what it has searched" table::found_again {
        rule: "A position that has just been searched takes fewer nodes the second time, also when moves lead to it: the keys are the same.",
        causes: "A key that is updated wrongly by captures, promotions, castling, en passant or lost castling rights, so that it differs from the key of the same position set up directly.",
        fix: "After every make, compare the key with one computed from scratch (debug builds).",
        needs: [Depth],
        share: 5.0,
    }
    Identity "hash.mixed-up" "does not mix up positions in its table" mix_ups::mixed_up {
        rule: "Positions that differ in the side to move, castling rights or the en-passant square are not taken for each other.",
        causes: "A component left out of the key.",
        fix: "Hash every component: pieces, side to move, castling rights, en-passant file.",
        needs: [Depth],
        share: 4.0,
    }
    Identity "hash.full" "keeps positions apart in a full table" full_table::full {
        rule: "What hangs is taken as with an empty table when the smallest table is full of other positions.",
        causes: "Entries used without comparing the key, or with too few bits of it.",
        fix: "Keep the key, or enough of it, in every entry, and compare it on every probe.",
        needs: [Depth],
        share: 3.0,
    }
    Consistency "search.deterministic" "searches the same way twice" consistency::determinism {
        rule: "The same position, depth and options after `ucinewgame`, with one thread: the same move, score and nodes.",
        causes: "History, killers or correction tables not cleared; uninitialised memory; decisions that look at the clock.",
        fix: "Clear everything on `ucinewgame`; look for uninitialised memory with valgrind.",
        needs: [Depth],
        share: 3.0,
    }
    Consistency "search.path-independent" "does not care how a position came about" consistency::path_independence {
        rule: "Transposed move orders give the same static evaluation, or else the same search with cleared tables; so does a position reached by moves, and the same one set up directly.",
        causes: "Incremental evaluation that drifts; a cache keyed by something else than the position.",
        fix: "Compare incremental values with recomputed ones after every make and undo.",
        needs: [Depth],
        share: 2.0,
    }
    Consistency "search.caches" "scores a position alike whatever came before" caches::caches {
        rule: "The score of a position does not depend on what was evaluated before it.",
        causes: "A table of pawns, kings or material whose key lacks something that the entry depends on, or is not updated by captures, promotions or king's moves.",
        fix: "Switch the caches off one by one until the score is right; after every make, compare each key with one computed from scratch.",
        needs: [Depth],
        share: 1.0,
    }
    Consistency "search.mirror" "treats both colours alike" mirror::mirror {
        rule: "A position with colours exchanged has the negated evaluation.",
        causes: "A table indexed without mirroring; a bonus added for White only; a sign lost.",
        fix: "Evaluate for one side with mirrored squares, and subtract.",
        needs: [Depth],
        share: 3.0,
    }
    Consistency "search.point-of-view" "tells scores of the side to move" scores::point_of_view {
        rule: "A score is that of the side to move, at every depth.",
        causes: "Scores told from White's point of view; a missing negation in the search or in the evaluation.",
        fix: "Return evaluations for the side to move; look at every recursive call: `score = -search(depth - 1, -beta, -alpha)`.",
        needs: [Depth],
        share: 2.0,
    }
    Consistency "search.asked-again" "tells the same side whatever was asked before" scores::asked_again {
        rule: "A score has the right sign also when the same board was searched before, for either side, and nothing was cleared.",
        causes: "A cache of evaluations whose key lacks the side to move; a score kept before its sign is changed for the side to move.",
        fix: "Keep scores for the side to move, under a key that contains it.",
        needs: [Depth],
        share: 1.5,
    }
    Consistency "search.checks" "sees beyond a check" scores::checks_at_the_end {
        rule: "A check that gives nothing away does not make a won position even, at any depth.",
        causes: "Quiescence scores a side in check as a draw, or returns before it has searched a way out.",
        fix: "In check, search all legal moves in quiescence, from minus infinity; no move is mate.",
        needs: [Depth],
        share: 1.0,
    }
    Consistency "search.depth-scores" "keeps its head from depth to depth" consistency::depth_scores {
        rule: "Scores of quiet positions do not jump by pawns between consecutive depths.",
        causes: "A missing negation in negamax shows as a score that changes sign with the parity of depth.",
        fix: "Look at every recursive call: `score = -search(depth - 1, -beta, -alpha)`.",
        needs: [Depth],
        share: 2.0,
    }
    Consistency "search.mate-kept" "does not lose a mate it has found" consistency::mate_kept {
        rule: "A mate found at a depth is still a mate at a greater one.",
        causes: "Mate scores corrupted by the table; pruning or reductions of mating moves in won positions.",
        fix: "Correct mate scores by ply; do not prune when a mate is at hand.",
        needs: [Depth],
        share: 2.0,
    }
    Consistency "search.mate-distance" "counts the moves to mate" mates::distance {
        rule: "`score mate n` has the right sign and number: when mating and when being mated, and at every step of the way while the table knows the rest.",
        causes: "Mate scores stored in the table without correcting them by the ply; half-moves printed instead of moves; a sign lost when being mated.",
        fix: "Add the ply when storing and subtract it when reading; print (plies + 1) / 2, negative when being mated.",
        needs: [Depth],
        share: 5.0,
    }
    Consistency "search.repetition" "knows that a repetition is a draw" draws::repetition {
        rule: "A position that comes for the third time is a draw, and scored near zero.",
        causes: "The moves of `position … moves …` are played without keeping their keys; the search does not look for repetitions.",
        fix: "Keep the key of every position since the last capture or pawn move, those of the game included, and compare.",
        needs: [Depth],
        share: 1.0,
    }
    Consistency "search.fifty-moves" "knows the fifty-move rule" draws::fifty_moves {
        rule: "A hundred half-moves without a capture or a pawn move are a draw, unless the last one mates; captures and pawn moves begin a new count.",
        causes: "The fifth field of the FEN is not read; the clock is not set to zero; the draw is looked for before the mate.",
        fix: "Read the clock, reset it on captures and pawn moves, and test for mate before scoring the draw.",
        needs: [Depth],
        share: 1.5,
    }
    Consistency "search.dead-positions" "knows what can mate" draws::dead_positions {
        rule: "Bare kings and a lone minor piece are a draw; a rook, a queen or a pawn is not.",
        causes: "Material counted without asking whether it can mate; a mating piece taken for a minor one.",
        fix: "Score insufficient material as a draw, and test it with each piece.",
        needs: [Depth],
        share: 1.5,
    }
    Consistency "search.best-moves" "overlooks no move" oversights::best_moves {
        rule: "No move, searched by itself much less deep, is a piece better than what was chosen among all.",
        causes: "Pruning or reductions that are never verified, table scores used beyond their bound or depth, windows that fail and are not searched again.",
        fix: "Switch off pruning, reductions and the table one by one until the score is right.",
        needs: [Depth],
        share: 5.0,
    }
    Consistency "search.root-moves" "searches every root move" every_move::every_move {
        rule: "A mate in one is played wherever it stands in the list of moves; it should be seen at depth 1 already.",
        causes: "A loop over the root moves that leaves out the first or the last; a list that is cut short; pruning at the root; quiescence that stands pat in check.",
        fix: "Search every root move, prune only below the root, and search all ways out of a check in quiescence.",
        needs: [Depth],
        share: 2.0,
    }
    Consistency "search.effort" "works for its depth" deep_mates::effort {
        rule: "Depth 20 of a middlegame is not reached with a few thousand nodes.",
        causes: "Table entries that cut although they were searched less deep than asked for; a depth that is counted without searching.",
        fix: "Use the score of an entry only where its depth is at least the depth asked for.",
        needs: [Depth, ReadsInput, Stops],
        share: 1.0,
    }
    Consistency "search.lines" "ends each iteration with a whole line" whole_lines::whole_lines {
        rule: "The last line of an iteration is that of a finished search: several moves, and an exact score.",
        causes: "An aspiration window that fails and is not searched again; a line that the table cuts off after its first move.",
        fix: "Repeat the iteration with a wider window until the score lies inside, and print bounds as bounds.",
        needs: [Depth],
        share: 1.5,
    }
    Consistency "search.zugzwang" "sees mates that need zugzwang" zugzwang::zugzwang {
        rule: "A mate by zugzwang in a pawn ending is seen: neither side may pass.",
        causes: "Null moves tried with king and pawns alone, and not verified; moves reduced or pruned in endings as in middlegames.",
        fix: "No null move when the side to move has only king and pawns.",
        needs: [Depth],
        share: 2.5,
    }
    Tactics "tactics.captures" "takes what hangs" scores::captures {
        rule: "A queen or rook that can be taken for nothing is taken.",
        causes: "A missing negation in the search or in quiescence, an exchange evaluation with the wrong sign, captures that are not searched.",
        fix: "Search the position shown at depth 1 and 2, and follow the score of the capture up the tree.",
        needs: [Depth],
        share: 2.5,
    }
    Tactics "tactics.wac" "finds tactics" tactics::win_at_chess {
        rule: "At least a third of a sample of Win at Chess is solved with thirty thousand nodes each; by depth, where nodes are not kept, it is a figure alone.",
        causes: "No quiescence search, or one that stands pat in check; too much pruning.",
        fix: "`dyno suite --epd wac` shows each miss with its board.",
        share: 5.0,
    }
    Tactics "tactics.mates" "finds short mates" tactics::mates {
        rule: "Mates in one to three are played; a mate in one is never missed.",
        causes: "Stopping before the first iteration ends; mate scores below other scores.",
        fix: "`dyno mate` judges every mate score and line.",
        share: 3.0,
    }
    Tactics "tactics.mates-by-depth" "finds mates in two when it searches deep enough" deep_mates::by_depth {
        rule: "At twice the depth that it needs and more, a mate in two is played; one of many may be overlooked, and mates are announced.",
        causes: "Table entries used beyond their depth or bound, reduced moves that are not searched again, a window that fails and is taken for exact, a root move left out.",
        fix: "Switch off the table, the reductions and the window one by one until the mate shown is played.",
        needs: [Depth],
        share: 4.0,
    }
    Time "time.movetime" "keeps movetime" timing::movetime {
        rule: "`go movetime` is used, and not overstepped by more than a few milliseconds.",
        causes: "The clock is looked at too rarely; the time is split as if it were a whole game's.",
        fix: "Check the clock every few thousand nodes; stop a little early.",
        needs: [Movetime],
        share: 5.0,
    }
    Time "time.clock" "keeps its clock" timing::clocks {
        rule: "A move never takes longer than the engine's own clock has, whatever the opponent's says and whatever is still to be earned, and leaves something for the moves to come; with plenty of time it is thought about.",
        causes: "No safety margin; increment spent before it is earned; movestogo ignored; a clock of weeks that overflows 32 bits.",
        fix: "Budget (time / moves to go) plus part of the increment, capped at what is left less a margin.",
        share: 6.0,
    }
    Time "time.nodes" "keeps node limits" timing::nodes {
        rule: "`go nodes` ends near the given number.",
        causes: "Nodes are compared only after an iteration.",
        fix: "Compare where the clock is looked at.",
        needs: [Nodes],
        share: 3.0,
    }
    Time "time.fast-games" "does not lose on time at 1+0.01" timing::fast_games {
        rule: "In self-play at one second and ten milliseconds a move, no game is lost on time.",
        causes: "No overhead allowed for the pipe; slow clearing of tables between moves.",
        fix: "Offer a `Move Overhead` option and keep a margin of ten milliseconds.",
        share: 6.0,
    }
    Stability "stability.self-play" "plays whole games without fault" stability::games {
        rule: "Games against itself end by the rules: no crash, no illegal move, every PV legal.",
        causes: "Positions that tests do not reach: long games, repetitions, many queens.",
        fix: "The evidence names the game and the fault; replay it.",
        share: 6.0,
    }
    Stability "stability.many-searches" "searches as well the hundredth time" endurance::many_searches {
        rule: "Hundreds of searches in one process end like the first.",
        causes: "A list or a counter that every search adds to; threads that are never joined.",
        fix: "Look at what outlives a search, and give it back when the search ends.",
        needs: [Depth],
        share: 3.0,
    }
    Stability "stability.deep-searches" "searches deep" endurance::deep_searches {
        rule: "Where there is little to look at, a search comes to great depths and long lines, and goes on.",
        causes: "Arrays by ply or depth without a bound, a buffer that a long line overflows, a depth beyond the type it is kept in.",
        fix: "End the search at the greatest ply there is room for; collect lines in something that grows.",
        needs: [Movetime],
        share: 2.5,
    }
    Stability "stability.long-games" "takes long games" endurance::long_games {
        rule: "A `position` with hundreds of moves is carried out, however long the line, and however long nothing is captured.",
        causes: "A fixed buffer for the line, or for the positions of the game.",
        fix: "Read lines of any length; let the list of positions grow.",
        needs: [Depth],
        share: 1.5,
    }
    Stability "stability.threads" "plays with several threads" threads::threads {
        rule: "With Threads at 2 and more every answer is legal, `stop` is obeyed, and a mate in one is played that is played with one thread.",
        causes: "Search state shared between threads; helpers that are not waited for, or waited for without an end.",
        fix: "Give every thread its own stack, history and board; stop and join helpers before `bestmove`.",
        needs: [Depth, Movetime],
        share: 3.0,
    }
    Stability "stability.memory" "does not leak" stability::memory {
        rule: "Memory does not grow with the number of games.",
        causes: "Threads or tables allocated anew for each search and never freed.",
        fix: "Run the engine under valgrind or a leak sanitizer: `dyno check --wrap \"valgrind …\"`.",
        needs: [Depth],
        share: 4.0,
    }
    Stability "stability.hash" "takes the Hash it is given" hash_size::hash_honoured {
        rule: "Memory follows the option Hash, at the start and later, up and down.",
        causes: "Megabytes mistaken for entries; the option read but the table never resized, or only once; the old table never freed.",
        fix: "Free the old table and allocate the new one on `setoption`, counting bytes.",
        needs: [Movetime],
        share: 3.0,
    }
    Stability "stability.new-games" "survives thousands of new games" stability::new_games {
        rule: "`ucinewgame` can be sent any number of times.",
        causes: "A leak or a thread for each.",
        fix: "Clear in place.",
        share: 2.0,
    }
    Stability "stability.hostile" "survives hostile input" stability::hostile_input {
        rule: "Wrong positions, illegal moves and rubbish neither crash nor hang the engine.",
        causes: "FEN fields indexed without looking; kings assumed to be there; fixed buffers.",
        fix: "Check the FEN and every move before using them; keep the old position when they are wrong.",
        needs: [Depth],
        share: 2.0,
    }
    Speed "speed.nps" "nodes per second" speed::nodes_per_second {
        rule: "A figure, not a rule: compare it with `dyno bench`.",
        causes: "–",
        fix: "–",
        needs: [Movetime],
        share: 3.0,
    }
    Speed "speed.time-to-depth" "time to depth 10" speed::time_to_depth {
        rule: "A figure, not a rule: compare it with `dyno bench`.",
        causes: "–",
        fix: "–",
        needs: [Depth],
        share: 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::{CAUSES, FIT_XBOARD, LAST};
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_tell_their_group() {
        let mut seen = HashSet::new();
        for check in CATALOGUE {
            assert!(seen.insert(check.id), "{} twice", check.id);
            let group = check.id.split('.').next();
            assert_eq!(group, Some(check.group.name()), "{}", check.id);
            assert!(find_check(check.id).is_some());
        }
        let mut listed = FIT_XBOARD.iter().chain(CAUSES).chain(LAST);
        assert!(listed.all(|id| find_check(id).is_some()));
    }
}
