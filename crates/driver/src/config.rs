//! Named engines from files: Dyno's `engines.toml` and cutechess' `engines.json`.

use crate::spec::{EngineSpec, SpecError};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Why a file of engines cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// The file does not follow the format.
    #[error("{}: {message}", .path.display())]
    Format { path: PathBuf, message: String },
    /// An entry that names no engine.
    #[error("{}: engine {name:?}: {source}", .path.display())]
    Engine { path: PathBuf, name: String, source: SpecError },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlFile {
    #[serde(default, alias = "engines")]
    engine: Vec<EngineSpec>,
}

/// One entry of cutechess' `engines.json`; what does not matter here is ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonEngine {
    name: String,
    command: String,
    working_directory: Option<PathBuf>,
    #[serde(default)]
    arguments: Vec<String>,
    protocol: Option<String>,
    #[serde(default)]
    options: Vec<JsonOption>,
    #[serde(default)]
    init_strings: Vec<String>,
    stderr_file: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct JsonOption {
    name: String,
    value: Option<serde_json::Value>,
}

/// All engines of a file: JSON when its name ends so, TOML otherwise.
pub fn read_engines(path: &Path) -> Result<Vec<EngineSpec>, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let format = |message: String| ConfigError::Format { path: path.to_owned(), message };
    let is_json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let engines: Vec<EngineSpec> = if is_json {
        let engines: Vec<JsonEngine> =
            serde_json::from_str(&text).map_err(|e| format(e.to_string()))?;
        engines.into_iter().map(JsonEngine::into_spec).collect::<Result<_, _>>()
    } else {
        let file: TomlFile = toml::from_str(&text).map_err(|e| format(e.to_string()))?;
        Ok(file.engine)
    }
    .map_err(|(name, source)| ConfigError::Engine { path: path.to_owned(), name, source })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |spec: EngineSpec| {
        let name = spec.name.clone().unwrap_or_default();
        beside(spec, folder).map_err(|source| ConfigError::Engine {
            path: path.to_owned(),
            name,
            source,
        })
    };
    engines.into_iter().map(beside).collect()
}

/// The engine as the file means it: relative paths start at the file's folder, and the command may
/// hold arguments.
fn beside(spec: EngineSpec, folder: &Path) -> Result<EngineSpec, SpecError> {
    if spec.name.as_deref().is_none_or(str::is_empty) {
        return Err(SpecError::NoName);
    }
    let command = spec.program.to_string();
    let program = folder.join(&command);
    let command = match !command.is_empty() && program.is_file() {
        true => EngineSpec::program(program),
        false => command.parse()?,
    };
    Ok(EngineSpec {
        program: command.program,
        args: [command.args, spec.args].concat(),
        dir: spec.dir.map(|dir| folder.join(dir)),
        ..spec
    })
}

/// The engine of that name in the files given, or else in the usual ones: `engines.toml` and
/// `engines.json` here, then in the user's configuration folder.
pub fn named_engine(name: &str, files: &[PathBuf]) -> Result<Option<EngineSpec>, ConfigError> {
    let usual = usual_files();
    let files = if files.is_empty() { &usual } else { files };
    for file in files {
        let engines = read_engines(file)?;
        if let Some(spec) = engines.into_iter().find(|s| s.name.as_deref() == Some(name)) {
            return Ok(Some(spec));
        }
    }
    Ok(None)
}

/// The names of all engines in the usual files.
pub fn engine_names() -> Result<Vec<String>, ConfigError> {
    let mut names = Vec::new();
    for file in usual_files() {
        names.extend(read_engines(&file)?.into_iter().filter_map(|spec| spec.name));
    }
    Ok(names)
}

fn usual_files() -> Vec<PathBuf> {
    let home = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let config = home("XDG_CONFIG_HOME")
        .or_else(|| home("HOME").map(|h| h.join(".config")))
        .or_else(|| home("APPDATA"));
    let folders = [Some(PathBuf::new()), config.map(|c| c.join("dyno"))];
    folders
        .into_iter()
        .flatten()
        .flat_map(|folder| ["engines.toml", "engines.json"].map(|name| folder.join(name)))
        .filter(|file| file.is_file())
        .collect()
}

