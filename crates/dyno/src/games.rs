//! Results to compute with, from the command line or from files.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use dyno_formats::open;
use dyno_report::statistics::Games;
use dyno_report::terminal::Progress;
use dyno_stats::{Homogeneity, Results, Tally};
use dyno_tournament::records::Records;
use dyno_uci::nearest_name;

/// Which results.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Results")]
pub struct GamesArgs {
    /// Wins, losses and draws, in this order; or PGN files or journals of dyno match
    #[arg(value_name = "W L D | FILE")]
    counts: Vec<String>,

    /// Pairs of games by points: LL,LD,WL+DD,WD,WW
    #[arg(long, value_name = "A,B,C,D,E", value_delimiter = ',')]
    penta: Vec<String>,

    /// Read games from this PGN file, plain or compressed; repeat for more, - for standard input
    #[arg(long, value_name = "FILE")]
    pgn: Vec<PathBuf>,

    /// Whose score it is, in a PGN [default: White of the first game]
    #[arg(long, value_name = "NAME")]
    player: Option<String>,

    /// Count only games against this opponent
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,

    /// Count every game by itself, even where games come in pairs
    #[arg(long)]
    no_pairs: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

/// Results, and the records they come from if they come from files.
pub struct Input {
    pub games: Games,
    /// The records, whose score, against whom.
    pub records: Option<(Records, usize, Option<usize>)>,
    /// Whether games count one by one.
    pub single: bool,
}

impl GamesArgs {
    /// Reads the results from wherever they are.
    pub fn input(&self) -> anyhow::Result<Input> {
        let is_count = |text: &String| text.parse::<i128>().is_ok();
        let (numbers, files): (Vec<&String>, Vec<&String>) =
            self.counts.iter().partition(|text| is_count(text));
        ensure!(
            numbers.is_empty() || files.is_empty(),
            "{:?} is neither a number nor, beside numbers, a file to read",
            files.first().map_or("", |file| file.as_str())
        );
        let files: Vec<PathBuf> =
            files.iter().map(PathBuf::from).chain(self.pgn.iter().cloned()).collect();
        let from_counts = !numbers.is_empty() || !self.penta.is_empty();
        match (from_counts, files.is_empty()) {
            (true, true) => self.counted(&numbers),
            (false, false) => self.read(&files),
            (true, false) => bail!("give either counts or PGN files, not both"),
            (false, true) => bail!(
                "no results: give wins, losses and draws (120 95 185), --penta 10,40,80,45,25, or a PGN file"
            ),
        }
    }

    fn counted(&self, numbers: &[&String]) -> anyhow::Result<Input> {
        ensure!(
            self.player.is_none() && self.opponent.is_none(),
            "--player and --opponent choose among the games of a PGN file"
        );
        let tally = match numbers {
            [] => None,
            [wins, losses, draws] => {
                let [wins, losses, draws] =
                    [number("wins", wins)?, number("losses", losses)?, number("draws", draws)?];
                Some(Tally { wins, losses, draws, pairs: [0; 5] })
            }
            _ => bail!(
                "{} number{} where three are wanted: wins, losses and draws, in this order",
                numbers.len(),
                if numbers.len() == 1 { "" } else { "s" }
            ),
        };
        let pairs = match self.penta.as_slice() {
            [] => None,
            [a, b, c, d, e] => Some([
                number("LL", a)?,
                number("LD", b)?,
                number("WL+DD", c)?,
                number("WD", d)?,
                number("WW", e)?,
            ]),
            other => bail!("--penta wants five numbers (LL,LD,WL+DD,WD,WW), not {}", other.len()),
        };
        if let (Some(tally), Some(pairs)) = (&tally, pairs) {
            agree(tally, pairs)?;
        }
        let tally = tally.map(|tally| Tally { pairs: pairs.unwrap_or_default(), ..tally });
        let results = match (pairs, tally) {
            (Some(pairs), _) if !self.no_pairs => Results::Pentanomial(pairs),
            (_, Some(tally)) => tally.trinomial(),
            _ => bail!("--no-pairs needs wins, losses and draws: pairs alone do not tell them"),
        };
        ensure!(results.games() > 0, "no games at all: nothing to tell");
        Ok(Input { games: Games::new(tally, results), records: None, single: self.no_pairs })
    }

