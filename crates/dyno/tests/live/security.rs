//! Who may look, and who may steer.

use crate::common::Folder;
use crate::server::{Serving, status};
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;

const LONG: [&str; 6] = ["-each", "st=0.2", "-rounds", "500", "--no-journal", "--quiet"];

#[test]
fn strangers_are_refused() {
    let folder = Folder::new("live-strangers");
    let dyno = Serving::toy_match(&folder.0, &LONG);
    let page = dyno.get("/");
    assert_eq!(status(&page), 200);
    let head = page.split("\r\n\r\n").next().unwrap().to_lowercase();
    for wanted in [
        "content-security-policy: default-src 'none'",
        "nosniff",
        "no-referrer",
        "frame-ancestors 'none'",
    ] {
        assert!(head.contains(wanted), "{wanted}: {head}");
    }
    assert!(
        !page.contains("unsafe-inline") && !page.contains("<style") && !page.contains("<script>")
    );
    for host in ["evil.example", "evil.example:80", "10.1.2.3", "localhost.evil.example"] {
        assert_eq!(status(&dyno.ask("GET /", &[("Host", host)])), 421, "{host}");
    }
    assert_eq!(status(&dyno.ask("GET /", &[("Host", "localhost:9")])), 200, "a tunnel");
    let run = dyno.run(&[]);
    let own = format!("http://{}", dyno.host());
    let pause = format!("POST /live/{run}/control?do=pause");
    assert_eq!(status(&dyno.ask(&pause, &[])), 403, "no origin");
    assert_eq!(status(&dyno.ask(&pause, &[("Origin", "http://evil.example")])), 403);
    assert_eq!(status(&dyno.ask(&pause, &[("Origin", &own)])), 403, "read-only without --control");
    for path in
        ["/nothing", "/assets/../secret", "/live/x", "/live/../x/events", "/run/1", "/trends"]
    {
        assert_eq!(status(&dyno.get(path)), 404, "{path}");
    }
    // Requests that are none.
    for junk in [&b"\0\0\0\0\r\n\r\n"[..], b"GET", b"GET / HTTP/1.1\r\n\r\n"] {
        TcpStream::connect(dyno.host()).unwrap().write_all(junk).unwrap();
    }
    assert_eq!(status(&dyno.get("/")), 200, "still there");
}

#[test]
fn controls_need_a_token_which_becomes_a_cookie() {
    let folder = Folder::new("live-control");
    let args = [&LONG[..], &["--control"]].concat();
    let mut dyno = Serving::toy_match(&folder.0, &args);
    assert_eq!(status(&dyno.get("/")), 401);
    assert_eq!(status(&dyno.get("/?token=0123456789abcdef")), 403);
    let query = dyno.url.split('?').nth(1).unwrap().to_owned();
    let answer = dyno.get(&format!("/?{query}"));
    assert_eq!(status(&answer), 303);
    let line = |name: &str| {
        let found = answer.lines().find(|line| line.to_lowercase().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {answer}")).to_owned()
    };
    assert_eq!(line("location:").split(' ').nth(1), Some("/"), "the token leaves the address");
    let cookie = line("set-cookie:");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split([' ', ';']).nth(1).unwrap().to_owned();
    let own = format!("http://{}", dyno.host());
    let known = [("Cookie", cookie.as_str()), ("Origin", own.as_str())];
    let run = dyno.run(&known);
    let command = |what: &str| dyno.ask(&format!("POST /live/{run}/control?do={what}"), &known);
    assert_eq!(status(&dyno.ask(&format!("POST /live/{run}/control?do=pause"), &known[1..])), 401);
    assert!(command("pause").ends_with("paused\n") && command("pause").ends_with("going on\n"));
    assert!(command("more").ends_with("2 games at once\n"));
    assert!(command("fewer").ends_with("1 game at once\n"));
    assert_eq!(status(&command("dance")), 400);
    assert!(dyno.ask("GET /", &known).contains("data-do=\"stop-now\""));
    assert_eq!(status(&command("stop-now")), 200);
    assert_eq!(dyno.wait().code(), Some(130), "as if the user had stopped it");
}

#[test]
fn nothing_is_served_off_loopback_without_tls() {
    let folder = Folder::new("live-open");
    let serve = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_dyno"))
            .arg("serve")
            .args(args)
            .current_dir(&folder.0)
            .env("DYNO_HISTORY", folder.path("h.db"))
            .env("DYNO_TOKEN", if args.contains(&"--control") { "short" } else { "" })
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = serve(&["0.0.0.0:0"]);
    assert!(code == Some(2) && said.contains("--tls CERT,KEY"), "{said}");
    let (code, said) = serve(&["0", "--tls", "missing.pem,missing.key"]);
    assert!(code == Some(2) && said.contains("missing.pem"), "{said}");
    let (code, said) = serve(&["0", "--tls", "one.pem"]);
    assert!(code == Some(2) && said.contains("CERT,KEY"), "{said}");
    let (code, said) = serve(&["0", "--control"]);
    assert!(code == Some(2) && said.contains("at least 16"), "{said}");
    let (code, said) = serve(&["example.org"]);
    assert!(code == Some(2) && said.contains("not an address"), "{said}");
}

#[test]
fn a_viewer_that_stalls_delays_nothing() {
    let folder = Folder::new("live-stall");
    let args = ["-each", "depth=1", "-rounds", "30", "-wait", "20", "--no-journal", "--quiet"];
    let mut dyno = Serving::toy_match(&folder.0, &args);
    let run = dyno.run(&[]);
    let stalled: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(dyno.host()).unwrap();
            let request = format!("GET /live/{run}/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(dyno.wait().code(), Some(0), "all games were played, and the command ended");
    drop(stalled);
}
