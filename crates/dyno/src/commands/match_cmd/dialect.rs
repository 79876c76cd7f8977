//! A command line in the dialect of cutechess-cli and fastchess becomes a request.

use super::draft::Draft;
use super::flags;
use super::request::Request;
use super::words::{Result, cut};

/// Reads the command line.
pub fn parse(words: &[String]) -> Result<Request> {
    let mut draft = Draft::default();
    for flag in cut(words)? {
        let row = flags::find(&flag.name)?;
        row.apply(&mut draft, &flag)?;
        draft.request.given.push(row.name);
    }
    draft.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::super::request::JournalChoice;
    use super::*;
    use dyno_tournament::{BookFormat, Plan};

    fn read(line: &str) -> Result<Request> {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    fn plan(line: &str) -> Plan {
        let mut plan = read(line).unwrap().plan;
        plan.name_engines();
        plan.check().unwrap();
        plan
    }

    #[test]
    fn the_lines_of_the_testing_document() {
        let selfplay = plan(
            "-engine name=MyEngine cmd=./myengine -engine name=MyEngine cmd=./myengine \
             -each tc=1+0.1 proto=uci -games 100 -pgnout selfplay.pgn",
        );
        assert!(selfplay.is_self_play() && selfplay.tournament.games == 100);
        assert_eq!(selfplay.output.pgn.unwrap().file.to_str(), Some("selfplay.pgn"));
        let match_ = plan(
            "-engine name=NewEngine cmd=./new_engine -engine name=OldEngine cmd=./old_engine \
             -each tc=10+0.1 proto=uci hash=64 -games 1000 -openings file=openings.pgn format=pgn \
             -pgnout results.pgn -concurrency 4",
        );
        assert_eq!(match_.engines[1].spec.option("Hash"), Some("64"));
        assert_eq!(match_.openings.format, Some(BookFormat::Pgn));
        assert_eq!(match_.machine.concurrency, 4);
        let sprt = plan(
            "-engine name=New cmd=./new -engine name=Old cmd=./old -each tc=10+0.1 proto=uci \
             -games 10000 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 \
             -openings file=openings.epd format=epd -concurrency 8",
        );
        assert_eq!(sprt.sprt.map(|s| (s.elo0, s.elo1)), Some((0.0, 5.0)));
        plan(
            "-engine cmd=./new_engine -engine cmd=./baseline_engine -each tc=1+0.1 proto=uci \
              -games 500 -sprt elo0=-10 elo1=5 alpha=0.05 beta=0.05",
        );
    }

    #[test]
    fn the_words_of_the_other_commands() {
        let ours = plan("--engine ./a --engine ./b name=B --tc 1+0.01 --hash 8 --jail");
        let theirs =
            plan("-engine cmd=./a -engine cmd=./b name=B -each tc=1+0.01 hash=8 jail=true");
        assert_eq!(ours.engines, theirs.engines);
        assert!(ours.engines.iter().all(|engine| engine.spec.jail));
    }

    #[test]
    fn fastchess_spellings() {
        let request = read(
            "-engine cmd=a name=A -engine cmd=b name=B option.Hash=8 -each tc=8+0.08 option.Hash=16 \
             -rounds 50 -repeat -recover -openings file=b.epd order=random plies=8 start=3 -srand 7 \
             -pgnout file=x.pgn nodes=true append=false -config outname=m.journal discard=true \
             -log file=l.log level=info -output format=fastchess -report penta=true -use-affinity 0,2-3 \
             -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=600 twosided=true \
             -maxmoves 200 -tb /tb -tbpieces 5 -tbignore50 -autosaveinterval 20 -ratinginterval 5",
        )
        .unwrap();
        let plan = &request.plan;
        assert_eq!(
            (plan.tournament.rounds, plan.tournament.games, plan.tournament.repeat),
            (50, 2, 2)
        );
        assert_eq!(plan.engines[0].spec.option("Hash"), Some("16"));
        assert_eq!(plan.engines[1].spec.option("Hash"), Some("8"), "an engine's own settings win");
        let pgn = plan.output.pgn.as_ref().unwrap();
        assert!(pgn.nodes && pgn.overwrite);
        assert_eq!(request.journal, JournalChoice::File("m.journal".into()));
        assert_eq!(plan.machine.cpus, [0, 2, 3]);
        assert_eq!(plan.adjudication.resign.map(|r| r.twosided), Some(true));
        assert_eq!((plan.seed, plan.output.ratinginterval), (7, 5));
    }

    #[test]
    fn mistakes_are_named_with_the_nearest_word() {
        for (line, wanted) in [
            ("-concurency 4", "unknown option -concurency; did you mean -concurrency?"),
            ("-engine cmd=a nmae=b", "did you mean name?"),
            ("-engine cmd=a ttc=1+1", "option.ttc=1+1"),
            ("-engine cmd=a tc=fast", "not a time control"),
            ("-draw movenumbr=4", "did you mean movenumber?"),
            ("-games many", "-games: not a valid number: \"many\""),
            ("-games", "-games: a value is missing"),
            ("-tournament league", "is not one of round-robin"),
            ("-noswap 3", "-noswap takes no value"),
            ("-resign movecount=3", "score=CENTIPAWNS is missing"),
            ("games 3", "options begin with a dash"),
            ("-pgnout", "the file is missing"),
            ("-concurrency x", "-concurrency: not a valid number"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(wanted), "{line}: {error}");
        }
    }

    #[test]
    fn a_plan_survives_its_file() {
        let before = plan(
            "-engine cmd=a name=A tc=40/60+0.6 ponder -engine cmd=b name=B st=0.5 timemargin=20 \
             option.Skill=3 arg=-x -games 4 -rounds 3 -sprt elo0=-3 elo1=1 model=logistic \
             -draw movenumber=40 movecount=8 score=10 -tb /tb -openings file=b.pgn policy=round \
             -variant fischerandom -pgnout x.pgn min",
        );
        let text = toml::to_string(&before).unwrap();
        assert_eq!(toml::from_str::<Plan>(&text).unwrap(), before, "{text}");
        assert!(toml::from_str::<Plan>("[tournament]\ngamse = 3\n").is_err());
        assert!(toml::from_str::<Plan>("[[engine]]\ncmd = \"a\"\ndepht = 3\n").is_err());
    }
}
