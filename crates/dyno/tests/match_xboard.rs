//! Matches with engines that speak XBoard: what they say about the game besides their moves.

#![allow(clippy::unwrap_used, reason = "tests")]

use dyno_testkit::scripted;
use std::process::Command;

/// Plays A, an XBoard engine with tricks, against B; returns what was printed.
fn play(a: &str, b: &str, rest: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
    command.args(["match", "--no-journal"]);
    for (name, tricks) in [("A", a), ("B", b)] {
        let cmd = format!("cmd={}", scripted::binary().display());
        command.args(["-engine", &format!("name={name}"), &cmd]);
        command.args(tricks.split_ascii_whitespace().map(|trick| format!("arg={trick}")));
        let proto = if tricks.contains("xboard") { "proto=xboard" } else { "proto=uci" };
        command.arg(proto);
    }
    command.args(rest.split_ascii_whitespace());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

const TWO: &str = "-each tc=10+0.1 -games 2";

#[test]
fn a_resignation_is_a_loss() {
    let out = play("xboard resign@3", "", TWO);
    assert!(out.contains("(A vs B): 0-1 {White resigns}"), "{out}");
    assert!(out.contains("no crash, hang, time loss, illegal move or illegal PV"), "{out}");
}

#[test]
fn a_draw_needs_both() {
    let out = play("xboard offer-draw@2", "xboard accept-draw", TWO);
    assert!(out.contains("(A vs B): 1/2-1/2 {Draw by agreement}"), "{out}");
    for other in ["xboard", ""] {
        let out = play("xboard offer-draw", other, TWO);
        assert!(!out.contains("agreement"), "{out}");
        assert!(!out.contains("loses on time"), "{out}");
    }
}

#[test]
fn a_win_that_is_none_is_a_loss_and_a_false_draw_is_nothing() {
    let out = play("xboard claim-win@2", "", TWO);
    assert!(out.contains("0-1 {White makes a false claim: 1-0 {I have won}}"), "{out}");
    assert!(out.contains("A: false claim: "), "{out}");
    let out = play("xboard claim-draw", "", TWO);
    assert!(!out.contains("claim") && !out.contains("loses on time"), "{out}");
}

#[test]
fn pondering_and_chess960() {
    let out = play("xboard", "", "-each tc=10+0.1 ponder -games 2");
    assert!(!out.contains("loses on time") && !out.contains("illegal move:"), "{out}");
    let out = play("xboard", "xboard", "-each tc=10+0.1 -games 8 -variant fischerandom");
    assert!(!out.contains("loses on time") && !out.contains("illegal move:"), "{out}");
    assert!(out.contains("Finished match: 8 games"), "{out}");
}
