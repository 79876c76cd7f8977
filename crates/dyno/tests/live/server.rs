//! A `dyno` that serves pages, and plain requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A command that has printed where its page is.
pub struct Serving {
    child: Child,
    /// With the token, if there is one.
    pub url: String,
}

impl Serving {
    /// Starts it in a folder of its own, as a project.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        std::fs::write(folder.join("dyno.toml"), "").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .args(args)
            .current_dir(folder)
            .env_remove("DYNO_TOKEN")
            .env("DYNO_HISTORY", folder.join(".dyno/history.db"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Vec::new();
        let url = lines.by_ref().find_map(|line| {
            let url =
                line.split_whitespace().find(|word| word.starts_with("http")).map(str::to_owned);
            said.push(line);
            url
        });
        // What else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.unwrap_or_else(|| panic!("no address: {said:?}")) }
    }

    /// A match of toys that takes its time.
    pub fn toy_match(folder: &Path, more: &[&str]) -> Self {
        let toy = format!("cmd={}", dyno_testkit::toy::command(None));
        let mut args =
            vec!["match", "-engine", "name=Piston", "cmd=builtin", "-engine", "name=Toy", &toy];
        args.extend(["-srand", "1", "-maxmoves", "40", "--live", "0"]);
        args.extend(more);
        Self::start(folder, &args)
    }

    #[cfg(target_os = "linux")]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// `127.0.0.1:4711`
    pub fn host(&self) -> String {
        self.url.split('/').nth(2).unwrap().to_owned()
    }

    /// The page without its token.
    pub fn base(&self) -> String {
        self.url.split('?').next().unwrap().to_owned()
    }

    /// The answer to a request, head and body.
    pub fn ask(&self, line: &str, headers: &[(&str, &str)]) -> String {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.host());
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), &[])
    }

    /// The name of the run that the front page is about.
    pub fn run(&self, headers: &[(&str, &str)]) -> String {
        for _ in 0..600 {
            let page = self.ask("GET /", headers);
            if let Some(rest) = page.split("data-run=\"").nth(1) {
                return rest.split('"').next().unwrap().to_owned();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("the run never began");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}
