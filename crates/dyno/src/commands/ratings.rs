//! `dyno ratings`: a rating list from games.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use dyno_report::statistics::{Duel, RatingGroup, RatingReport};
use dyno_report::terminal::Progress;
use dyno_stats::{
    Encounter, FitProgress, RatingModel, RatingOptions, connected_groups, fit_ratings,
};
use dyno_trials::RunHeader;

use crate::exit::Exit;
use crate::games::{find, names_of, read_records, skipped};
use crate::page_file::PageFile;
use crate::stdout;

const EXAMPLES: &str = "\
Examples:
  A list around 0:             dyno ratings cup.pgn
  Several files, any packing:  dyno ratings 2024.pgn.gz 2025.pgn.zst
  With a known rating:         dyno ratings cup.pgn --anchor 'Stockfish 15=3500'
  As a page:                   dyno ratings cup.pgn --report-html cup.html
  For a script:                dyno ratings cup.pgn --json

Exit codes: 0 the list was made, 2 bad usage or input, 130 interrupted.";

/// Make a rating list from PGN files.
///
/// Maximum likelihood, with error bars of 95 %, the advantage of White, who leads whom how surely,
/// and a cross table. Players whom no games connect get lists of their own.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// PGN files, plain or compressed; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How strength turns into results
    #[arg(long, value_enum, default_value_t = Model::Davidson)]
    model: Model,

    /// The mean rating of the list
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    average: f64,

    /// Give this player that rating, and the others theirs from it
    #[arg(long, value_name = "NAME=ELO", conflicts_with = "average")]
    anchor: Option<String>,

    /// Take the advantage of White for zero instead of fitting it
    #[arg(long)]
    no_white_advantage: bool,

    /// Leave out players with fewer games
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,

    /// Print cross table and LOS matrix whatever their size
    #[arg(long)]
    all: bool,

    /// Write a page
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Model {
    /// Win, draw and loss as u : ν : 1/u
    Davidson,
    /// A drawing zone, as in BayesElo
    RaoKupper,
    /// A draw is half a win, as in Ordo
    Logistic,
}

/// Prints the list.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let anchor = args.anchor.as_deref().map(parse_anchor).transpose()?;
    let page = args.report_html.as_deref().map(PageFile::create).transpose()?;
    let mut header = RunHeader::begin("ratings", ());
    let began = Instant::now();
    let records = read_records(&args.files, args.quiet)?;
    let remarks = skipped(&records);
    let why = remarks.first().map_or(String::new(), |reason| format!(" ({reason})"));
    ensure!(!records.is_empty(), "no game with a result in {}{why}", names_of(&args.files));
    let anchor = anchor.map(|(name, elo)| Ok::<_, anyhow::Error>((find(&records, name)?, elo)));
    let anchor = anchor.transpose()?;

    let all: Vec<&str> = records.names().iter().map(String::as_str).collect();
    let (kept, encounters) = frequent(all.len(), &records.encounters(), args.min_games);
    ensure!(kept.len() > 1, "fewer than two players have {} games", args.min_games);
    let options = RatingOptions {
        model: match args.model {
            Model::Davidson => RatingModel::Davidson,
            Model::RaoKupper => RatingModel::RaoKupper,
            Model::Logistic => RatingModel::Logistic,
        },
        no_white_advantage: args.no_white_advantage,
    };
    let mut groups = connected_groups(kept.len(), &encounters);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let progress = Progress::new("% of the error bars", Some(100), args.quiet);
    let lists = groups.iter().filter(|group| group.len() > 1).map(|group| {
        let own = among(group, &encounters);
        let names: Vec<&str> = group.iter().map(|&player| all[kept[player]]).collect();
        let fit = fit_ratings(names.len(), &own, options, |done| show(&progress, done))
            .context("no ratings")?;
        let level = match anchor {
            Some((player, elo)) => group
                .iter()
                .position(|&p| kept[p] == player)
                .map_or(0.0, |at| elo - fit.players[at].rating),
            None => args.average,
        };
        Ok(RatingGroup::new(&names, &own, &fit, |rating| rating + level))
    });
    let lists: Vec<RatingGroup> = lists.collect::<anyhow::Result<_>>()?;
    progress.finish();
    let duel = (all.len() == 2).then(|| Duel {
        player: all[0].to_owned(),
        opponent: all[1].to_owned(),
        tally: records.score(0, Some(1), |_| {}),
    });
    let report = RatingReport::new(lists, records.unfinished, remarks, args.all).with_duel(duel);
    if let Some(page) = page {
        header.seconds = began.elapsed().as_secs_f64();
        page.write(&report.page(&header))?;
    }
    stdout::report(&report, args.json)?;
    Ok(Exit::Passed)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
fn show(progress: &Progress, done: FitProgress) {
    match done {
        FitProgress::Steps(steps) => progress.note(format!("fitting, step {steps}")),
        FitProgress::Errors(share) => {
            progress.note("");
            progress.set((100.0 * share) as u64);
        }
    }
}

fn parse_anchor(text: &str) -> anyhow::Result<(&str, f64)> {
    let parsed = text.rsplit_once('=').and_then(|(name, elo)| Some((name, elo.parse().ok()?)));
    match parsed {
        Some((name, elo)) if f64::is_finite(elo) => Ok((name, elo)),
        _ => bail!("--anchor wants NAME=ELO, not {text:?}"),
    }
}

/// The players with enough games, and what they played among themselves, by their new numbers.
fn frequent(players: usize, encounters: &[Encounter], least: u64) -> (Vec<usize>, Vec<Encounter>) {
    let mut games = vec![0; players];
    for e in encounters {
        games[e.white] += e.games();
        games[e.black] += e.games();
    }
    let kept: Vec<usize> = (0..players).filter(|&player| games[player] >= least).collect();
    let own = among(&kept, encounters);
    (kept, own)
}

/// The games of these players among themselves, with the players numbered anew.
fn among(players: &[usize], encounters: &[Encounter]) -> Vec<Encounter> {
    let number = |player: usize| players.binary_search(&player).ok();
    let own = encounters
        .iter()
        .filter_map(|e| Some(Encounter { white: number(e.white)?, black: number(e.black)?, ..*e }));
    own.collect()
}
