//! The command line as a shell user meets it: completions, manual pages, near misses.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says why it skips")]

use std::process::{Command, Output};

fn dyno(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dyno")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = dyno(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = stdout(&output);
        assert!(script.contains("completions") && script.contains("out"), "{shell}");
    }
}

#[test]
fn bash_accepts_its_script() {
    let script = stdout(&dyno(&["completions", "bash"]));
    let Ok(checked) = Command::new("bash").args(["-n", "-c", &script]).output() else {
        eprintln!("skipped: no bash");
        return;
    };
    assert!(checked.status.success(), "{}", stderr(&checked));
}

#[test]
fn manual_pages_go_to_stdout_or_a_folder() {
    let page = dyno(&["man"]);
    assert_eq!(page.status.code(), Some(0));
    assert!(stdout(&page).contains(".TH dyno 1"), "{}", stdout(&page));

    let folder = std::env::temp_dir().join(format!("dyno-man-{}", std::process::id()));
    let nested = folder.join("share").join("man1");
    let written = dyno(&["man", "--out", nested.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert!(nested.join("dyno.1").is_file() && nested.join("dyno-man.1").is_file());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let output = dyno(&["man", "--out", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/x")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("cannot make the folder")
            && stderr(&output).contains("Cargo.toml/x")
    );
}

#[test]
fn near_misses_are_answered_with_the_nearest_name() {
    let cases: [(&[&str], &str); 4] = [
        (&["completion", "bash"], "'completions'"),
        (&["completions", "bahs"], "'bash'"),
        (&["man", "--outt", "x"], "'--out'"),
        (&["--versoin"], "'--version'"),
    ];
    for (args, nearest) in cases {
        let output = dyno(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = stderr(&output);
        assert!(text.contains("tip:") && text.contains(nearest), "{args:?}: {text}");
    }
}

#[test]
fn no_colours_outside_a_terminal() {
    for output in [dyno(&["--help"]), dyno(&["completions", "--help"]), dyno(&["nonsense"])] {
        assert!(!stdout(&output).contains('\u{1b}') && !stderr(&output).contains('\u{1b}'));
    }
}
