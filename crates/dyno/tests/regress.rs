//! `dyno regress` and `dyno init` from the outside, with the kit's engines.
#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_testkit::toy::{self, Bug};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project folder, removed afterwards.
struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("dyno-regress-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// With a `dyno.toml` for the toy engine.
    fn with(name: &str, bug: Option<Bug>, rest: &str) -> Self {
        let project = Self::new(name);
        project.configure(bug, rest);
        project
    }

    fn configure(&self, bug: Option<Bug>, rest: &str) {
        let command = toml::Value::String(toy::command(bug)).to_string();
        let text = format!("[engine]\ncommand = {command}\n{rest}");
        std::fs::write(self.0.join("dyno.toml"), text).unwrap();
    }

    fn dyno(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(args)
            .current_dir(&self.0)
            .env_remove("GITHUB_STEP_SUMMARY")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const PERFT: &str = "[perft]\ndepth = 2\n";
const BENCH: &str = "[bench]\ndepth = 2\nruns = 2\nspeed_tolerance = 100\n";

#[test]
fn a_sound_engine_passes_and_a_broken_one_is_named() {
    let project = Project::with("perft", None, &format!("{PERFT}{BENCH}"));
    let (code, out, error) = project.dyno(&["regress"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("6 of 6 positions counted rightly") && out.contains("all 2 steps passed"));
    project.configure(Some(Bug::PinnedPieceMoves), PERFT);
    let args = ["regress", "--markdown", "s.md", "--junit", "s.xml", "--report-json", "s.json"];
    let args = [&args[..], &["--annotations", "s.txt"]].concat();
    let (code, out, _) = project.dyno(&args);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("1 of 1 step failed") && out.contains("pin"), "{out}");
    let markdown = project.read("s.md");
    assert!(markdown.starts_with("## ✗ Dyno: 1 of 1 step failed"), "{markdown}");
    assert!(markdown.contains("| perft | ✗ fail |") && markdown.contains("position fen"));
    let annotations = project.read("s.txt");
    assert!(annotations.starts_with("::error file=dyno.toml,title=perft · "), "{annotations}");
    let xml = project.read("s.xml");
    assert!(xml.contains("<failure") && xml.contains("dyno.perft"), "{xml}");
    let value: Value = serde_json::from_str(&project.read("s.json")).unwrap();
    assert_eq!((&value["schema"], &value["steps"][0]["verdict"]), (&2.into(), &"fail".into()));
}

#[test]
fn suites_have_a_bar_and_a_baseline() {
    let suite =
        |least: u32| format!("[[suite]]\nepd = \"mine.epd\"\ndepth = 2\nmin_score = {least}\n");
    let project = Project::with("suite", None, &suite(50));
    // A mate in one, and a move that no engine would choose.
    let epd = "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8; id \"mate\";\n\
               6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Kb1; id \"odd\";\n";
    std::fs::write(project.0.join("mine.epd"), epd).unwrap();
    let (code, out, error) = project.dyno(&["regress", "--save-baseline", "base.json"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("50.0 % (1 of 2 right)"), "{out}");
    project.configure(None, &suite(60));
    let (code, out, _) = project.dyno(&["regress", "--baseline", "base.json"]);
    assert_eq!(code, 1);
    assert!(out.contains("at least 60 % wanted") && out.contains("odd: "), "{out}");
    assert!(out.contains("(it passed in the baseline)"), "{out}");
    // The bar is met, but it was better before.
    let mut base: Value = serde_json::from_str(&project.read("base.json")).unwrap();
    base["steps"][0]["figures"]["score"] = 75.0.into();
    std::fs::write(project.0.join("base.json"), base.to_string()).unwrap();
    project.configure(None, &suite(50));
    let (code, out, _) = project.dyno(&["regress", "--baseline", "base.json"]);
    assert!(code == 1 && out.contains("75.00 % in the baseline"), "{out}");
    project.configure(None, &(suite(50) + "max_drop = 30\n"));
    assert_eq!(project.dyno(&["regress", "--baseline", "base.json"]).0, 0);
}

#[test]
fn signatures_are_pinned_or_held_against_the_baseline() {
    let project = Project::with("bench", None, BENCH);
    let (code, out, _) = project.dyno(&["regress", "--json", "--save-baseline", "base.json"]);
    assert_eq!(code, 0, "{out}");
    let value: Value = serde_json::from_str(&out).unwrap();
    let signature = value["steps"][0]["figures"]["signature"].as_f64().unwrap() as u64;
    project.configure(None, &format!("{BENCH}signature = {signature}\n"));
    let (code, out, _) = project.dyno(&["regress"]);
    assert!(code == 0 && out.contains(&format!("signature {signature}")), "{out}");
    project.configure(None, &format!("{BENCH}signature = 5\n"));
    let (code, out, _) = project.dyno(&["regress"]);
    assert!(code == 1 && out.contains("but 5 in dyno.toml"), "{out}");
    let held = format!("{BENCH}signature = \"baseline\"\n");
    project.configure(None, &held);
    assert_eq!(project.dyno(&["regress", "--baseline", "base.json"]).0, 0);
    project.configure(Some(Bug::NoUnderpromotion), &held);
    let (code, out, _) = project.dyno(&["regress", "--baseline", "base.json"]);
    assert!(code == 1 && out.contains("in the baseline: what the engine thinks"), "{out}");
    let (code, out, _) = project.dyno(&["regress", "--only", "bench"]);
    assert!(
        code == 0 && out.contains("the step passed"),
        "without a baseline it is skipped: {out}"
    );
}

#[test]
fn runs_too_short_are_no_loss_of_speed() {
    let bench = "[bench]\ndepth = 1\nruns = 1\n";
    let project = Project::with("short", None, bench);
    assert_eq!(project.dyno(&["regress", "--save-baseline", "base.json"]).0, 0);
    let mut base: Value = serde_json::from_str(&project.read("base.json")).unwrap();
    base["steps"][0]["figures"]["nps"] = 1e12.into();
    std::fs::write(project.0.join("base.json"), base.to_string()).unwrap();
    let (code, out, error) = project.dyno(&["regress", "--baseline", "base.json", "--json"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("runs this short cannot be compared"), "{out}");
}

#[test]
fn a_match_tells_who_is_weaker() {
    let game_match = "[match]\ndepth = 1\ngames = 4\nelo0 = -10\nelo1 = 5\n";
    let project = Project::with("match", None, game_match);
    let (code, _, error) = project.dyno(&["regress"]);
    assert!(code == 2 && error.contains("no opponent"), "{error}");
    let opponent = toy::command(None);
    let (code, out, error) = project.dyno(&["regress", "--opponent", &opponent]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("undecided") && out.contains("! warn"), "{out}");
    project.configure(None, &format!("{game_match}fail_undecided = true\n"));
    assert_eq!(project.dyno(&["regress", "--opponent", &opponent]).0, 1);
    let (code, _, error) = project.dyno(&["regress", "--opponent", "./none"]);
    assert!(code == 3 && error.contains("none"), "{error}");
}

#[test]
fn the_examination_takes_what_is_allowed() {
    let check = "[check]\nonly = [\"startup.handshake\"]\n";
    let project = Project::with("check", None, check);
    let (code, out, error) = project.dyno(&["regress"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("1 passed"), "{out}");
}

#[test]
fn bad_files_are_answered_with_their_line() {
    let project = Project::with("bad", None, "\n[perft]\ndeph = 3\n");
    let (code, _, error) = project.dyno(&["regress"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("dyno.toml:5: unknown key \"deph\" (did you mean \"depth\"?)"),
        "{error}"
    );
    project.configure(None, PERFT);
    for (args, part) in [
        (&["regress", "--config", "none.toml"][..], "dyno regress --init"),
        (&["regress", "--only", "match"], "no such section"),
        (&["regress", "--only", "mtch"], "unknown section"),
        (&["regress", "--skip", "perft"], "nothing to run"),
        (&["regress", "--baseline", "dyno.toml"], "is not a baseline"),
        (&["regress", "--junit", "no/such/x.xml"], "cannot write"),
    ] {
        let (code, _, error) = project.dyno(args);
        assert!(code == 2 && error.contains(part), "{args:?}: {error}");
    }
    project.configure(None, "[[suite]]\nepd = \"none.epd\"\n");
    let (code, _, error) = project.dyno(&["regress"]);
    assert!(code == 2 && error.contains("none.epd"), "{error}");
    std::fs::write(project.0.join("dyno.toml"), "[engine]\ncommand='./none'\n[perft]\n").unwrap();
    assert_eq!(project.dyno(&["regress"]).0, 3);
}

/// Puts the toy engine where a build would leave it.
fn install_toy(folder: &Path) {
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let words = dyno_driver::split_command_line(&toy::command(None)).unwrap();
    std::fs::copy(&words[0], folder.join("bin/my-engine")).unwrap();
}

#[test]
fn a_starter_is_written_once_and_runs() {
    let project = Project::new("starter");
    install_toy(&project.0);
    let (code, out, error) = project.dyno(&["regress", "--init"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("engine: bin/my-engine (Toy (sound))"), "{out}");
    assert!(project.read("dyno.toml").contains("command = \"bin/my-engine\""));
    let workflow = project.read(".github/workflows/engine.yml");
    assert!(workflow.contains("dyno regress") && workflow.contains("bin/my-engine"));
    // What is there is kept, and what is missing is written all the same.
    std::fs::write(project.0.join("dyno.toml"), "mine").unwrap();
    std::fs::remove_file(project.0.join(".github/workflows/engine.yml")).unwrap();
    let (code, out, error) = project.dyno(&["regress", "--init"]);
    assert!(code == 0 && out.contains("kept dyno.toml (--force overwrites it)"), "{out}{error}");
    assert!(out.contains("wrote .github/workflows/engine.yml"), "{out}");
    assert_eq!(project.read("dyno.toml"), "mine");
    assert_eq!(project.dyno(&["regress", "--init", "--force"]).0, 0);
    let text = project.read("dyno.toml").replace("depth = 4", "depth = 2");
    std::fs::write(project.0.join("dyno.toml"), text).unwrap();
    let (code, out, error) = project.dyno(&["regress", "--only", "perft"]);
    assert_eq!(code, 0, "{out}{error}");
}

#[test]
fn init_finds_the_engine_and_asks_nothing() {
    let project = Project::new("init");
    let (code, _, error) = project.dyno(&["init"]);
    assert!(code == 3 && error.contains("Build the engine first"), "{error}");
    install_toy(&project.0);
    // A script beside it is not run.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let script = project.0.join("deploy");
        std::fs::write(&script, "#!/bin/sh\ntouch ran\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (code, out, error) = project.dyno(&["init", "--no-check"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("found bin/my-engine: Toy (sound)"), "{out}");
    assert!(!project.0.join("ran").exists());
    let bench = ["bench", "--engine", "my-engine", "--depth", "1", "--limit", "1", "--quiet"];
    assert_eq!(project.dyno(&bench).0, 0, "the name works from engines.toml");
    let version = env!("CARGO_PKG_VERSION");
    assert!(project.read(".github/workflows/engine.yml").contains(&format!("@v{version}")));
    let (code, out, error) = project.dyno(&["init", "--no-check", "--ci", "gitlab"]);
    assert!(code == 0 && out.contains("kept engines.toml"), "{out}{error}");
    assert!(out.contains("kept dyno.toml") && out.contains("wrote .gitlab/dyno.yml"), "{out}");
    let (code, out, _) = project.dyno(&["init", "--json", "--ci", "none", "--force"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &value["kept"]), (0, &serde_json::json!([])));
    assert_eq!(value["files"], serde_json::json!(["engines.toml", "dyno.toml"]));
    assert_eq!(project.dyno(&["regress", "--init"]).0, 0, "init leads on to regress --init");
}
