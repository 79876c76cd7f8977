//! The match against an older version: a sequential test of "no worse".

use super::{
    Case, Listener, MatchConfig, Outcome, RegressError, RegressEvent, RegressPlan, Section, Step,
    Verdict, failed,
};
use dyno_driver::{EngineError, EngineSpec};
use dyno_tournament::{
    self, Control, Ending, EngineEntry, Envelope, Fanout, Limits, MatchError, MatchEvent, Openings,
    Order, PgnOutput, Setup, SprtPlan, Summary,
};

const NAME: &str = "match";

pub(super) fn run(config: &MatchConfig, plan: &RegressPlan, listen: Listener<'_>) -> Outcome {
    let older = plan.older(config.opponent.as_ref())?.ok_or_else(|| {
        RegressError::Config(
            "[match]: no opponent: write opponent = \"path of the older version\", give --opponent, \
             or leave the match out with --skip match"
                .to_owned(),
        )
    })?;
    let match_plan = match_plan(config, plan, &older)?;
    let control = Control::new(plan.interrupts.clone(), match_plan.machine.concurrency);
    let fanout = Fanout::new().direct(|envelope: &Envelope| {
        if let MatchEvent::GameFinished { score, .. } = &envelope.event
            && let Some(tally) = score.duel()
        {
            let text = format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses);
            listen(RegressEvent::Progress(&text));
        }
    });
    let summary = dyno_tournament::run(&match_plan, Setup::new(&control), fanout);
    let step = |cases| Step::new(Section::Match, NAME, cases);
    let summary = match summary {
        Ok(summary) => summary,
        // A missing older version is not a fault of the engine under test.
        Err(MatchError::Engine(error)) => return Err(error.into()),
        Err(error) => return Err(RegressError::Config(format!("[match]: {error}"))),
    };
    if summary.ending == Ending::Interrupted {
        return Err(EngineError::Interrupted.into());
    }
    let mut cases = vec![verdict_case(config, &summary)];
    cases.extend(fault_case(&summary));
    if summary.ending == Ending::Fault && cases.len() == 1 {
        cases.push(failed(EngineError::Unsupported {
            engine: match_plan.engines[1].name().to_owned(),
            what: "the opponent failed and the match was ended".to_owned(),
        })?);
    }
    Ok(step(cases)
        .summary(score(&summary))
        .figure("games", Some(summary.games as f64))
        .figure("elo", summary.duel().map(|d| d.estimate.elo)))
}

fn match_plan(
    config: &MatchConfig,
    plan: &RegressPlan,
    older: &EngineSpec,
) -> Result<dyno_tournament::Plan, RegressError> {
    let tc = config.tc.as_deref().map(str::parse).transpose();
    let tc = tc.map_err(|e| RegressError::Config(format!("[match] tc: {e}")))?;
    let has_limit =
        tc.is_some() || config.st.is_some() || config.depth.is_some() || config.nodes.is_some();
    let limits = Limits {
        // A quick game, when the file does not say.
        tc: if has_limit { tc } else { "1+0.1".parse().ok() },
        st: config.st,
        depth: config.depth,
        nodes: config.nodes,
        ..Limits::default()
    };
    let mut wanted = dyno_tournament::Plan {
        event: "dyno regress".to_owned(),
        seed: config.seed,
        engines: vec![
            EngineEntry::new("new", &plan.engine, limits.clone()),
            EngineEntry::new("old", older, limits),
        ],
        openings: Openings {
            file: config.openings.as_ref().map(|file| plan.folder.join(file)),
            order: Order::Random,
            ..Openings::default()
        },
        sprt: Some(SprtPlan {
            elo0: config.elo0,
            elo1: config.elo1,
            alpha: config.alpha,
            beta: config.beta,
            model: config.model,
        }),
        ..dyno_tournament::Plan::default()
    };
    wanted.tournament.games = 2;
    wanted.tournament.rounds = config.games.div_ceil(2);
    wanted.machine.concurrency = u32::try_from(config.concurrency).unwrap_or(u32::MAX);
    // A crash is a loss and is reported; the other games still count.
    wanted.machine.recover = true;
    wanted.output.pgn = config
        .pgn
        .as_ref()
        .map(|file| PgnOutput { file: plan.folder.join(file), ..PgnOutput::default() });
    wanted.check().map_err(|e| RegressError::Config(format!("[match]: {e}")))?;
    Ok(wanted)
}

fn score(summary: &Summary) -> String {
    let Some(duel) = summary.duel() else { return "no games".to_owned() };
    let tally = &duel.tally;
    let elo = format!("{:+.1} ± {:.1} Elo", duel.estimate.elo, duel.estimate.elo_error);
    format!("+{} ={} -{}, {elo}", tally.wins, tally.draws, tally.losses)
}

fn verdict_case(config: &MatchConfig, summary: &Summary) -> Case {
    let (elo0, elo1) = (config.elo0, config.elo1);
    let llr = summary.sprt.map_or(String::new(), |s| {
        format!(
            "; LLR {:.2} of [{:.2}, {:.2}] after {} games",
            s.llr, s.lower, s.upper, summary.games
        )
    });
    let verdict = summary.sprt.map(|s| s.verdict);
    let (verdict, text) = match verdict {
        Some(dyno_stats::SprtVerdict::AcceptH1) => {
            (Verdict::Pass, format!("no regression: the test [{elo0}, {elo1}] accepted H1"))
        }
        Some(dyno_stats::SprtVerdict::AcceptH0) => {
            (Verdict::Fail, format!("weaker: the test [{elo0}, {elo1}] accepted H0"))
        }
        _ => {
            let verdict = if config.fail_undecided { Verdict::Fail } else { Verdict::Warn };
            (verdict, format!("undecided: the test [{elo0}, {elo1}] needs more games"))
        }
    };
    Case::new("no regression", verdict, format!("{text}{llr}"))
}

/// Crashes, illegal moves and time losses of the engine under test fail, whatever the score.
fn fault_case(summary: &Summary) -> Option<Case> {
    let faults: Vec<String> = summary
        .faults
        .iter()
        .filter(|f| f.fault.engine == 0)
        .map(|f| format!("game {}: {}: {}", f.game, f.fault.kind.label(), f.fault.detail))
        .collect();
    let first = faults.first()?.clone();
    let text = format!("{} faults in its games, the first: {first}", faults.len());
    Some(Case::new("behaviour", Verdict::Fail, text).details(faults))
}
