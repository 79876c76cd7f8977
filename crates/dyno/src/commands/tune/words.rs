//! The words of the command line: the tuning's own, and the rest for the match.

use super::parameters::Wanted;
use anyhow::Context as _;
use dyno_report::tune as report;
use dyno_tournament::tune::{Parameter, TuneResult};
use std::path::{Path, PathBuf};

/// What the tuning was told, and what its games were.
#[derive(Debug)]
pub struct Words {
    pub help: bool,
    pub wanted: Wanted,
    pub pairs: u64,
    pub pairs_per_iteration: u64,
    pub in_flight: Option<u64>,
    pub verify: bool,
    pub journal: Option<PathBuf>,
    pub resume: Option<PathBuf>,
    pub json: bool,
    html: Option<PathBuf>,
    json_file: Option<PathBuf>,
    toml: Option<PathBuf>,
    openbench: Option<PathBuf>,
    csv: Option<PathBuf>,
    /// In the dialect of `dyno match`.
    pub games: Vec<String>,
}

const USUAL_PAIRS: u64 = 20_000;
/// What a resumed tuning may be told of its games: where they are played.
const MAY_DIFFER: [&str; 2] = ["concurrency", "cluster"];

impl Words {
    pub fn split(words: &[String]) -> anyhow::Result<Self> {
        let mut split = Self {
            help: false,
            wanted: Wanted::default(),
            pairs: USUAL_PAIRS,
            pairs_per_iteration: 1,
            in_flight: None,
            verify: true,
            journal: None,
            resume: None,
            json: false,
            html: None,
            json_file: None,
            toml: None,
            openbench: None,
            csv: None,
            games: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, given) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let mut value = || {
                let next = given.clone().or_else(|| words.next().cloned());
                next.with_context(|| format!("{name} wants a value: see dyno tune --help"))
            };
            match name {
                "-h" | "-help" | "--help" => split.help = true,
                "--param" => split.wanted.params.push(Parameter::parse(&value()?)?),
                "--params" => split.wanted.files.push(value()?.into()),
                "--params-from" => split.wanted.patterns.push(value()?),
                "--pairs" => split.pairs = positive(name, &value()?)?,
                "--pairs-per-iteration" => split.pairs_per_iteration = positive(name, &value()?)?,
                "--in-flight" => split.in_flight = Some(positive(name, &value()?)?),
                "--no-verify" => split.verify = false,
                "--journal" => split.journal = Some(value()?.into()),
                "--resume" | "-resume" => split.resume = Some(value()?.into()),
                "--json" => split.json = true,
                "--report-html" => split.html = Some(value()?.into()),
                "--report-json" => split.json_file = Some(value()?.into()),
                "--out-toml" => split.toml = Some(value()?.into()),
                "--out-openbench" => split.openbench = Some(value()?.into()),
                "--out-csv" => split.csv = Some(value()?.into()),
                _ => split.games.push(word.clone()),
            }
        }
        Ok(split)
    }

    /// Whether the games are counted as a match counts them.
    pub fn has_rounds(&self) -> bool {
        let is_count = |word: &str| matches!(word, "rounds" | "tournament");
        let mut names = self.games.iter().filter_map(|word| word.strip_prefix('-'));
        names.any(|name| is_count(name.trim_start_matches('-').split('=').next().unwrap_or(name)))
    }

    /// Opens every file that will be written: days of games must not end in one that cannot be.
    pub fn check_outputs(&self) -> anyhow::Result<()> {
        check_outputs([&self.html, &self.json_file, &self.toml, &self.openbench, &self.csv])
    }

    /// Whether nothing that would change the tuning stands beside `--resume`.
    pub fn is_bare_resume(&self) -> bool {
        let untouched = self.wanted.is_empty()
            && (self.pairs, self.pairs_per_iteration) == (USUAL_PAIRS, 1)
            && self.in_flight.is_none()
            && self.journal.is_none();
        let may_differ = |pair: &[String]| match pair {
            [name, _] => MAY_DIFFER.contains(&name.trim_start_matches('-')),
            _ => false,
        };
        untouched && self.games.chunks(2).all(may_differ)
    }

    /// A value of the games by its name, last given first.
    fn game_value(&self, name: &str) -> Option<&str> {
        let named = |pair: &&[String]| pair[0].trim_start_matches('-') == name;
        self.games.chunks(2).rfind(named)?.get(1).map(String::as_str)
    }

    pub fn concurrency(&self) -> anyhow::Result<Option<u32>> {
        let Some(text) = self.game_value("concurrency") else { return Ok(None) };
        let number = text.parse().ok().filter(|n| (1..=1024).contains(n));
        number.map(Some).with_context(|| format!("-concurrency {text}: a number from 1 to 1024"))
    }

    /// With `--resume`: where the games are played from now on.
    pub fn cluster(&self) -> Option<&str> {
        self.game_value("cluster")
    }

    /// The files that were asked for, each with its text.
    pub fn outputs(&self, result: &TuneResult) -> anyhow::Result<Vec<(&Path, String)>> {
        let json = serde_json::to_string_pretty(result).context("the result as JSON")? + "\n";
        let all = [
            (&self.html, report::html::page(result)),
            (&self.json_file, json),
            (&self.toml, report::toml(result)),
            (&self.openbench, report::openbench(result)),
            (&self.csv, report::csv(result)),
        ];
        Ok(all.into_iter().filter_map(|(path, text)| Some((path.as_deref()?, text))).collect())
    }
}

fn positive(name: &str, text: &str) -> anyhow::Result<u64> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.with_context(|| format!("{name} {text}: a whole number above 0 is wanted"))
}

/// Opens every file that will be written.
pub fn check_outputs<'a>(all: impl IntoIterator<Item = &'a Option<PathBuf>>) -> anyhow::Result<()> {
    for path in all.into_iter().flatten() {
        let opened = std::fs::File::options().create(true).append(true).open(path);
        opened.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> anyhow::Result<Words> {
        Words::split(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_rest_is_the_match() {
        let words = split("-engine cmd=./a --param A=5@1..9 -each tc=1+1 --pairs=50 --no-verify");
        let Ok(words) = words else { panic!("{words:?}") };
        assert_eq!(words.games, ["-engine", "cmd=./a", "-each", "tc=1+1"]);
        assert_eq!((words.pairs, words.verify, words.wanted.params.len()), (50, false, 1));
        assert!(split("--pairs 0").is_err() && split("--pairs").is_err());
        assert!(split("--param A").is_err());
        let has_rounds = |text| split(text).is_ok_and(|words| words.has_rounds());
        assert!(has_rounds("-rounds 5") && has_rounds("--rounds=5") && !has_rounds("-repeat"));
    }

    #[test]
    fn a_resume_changes_nothing_but_the_boards() {
        let bare = |text| split(text).is_ok_and(|words| words.is_bare_resume());
        assert!(bare("--resume x.journal") && bare("--resume x.journal -concurrency 4"));
        assert!(bare("--resume x.journal --cluster none -concurrency 4"));
        assert!(!bare("--resume x.journal --pairs 5") && !bare("--resume x.journal -each tc=1+1"));
        assert!(!bare("--resume x.journal -concurrency"));
        let words = split("--resume x -concurrency 3 --cluster nats://127.0.0.1:1");
        assert!(words.is_ok_and(|words| {
            words.cluster() == Some("nats://127.0.0.1:1")
                && words.concurrency().is_ok_and(|n| n == Some(3))
        }));
        let words = split("--resume x -concurrency 0");
        assert!(words.is_ok_and(|words| words.concurrency().is_err()));
    }
}
