//! Whether games are played on a cluster, and on which one.

use anyhow::{Context as _, bail};
use dyno_cluster::{Address, ClusterPool, PoolSetup};
use dyno_report::terminal::eprintln;
use dyno_tournament::{ClusterPlan, Fanout, Plan, Setup};

use crate::interrupt;

/// What names the cluster where nothing else does.
pub const VARIABLE: &str = "DYNO_CLUSTER";

/// Whether a plan is to be played on a cluster.
pub fn is_wanted(plan: &Plan) -> bool {
    let server = plan.cluster.as_ref().map(|cluster| cluster.server.clone());
    let server = server.filter(|server| !server.is_empty()).or_else(from_environment);
    server.is_some_and(|server| server != "none")
}

fn from_environment() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|server| !server.trim().is_empty())
}

/// The cluster that a plan is played on: its own, or that of the environment. A key or
/// a password does not stay in the plan, which is written down.
pub fn resolve(plan: &mut Plan) -> anyhow::Result<Option<ClusterPlan>> {
    let outside = from_environment();
    let mut cluster = match (plan.cluster.take(), &outside) {
        (None, None) => return Ok(None),
        (given, _) => given.unwrap_or_default(),
    };
    if cluster.server.is_empty() {
        cluster.server = outside.unwrap_or_default();
    }
    match cluster.server.as_str() {
        "none" => return Ok(None),
        "" => bail!(
            "on which cluster? give --cluster nats://host:4222 or an invitation, or set {VARIABLE} \
             (--cluster none plays here)"
        ),
        server => drop(Address::parse(server).context("--cluster")?),
    }
    if !(cluster.share > 0.0 && cluster.share.is_finite()) {
        bail!("--share must be greater than 0, not {}", cluster.share);
    }
    let mut kept = cluster.clone();
    if Address::holds_secret(&kept.server) {
        kept.server.clear();
    }
    plan.cluster = Some(kept);
    Ok(Some(cluster))
}

/// Where the games of a plan are played: on the cluster, if there is one.
pub fn place<'a>(
    mut setup: Setup<'a>,
    fanout: Fanout<'a>,
    plan: &Plan,
    cluster: Option<ClusterPlan>,
    quiet: bool,
) -> anyhow::Result<(Setup<'a>, Fanout<'a>)> {
    let Some(cluster) = cluster else { return Ok((setup, fanout)) };
    let say = move |text: &str| {
        if !quiet {
            eprintln!("note: {text}");
        }
    };
    let pool = ClusterPool::connect(PoolSetup {
        plan: plan.clone(),
        cluster,
        control: setup.control.clone(),
        interrupts: interrupt::counter(),
        log: setup.log.take(),
        say: Box::new(say),
    })?;
    let score = pool.score();
    setup.pool = Some(Box::new(pool));
    Ok((setup, fanout.direct(score)))
}
