//! The server itself: over TLS, and with viewers that read nothing.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "says what was measured")]

use dyno_web::{Access, BoardView, Live, Panel, PlyView, RunHead, Server, Site};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// A run with a new and large board whenever it is looked at.
#[derive(Default)]
struct Busy {
    looks: AtomicU64,
}

/// More than a page with many boards sends at once.
const MESSAGE: usize = 60_000;

impl Live for Busy {
    fn head(&self) -> RunHead {
        let (id, kind, title) = ("run".into(), "match".into(), "A vs B".into());
        RunHead { id, kind, title, ..RunHead::default() }
    }

    fn version(&self) -> u64 {
        1
    }

    fn panels(&self) -> Vec<Panel> {
        vec![Panel::new("figures", "", "some")]
    }

    fn boards(&self) -> Vec<BoardView> {
        let look = self.looks.fetch_add(1, Ordering::SeqCst);
        let san = format!("{look} {}", "x".repeat(MESSAGE));
        let plies = vec![PlyView { san, ..PlyView::default() }];
        vec![BoardView { game: 1, plies, ..BoardView::default() }]
    }

    fn is_over(&self) -> bool {
        false
    }
}

fn watch(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(b"GET /live/run/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    stream
}

/// Kilobytes of this process in memory, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn viewers_that_stall_cost_little_and_delay_nothing() {
    const STALLED: u64 = 20;
    let run = Arc::new(Busy::default());
    let live = Arc::clone(&run) as Arc<dyn Live>;
    let server = Server::start(&Access::loopback(0), Site::of_run(live)).unwrap();
    let mut reader = BufReader::new(watch(&server));
    // The latest look that a viewer who reads has seen, after this many messages.
    let mut read = |messages: u64| {
        let mut line = String::new();
        for _ in 0..messages {
            line.clear();
            while !line.contains("\"san\":\"") {
                line.clear();
                assert!(reader.read_line(&mut line).unwrap() > 0);
            }
        }
        let number = line.split("\"san\":\"").nth(1).unwrap().split(' ').next().unwrap();
        number.parse::<u64>().unwrap()
    };
    read(20);
    let before = resident();
    let stalled: Vec<TcpStream> = (0..STALLED).map(|_| watch(&server)).collect();
    // Far more than fits between here and a viewer that reads nothing.
    let seen = read(60);
    assert!(seen >= 60, "{seen}: one who reads is sent everything");
    if let Some((before, after)) = before.zip(resident()) {
        let each = after.saturating_sub(before) / STALLED;
        eprintln!("{each} KB for a viewer that stalls");
        assert!(each < 1024, "{each} KB for a viewer that stalls");
    }
    drop(stalled);
    assert!(read(2) > seen);
}

/// A certificate and its key as files.
fn certificate(folder: &Path) -> (PathBuf, PathBuf) {
    std::fs::create_dir_all(folder).unwrap();
    let made = rcgen::generate_simple_self_signed(["bench.example".to_owned()]).unwrap();
    let (chain, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&chain, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (chain, key)
}

/// The answer to a request by a client that trusts this certificate alone.
fn ask_over_tls(server: &Server, chain: &Path, request: &str) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(chain).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let ask = async {
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let name = ServerName::try_from("bench.example").unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A server need not say goodbye in TLS.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(ask)
}

#[test]
fn off_loopback_pages_are_served_over_tls_to_those_who_know_the_token() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tls");
    let (chain, key) = certificate(&folder);
    let access = Access {
        address: "0.0.0.0:0".parse().unwrap(),
        tls: Some((chain.clone(), key.clone())),
        hosts: vec!["bench.example".into()],
        ..Access::loopback(0)
    };
    let server = Server::start(&access, Site::of_run(Arc::new(Busy::default()))).unwrap();
    let (start, token) = server.url().split_once("?token=").unwrap();
    assert_eq!(start, format!("https://bench.example:{}/", server.address().port()));
    let ask = |path: &str, more: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: bench.example\r\nConnection: close\r\n");
        ask_over_tls(&server, &chain, &format!("{head}{more}\r\n"))
    };
    assert!(ask("/", "").starts_with("HTTP/1.1 401"));
    let let_in = ask(&format!("/?token={token}"), "");
    assert!(let_in.starts_with("HTTP/1.1 303"), "{let_in}");
    let cookie = let_in.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let page = ask("/", &format!("Cookie: {cookie}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("A vs B"), "{page}");

    // Without TLS there is no answer to read.
    let mut plain = TcpStream::connect(server.address()).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: bench.example\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");

    let other = rcgen::generate_simple_self_signed(["x".to_owned()]).unwrap();
    std::fs::write(&key, other.signing_key.serialize_pem()).unwrap();
    let refused = Server::start(&access, Site::of_run(Arc::new(Busy::default())));
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("key.pem"), "the key of another certificate: {error}");
}