    fn read(&self, files: &[PathBuf]) -> anyhow::Result<Input> {
        let records = read_records(files, self.quiet)?;
        ensure!(
            !records.is_empty(),
            "no game with a result in {}{}",
            names_of(files),
            first_reason(&records)
        );
        let player = match &self.player {
            Some(name) => find(&records, name)?,
            None if self.opponent.is_none() && records.names().len() > 2 => bail!(
                "{} players in {}: choose one with --player ({}), or make a list with dyno ratings",
                records.names().len(),
                names_of(files),
                some_names(&records)
            ),
            None => 0,
        };
        let opponent = match &self.opponent {
            Some(name) => Some(find(&records, name)?),
            None if records.names().len() == 2 => Some(1 - player),
            None => None,
        };
        let player = match opponent {
            // Without --player the opponent's first adversary is meant.
            Some(other) if other == player && self.player.is_none() => 1,
            _ => player,
        };
        ensure!(opponent != Some(player), "--player and --opponent are the same");
        let tally = records.score(player, opponent, |_| {});
        ensure!(tally.games() > 0, "these two never met in {}", names_of(files));
        let results = if self.no_pairs { tally.trinomial() } else { tally.best() };
        let by_file = records.pairs_by_file(player, opponent);
        let agreement = (by_file.len() > 1).then(|| Homogeneity::test(by_file)).flatten();
        let name = |player: usize| records.names()[player].clone();
        let games = Games {
            player: Some(name(player)),
            opponent: opponent.map(name),
            unfinished: records.unfinished,
            skipped: skipped(&records),
            files: agreement,
            ..Games::new(Some(tally), results)
        };
        let single = self.no_pairs || tally.pair_count() == 0;
        Ok(Input { games, records: Some((records, player, opponent)), single })
    }
}

/// A count. Anything else is named with its role.
fn number(role: &str, text: &str) -> anyhow::Result<u64> {
    // More games than this were never played, and sums must not overflow.
    const MOST: u64 = 1 << 50;
    match text.trim().parse::<u64>() {
        Ok(n) if n <= MOST => Ok(n),
        _ => bail!("{role} must be a whole number from 0 to {MOST}, not {text:?}"),
    }
}

/// Games and pairs of the same match have the same number of games and points.
fn agree(tally: &Tally, pairs: [u64; 5]) -> anyhow::Result<()> {
    let games = Results::Pentanomial(pairs).games();
    ensure!(
        tally.games() == games,
        "{} games do not make {} pairs: {games} would",
        tally.games(),
        games / 2
    );
    let half_points = 2 * tally.wins + tally.draws;
    let by_pairs: u64 = pairs.iter().zip(0u64..).map(|(n, points)| n * points).sum();
    ensure!(
        half_points == by_pairs,
        "the games give {} points and the pairs {}: they are not of one match",
        half_points as f64 / 2.0,
        by_pairs as f64 / 2.0
    );
    Ok(())
}

/// How the journal of a `dyno match` begins.
const JOURNAL_BEGINS: &[u8] = b"{\"dyno-match\"";

/// Reads PGN files and journals, with progress.
pub fn read_records(files: &[PathBuf], quiet: bool) -> anyhow::Result<Records> {
    let mut records = Records::default();
    let progress = Progress::new("MB", None, quiet);
    let mut megabytes = 0;
    for path in files {
        let mut opened = open(path)?;
        if opened.start()?.starts_with(JOURNAL_BEGINS) {
            records.read_journal(path, opened.reader)?;
            continue;
        }
        let reader = Watched {
            inner: opened.reader,
            progress: &progress,
            megabytes: &mut megabytes,
            bytes: 0,
        };
        let result = records.read_pgn(&path.display().to_string(), reader);
        result.map_err(anyhow::Error::msg).with_context(|| path.display().to_string())?;
    }
    progress.finish();
    Ok(records)
}

/// A reader that shows how far it is.
struct Watched<'a> {
    inner: Box<dyn BufRead + Send>,
    progress: &'a Progress,
    megabytes: &'a mut u64,
    bytes: usize,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Watched<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        const MEGABYTE: usize = 1_000_000;
        self.inner.consume(amount);
        self.bytes += amount;
        if self.bytes >= MEGABYTE {
            self.bytes -= MEGABYTE;
            *self.megabytes += 1;
            self.progress.set(*self.megabytes);
        }
    }
}

/// What could not be counted, as `file:line: reason`.
pub fn skipped(records: &Records) -> Vec<String> {
    records.skipped.iter().map(|s| format!("{}:{}: {}", s.file, s.line, s.reason)).collect()
}

/// The file, or how many there are.
pub fn names_of(files: &[PathBuf]) -> String {
    match files {
        [one] => one.display().to_string(),
        _ => format!("{} files", files.len()),
    }
}

fn first_reason(records: &Records) -> String {
    match (skipped(records).first(), records.unfinished) {
        (Some(reason), _) => format!(" ({reason})"),
        (None, 0) => String::new(),
        (None, n) => format!(" ({n} unfinished)"),
    }
}

/// The player of that name; a near miss is answered with the nearest name.
pub fn find(records: &Records, name: &str) -> anyhow::Result<usize> {
    let names = records.names();
    if let Some(player) = names.iter().position(|known| known == name) {
        return Ok(player);
    }
    let folded = |text: &str| text.to_lowercase();
    let same: Vec<usize> =
        (0..names.len()).filter(|&i| folded(&names[i]) == folded(name)).collect();
    if let [player] = same[..] {
        return Ok(player);
    }
    match nearest_name(name, names.iter().map(String::as_str)) {
        Some(nearest) => bail!("no player {name:?}; did you mean {nearest:?}?"),
        None => bail!("no player {name:?}; there are {}", some_names(records)),
    }
}

fn some_names(records: &Records) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> =
        records.names().iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let more = if records.names().len() > SHOWN { ", …" } else { "" };
    names.join(", ") + more
}
