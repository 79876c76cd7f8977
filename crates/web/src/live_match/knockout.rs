//! The tree of a knockout, from the games that were played.

use dyno_report::html::Html;
use dyno_report::number::fixed;
use dyno_tournament::{GameRecord, Plan, Slot};
use std::collections::BTreeMap;

/// Who met whom, by round and place.
#[derive(Debug, Default)]
pub struct Contests(BTreeMap<(u32, u64), Contest>);

#[derive(Debug)]
struct Contest {
    players: [usize; 2],
    /// Half points.
    points: [u64; 2],
}

impl Contests {
    pub fn started(&mut self, slot: &Slot) {
        let players = [slot.white.min(slot.black), slot.white.max(slot.black)];
        let contest = Contest { players, points: [0, 0] };
        self.0.entry((slot.round, slot.encounter)).or_insert(contest);
    }

    pub fn finished(&mut self, game: &GameRecord) {
        self.started(&game.slot);
        if let Some(contest) = self.0.get_mut(&(game.slot.round, game.slot.encounter)) {
            let points = game.result.points;
            let white = usize::from(contest.players[0] != game.slot.white);
            contest.points[white] += u64::from(points.white());
            contest.points[1 - white] += u64::from(points.black());
        }
    }

    /// The rounds side by side.
    pub fn tree(&self, plan: &Plan, champion: Option<usize>) -> Html {
        let name = |engine: usize| plan.engines.get(engine).map_or("", |engine| engine.name());
        let mut rounds: BTreeMap<u32, String> = BTreeMap::new();
        for ((round, _), contest) in &self.0 {
            let next = self.goes_on(*round, contest, champion);
            let lines: String = contest
                .players
                .iter()
                .zip(contest.points)
                .map(|(player, half)| {
                    let class = if next == Some(*player) { " class=\"winner\"" } else { "" };
                    let points = fixed(half as f64 / 2.0, usize::from(half % 2 == 1));
                    format!(
                        "<li{class}><span>{}</span> <b>{points}</b></li>",
                        Html::text(name(*player))
                    )
                })
                .collect();
            rounds.entry(*round).or_default().push_str(&format!("<ul>{lines}</ul>"));
        }
        let mut out = String::from("<div class=\"tree\">");
        for (round, contests) in &rounds {
            out += &format!("<div class=\"round\"><h3>Round {round}</h3>{contests}</div>");
        }
        if let Some(champion) = champion {
            out += &format!(
                "<div class=\"round\"><h3>Winner</h3><ul><li class=\"winner\"><span>{}</span></li></ul></div>",
                Html::text(name(champion))
            );
        }
        Html::trusted(out + "</div>")
    }

    /// Who of a contest is seen again in the next round.
    fn goes_on(&self, round: u32, contest: &Contest, champion: Option<usize>) -> Option<usize> {
        let plays_next = |player: &&usize| {
            self.0.iter().any(|((r, _), c)| *r == round + 1 && c.players.contains(player))
        };
        let is_last = self.0.keys().all(|(r, _)| *r <= round);
        match is_last {
            true => champion.filter(|champion| contest.players.contains(champion)),
            false => contest.players.iter().find(plays_next).copied(),
        }
    }
}
