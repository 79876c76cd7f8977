//! The guide's links lead somewhere.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Markdown file that readers start from.
fn pages() -> Vec<PathBuf> {
    let in_docs =
        std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let at_root = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md"]
        .map(|name| root().join(name));
    in_docs.chain(at_root).filter(|path| path.extension().is_some_and(|e| e == "md")).collect()
}

/// The targets of `[text](target)` that are ours: a file, a `#part` of one, or of the page itself.
fn local_links(text: &str) -> Vec<(&str, Option<&str>)> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.contains(' '))
        .map(|target| match target.split_once('#') {
            Some((file, part)) => (file, Some(part)),
            None => (target, None),
        })
        .collect()
}

/// What the headings of a page are called in links, on GitHub and in the guide as a site.
fn parts(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| -> String {
        let name = heading.trim_start_matches('#').trim().to_lowercase();
        let name = name.replace(char::is_whitespace, "-");
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (file, part) in local_links(&text) {
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let has_part = |part: &str| {
                std::fs::read_to_string(&target).is_ok_and(|text| parts(&text).contains(part))
            };
            if !target.exists() || part.is_some_and(|part| !has_part(part)) {
                broken.push(format!("{}: {file} {part:?}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn both_indexes_list_every_page() {
    for index in ["README.md", "SUMMARY.md"] {
        let text = std::fs::read_to_string(root().join("docs").join(index)).unwrap();
        let links = local_links(&text);
        let missing: Vec<String> = pages()
            .iter()
            .filter(|page| page.parent().unwrap().ends_with("docs"))
            .map(|page| page.file_name().unwrap().to_string_lossy().into_owned())
            .filter(|name| !["README.md", "SUMMARY.md"].contains(&name.as_str()))
            .filter(|name| !links.contains(&(name.as_str(), None)))
            .collect();
        assert!(missing.is_empty(), "docs/{index} does not mention: {}", missing.join(", "));
    }
}

/// Every command with its help, the longest names first.
fn helps() -> Vec<(String, String)> {
    let names = [
        "check",
        "perft",
        "suite",
        "mate solve",
        "mate prove",
        "mate",
        "puzzles convert",
        "puzzles run",
        "puzzles mine",
        "puzzles",
        "annotate",
        "match",
        "elo",
        "sprt plan",
        "sprt status",
        "sprt",
        "ratings",
        "bench",
        "tune texel",
        "tune",
        "history list",
        "history show",
        "history compare",
        "history trend",
        "history export",
        "history import",
        "history prune",
        "history baseline",
        "history",
        "regress",
        "init",
        "worker",
        "cluster up",
        "cluster status",
        "cluster down",
        "cluster",
        "engine bench",
        "engine",
        "suites",
        "completions",
        "man",
    ];
    let help = |name: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(name.split(' '))
            .arg("--help")
            .output()
            .unwrap();
        assert!(output.status.success(), "dyno {name} --help");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    names.map(|name| (name.to_owned(), help(name))).into()
}

/// The options of a command line that the help of its command does not know.
fn unknown_options<'a>(line: &'a str, helps: &[(String, String)]) -> Vec<&'a str> {
    let Some(rest) = line.strip_prefix("dyno ") else { return Vec::new() };
    // What stands behind a pipe, a comment or in quotes is not ours.
    let rest = rest.split(['|', '#', '\'', '"', '&', '>']).next().unwrap_or_default();
    let known = helps.iter().find(|(name, _)| {
        rest.strip_prefix(name.as_str()).is_some_and(|end| end.is_empty() || end.starts_with(' '))
    });
    let options =
        rest.split_whitespace().map(|word| word.trim_matches(['[', ']', ',', ';', '…', ')']));
    let options = options.filter(|word| word.starts_with('-') && *word != "-" && *word != "--");
    let options =
        options.filter(|word| word[1..].starts_with(|c: char| c == '-' || c.is_alphabetic()));
    let options = options.map(|word| word.split('=').next().unwrap_or(word));
    let common = ["--help", "-h", "--version", "-V"];
    let Some((_, help)) = known else { return options.filter(|o| !common.contains(o)).collect() };
    let knows = |option: &str| {
        help.match_indices(option).any(|(at, _)| {
            let next = help[at + option.len()..].chars().next();
            next.is_none_or(|c| !c.is_alphanumeric() && c != '-')
        })
    };
    options.filter(|option| !common.contains(option) && !knows(option)).collect()
}

#[test]
fn options_in_texts_and_examples_exist() {
    let helps = helps();
    let mut wrong = Vec::new();
    for page in pages().iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for code in text.split('`').filter(|code| code.starts_with("dyno ") && !code.contains('\n'))
        {
            for option in unknown_options(code, &helps) {
                wrong.push(format!("{}: {option} in `{code}`", page.display()));
            }
        }
    }
    for (name, help) in &helps {
        let examples = help.lines().filter_map(|line| line.find("dyno ").map(|at| &line[at..]));
        for example in examples {
            for option in unknown_options(example, &helps) {
                wrong.push(format!("dyno {name} --help: {option} in {example}"));
            }
        }
        if !help.contains("Example") {
            wrong.push(format!("dyno {name} --help has no examples"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