impl JsonEngine {
    fn into_spec(self) -> Result<EngineSpec, (String, SpecError)> {
        let text = |value: serde_json::Value| match value {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let protocol = match self.protocol.as_deref().map(str::parse).transpose() {
            Ok(protocol) => protocol.unwrap_or_default(),
            Err(error) => return Err((self.name, error)),
        };
        // cutechess writes an empty path where none is set.
        let path = |path: Option<PathBuf>| path.filter(|p| !p.as_os_str().is_empty());
        let options = self.options.into_iter();
        Ok(EngineSpec {
            name: Some(self.name),
            program: self.command.into(),
            args: self.arguments,
            dir: path(self.working_directory),
            protocol,
            options: options.filter_map(|o| Some((o.name, text(o.value?)))).collect(),
            init: self.init_strings,
            stderr: path(self.stderr_file),
            ..EngineSpec::default()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::spec::{Program, Protocol};

    fn read(name: &str, text: &str) -> Result<Vec<EngineSpec>, ConfigError> {
        use std::sync::atomic::{AtomicU32, Ordering};
        // Tests run side by side, and some of them read files of the same name.
        static READ: AtomicU32 = AtomicU32::new(0);
        let number = READ.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("dyno-config-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        let engines = read_engines(&file);
        std::fs::remove_dir_all(&folder).unwrap();
        engines
    }

    #[test]
    fn toml_and_json() {
        let toml = r#"
            [[engine]]
            name = "sf"
            command = "stockfish"
            args = ["--x"]
            env = { A = "b" }
            protocol = "uci"
            [engine.options]
            Hash = 16
            Ponder = false
            [[engine]]
            name = "gnu"
            command = "gnuchess --xboard"
            proto = "xboard"
        "#;
        let engines = read("engines.toml", toml).unwrap();
        assert_eq!(engines.len(), 2);
        assert_eq!(engines[0].program, Program::Path("stockfish".into()));
        assert_eq!(
            engines[0].options,
            [("Hash".into(), "16".into()), ("Ponder".into(), "false".into())]
        );
        assert_eq!(engines[0].env, [("A".into(), "b".into())]);
        assert_eq!(engines[1].args, ["--xboard"]);
        assert_eq!(engines[1].protocol, Protocol::Xboard);

        let json = r#"[{"command": "toga2", "name": "Toga", "protocol": "uci",
            "workingDirectory": "", "stderrFile": "", "restart": "auto", "variants": ["standard"],
            "options": [{"alias": "", "default": 16, "name": "Hash", "type": "spin", "value": 32},
                        {"name": "Clear", "type": "button"}]}]"#;
        let engines = read("engines.json", json).unwrap();
        assert_eq!(engines[0].name.as_deref(), Some("Toga"));
        assert_eq!(engines[0].options, [("Hash".into(), "32".into())]);
        assert_eq!(engines[0].dir, None);
    }

    #[test]
    fn an_engine_needs_a_name_and_a_command() {
        for (text, wanted) in [
            ("[[engine]]\ncommand = 'b'", "no name"),
            ("[[engine]]\nname = 'a'", "empty"),
            ("[[engine]]\nname = 'a'\ncmd = 'b'\ndepth = 3", "unknown field `depth`"),
            ("[[engine]]\nname = 'a'\ncmd = 'b'\noptions = ['=1']", "NAME=VALUE"),
        ] {
            let message = read("odd.toml", text).unwrap_err().to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }

    #[test]
    fn faults_name_the_file() {
        let message = read("bad.toml", "[[engine]]\nname = 3").unwrap_err().to_string();
        assert!(message.contains("bad.toml") && message.contains("line 2"), "{message}");
        let message = read("odd.toml", "[[engine]]\nname='a'\ncommand='b'\nproto='x'").unwrap_err();
        assert!(message.to_string().contains("unknown protocol"), "{message}");
    }
}
