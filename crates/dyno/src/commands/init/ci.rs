//! What a CI server is to do with an engine: a workflow for GitHub Actions, a job for GitLab.

use super::find::Found;
use crate::commands::regress::starter;
use std::path::{Path, PathBuf};

const GITHUB: &str = include_str!("github.yml");
const GITHUB_BASE: &str = include_str!("github_base.yml");
const GITLAB: &str = include_str!("gitlab.yml");

/// Where Dyno is published; Cargo.toml says it.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// What Cargo.toml has in the place of an account as long as Dyno is not published.
const OWNER: &str = "DYNO_OWNER";
/// Stands where the folder does not show how the engine is built.
const BUILD_IT: &str = "echo 'TO REPLACE by how the engine is built' && false";

/// A CI server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Ci {
    /// .github/workflows/engine.yml
    Github,
    /// .gitlab/dyno.yml, for .gitlab-ci.yml to include
    Gitlab,
    /// No file
    None,
}

impl Ci {
    /// The server that a folder is at home on, as far as its files tell.
    pub fn of(folder: &Path) -> Self {
        let config = std::fs::read_to_string(folder.join(".git/config")).unwrap_or_default();
        match folder.join(".gitlab-ci.yml").exists() || config.contains("gitlab") {
            true => Self::Gitlab,
            false => Self::Github,
        }
    }

    /// The file for this server.
    pub fn file(self, folder: &Path, found: Option<&Found>) -> Option<(PathBuf, String)> {
        let (name, text) = match self {
            Self::Github => (".github/workflows/engine.yml", github(folder, found)),
            Self::Gitlab => (".gitlab/dyno.yml", gitlab(folder)),
            Self::None => return None,
        };
        Some((starter::inside(folder, name), text))
    }
}

/// What the user has to write into a file before it works, if anything.
pub fn to_replace(text: &str) -> Vec<&'static str> {
    let mut places = Vec::new();
    if text.contains(OWNER) {
        places.push("DYNO_OWNER, with the account under which Dyno is published");
    }
    if text.contains(BUILD_IT) {
        places.push("the build step, with how the engine is built");
    }
    places
}

fn github(folder: &Path, found: Option<&Found>) -> String {
    let (base, opponent) = match found.and_then(|found| path_below(folder, &found.command)) {
        Some(path) => {
            let on_pull_request = "github.event_name == 'pull_request'";
            let with = format!(
                "          opponent: ${{{{ {on_pull_request} && '../base/{path}' || '' }}}}\n\
                 \x20         skip: ${{{{ {on_pull_request} && '' || 'match' }}}}"
            );
            (GITHUB_BASE, with)
        }
        None => ("", "          skip: match".to_owned()),
    };
    let packages = match Build::of(folder).packages {
        "" => String::new(),
        names => format!(
            "      - name: Tools\n        run: sudo apt-get update && sudo apt-get install --yes \
             {names}\n\n"
        ),
    };
    let text = GITHUB
        .replace("{PACKAGES}", &packages)
        .replace("{BASE}", base)
        .replace("{OPPONENT}", &opponent);
    filled(text, folder).replace("{ACTION}", REPOSITORY.trim_start_matches("https://github.com/"))
}

fn gitlab(folder: &Path) -> String {
    let build = Build::of(folder);
    let packages = match build.packages {
        "" => String::new(),
        names => format!("    - apt-get update && apt-get install --yes {names}\n"),
    };
    filled(GITLAB.replace("{PACKAGES}", &packages), folder)
        .replace("{REPOSITORY}", REPOSITORY)
        .replace("{IMAGE}", build.image)
}

/// What both have in common, and above it what is left to the user.
fn filled(text: String, folder: &Path) -> String {
    let text = text
        .replace("{BUILD}", Build::of(folder).command)
        .replace("{VERSION}", env!("CARGO_PKG_VERSION"));
    let mut replace = String::new();
    let known = text.replace("{ACTION}", REPOSITORY).replace("{REPOSITORY}", REPOSITORY);
    for place in to_replace(&known) {
        replace += &format!("# TO REPLACE before it works: {place}.\n");
    }
    text.replace("{REPLACE}", &replace)
}

