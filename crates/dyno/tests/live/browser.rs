//! A headless Chromium, told what to do through a pipe (Chrome DevTools Protocol).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    profile: PathBuf,
    session: Value,
    next: u64,
    /// What the console and the engine of the page complained of.
    pub complaints: Vec<String>,
}

impl Browser {
    /// Starts with an empty page; `None`, with a word about it, where there is no Chromium.
    pub fn start(name: &str) -> Option<Self> {
        let Some(program) = find() else {
            eprintln!("skipped: {name}: no chromium on PATH");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("dyno-cdp-{}-{name}", std::process::id()));
        // The browser reads commands from handle 3 and answers on handle 4.
        let line = "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", line])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, answers) = channel();
        std::thread::spawn(move || {
            for part in output.split(0).map_while(Result::ok) {
                if tell.send(serde_json::from_slice(&part).unwrap()).is_err() {
                    return;
                }
            }
        });
        let (session, complaints) = (Value::Null, Vec::new());
        let mut browser = Self { child, input, answers, profile, session, next: 0, complaints };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        Some(browser)
    }

    /// A command and its answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left);
            let answer = answer.unwrap_or_else(|_| panic!("{method}: no answer"));
            if answer["id"] == self.next {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let is_error = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error",
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            _ => false,
        };
        if is_error {
            self.complaints.push(params.to_string());
        }
    }

    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for("document.readyState === 'complete' && location.protocol !== 'about:'");
    }

    /// The value of an expression on the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression holds.
    pub fn wait_for(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.eval(&format!("Boolean({expression})")) != true {
            assert!(Instant::now() < until, "never became true: {expression}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let params = json!({"type": kind, "key": key, "code": key});
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// A window of that width, light or dark.
    pub fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// Fails unless the page fits at two widths, light and dark, and can be read.
    pub fn assert_healthy(&mut self, name: &str) {
        let script = include_str!("../../../report/tests/browser/measure.js");
        for (width, scheme) in [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")] {
            self.look(width, scheme);
            let found = self.eval(&format!("(() => {{ {script} return troubles(); }})()"));
            assert_eq!(found, json!([]), "{name}, {width} wide, {scheme}");
        }
        assert_eq!(self.complaints, Vec::<String>::new(), "{name}: the console");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file())
}