/// The engine's program as a path in its folder, unless it is something else: a script with its
/// interpreter, a program of the system.
fn path_below(folder: &Path, command: &str) -> Option<String> {
    let path = command.trim_start_matches("./");
    let is_plain = !path.contains(|c: char| c.is_whitespace() || "'\"${}\\".contains(c));
    (is_plain && Path::new(path).is_relative() && folder.join(path).is_file())
        .then(|| path.to_owned())
}

/// How a project is built.
struct Build {
    /// What a folder of this kind has.
    mark: &'static [&'static str],
    command: &'static str,
    /// A container image with a compiler and curl.
    image: &'static str,
    /// Debian packages that it takes besides.
    packages: &'static str,
}

const BUILDS: [Build; 6] = [
    Build {
        mark: &["Cargo.toml"],
        command: "cargo build --release",
        image: "rust:1",
        packages: "",
    },
    Build {
        mark: &["Makefile", "makefile", "GNUmakefile"],
        command: "make",
        image: "gcc:14",
        packages: "",
    },
    Build {
        mark: &["src/Makefile", "src/makefile"],
        command: "make -C src",
        image: "gcc:14",
        packages: "",
    },
    Build {
        mark: &["CMakeLists.txt"],
        command: "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build",
        image: "gcc:14",
        packages: "cmake",
    },
    Build {
        mark: &["meson.build"],
        command: "meson setup build --buildtype=release && ninja -C build",
        image: "gcc:14",
        packages: "meson ninja-build",
    },
    Build { mark: &["go.mod"], command: "go build", image: "golang:1", packages: "" },
];
const UNKNOWN_BUILD: Build = Build { mark: &[], command: BUILD_IT, image: "gcc:14", packages: "" };

impl Build {
    fn of(folder: &Path) -> &'static Self {
        let is_this = |build: &&Self| build.mark.iter().any(|name| folder.join(name).exists());
        BUILDS.iter().find(is_this).unwrap_or(&UNKNOWN_BUILD)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("dyno-ci-{}-{name}", std::process::id()));
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    fn found(command: &str) -> Found {
        let spec = dyno_driver::EngineSpec::program(command);
        Found { command: command.into(), name: "x".into(), has_perft: true, spec }
    }

    /// Braces that nothing was written into, other than those of expressions.
    fn has_gap(text: &str) -> bool {
        text.replace("${{", "").replace("}}", "").contains(['{', '}'])
    }

    #[test]
    fn a_project_is_built_its_way_and_compared_with_its_base() {
        let folder = folder("cmake", &["CMakeLists.txt", "build/engine"]);
        let (path, text) = Ci::Github.file(&folder, Some(&found("build/engine"))).unwrap();
        let (_, script) = Ci::Github.file(&folder, Some(&found("python3 engine.py"))).unwrap();
        let (_, lab) = Ci::Gitlab.file(&folder, None).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(path.ends_with(".github/workflows/engine.yml"));
        assert_eq!(text.matches("cmake -B build").count(), 2, "{text}");
        assert!(text.contains("install --yes cmake\n") && lab.contains("install --yes cmake\n"));
        assert!(text.contains("&& '../base/build/engine' || ''"), "{text}");
        assert!(text.contains(concat!("@v", env!("CARGO_PKG_VERSION"), "\n")), "{text}");
        assert!(!script.contains("../base") && script.contains("skip: match"), "{script}");
        assert!(lab.contains(concat!("DYNO_VERSION: \"", env!("CARGO_PKG_VERSION"), "\"")));
        for text in [text, script, lab] {
            assert!(!has_gap(&text), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_known_is_named() {
        let folder = folder("empty", &["notes.txt"]);
        let (_, text) = Ci::Github.file(&folder, None).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(text.contains("# TO REPLACE before it works: the build step"), "{text}");
        assert!(to_replace(&text).iter().any(|place| place.starts_with("the build step")));
        let published = !REPOSITORY.contains(OWNER);
        assert_eq!(text.contains("# TO REPLACE before it works: DYNO_OWNER"), !published);
    }

    #[test]
    fn the_server_is_told_by_the_folder() {
        let lab = folder("lab", &[".gitlab-ci.yml"]);
        let hub = folder("hub", &["x"]);
        assert_eq!((Ci::of(&lab), Ci::of(&hub)), (Ci::Gitlab, Ci::Github));
        assert_eq!(Ci::None.file(&hub, None), None);
        std::fs::remove_dir_all(&lab).unwrap();
        std::fs::remove_dir_all(&hub).unwrap();
    }
}
