//! A nats-server of one's own: configuration, certificate, keys, start and end.

use super::address::{Address, COORDINATOR, Connection, inbox};
use super::backoff::Backoff;
use super::error::ClusterError;
use super::runtime::runtime;
use super::streams::Streams;
use super::subjects;
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long the server may take to start.
const PATIENCE: Duration = Duration::from_secs(15);
/// Where a new server listens unless told otherwise.
const USUAL_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 4222);

/// What `dyno cluster up` is asked for.
#[derive(Clone, Debug)]
pub struct ServerSetup {
    pub folder: PathBuf,
    /// The address to listen on, where it is not to stay as it is; port 0 takes a free one.
    pub listen: Option<SocketAddr>,
    /// The name by which workers reach this machine, where it is not to stay as it is; for a new
    /// address that address.
    pub host: Option<String>,
    /// How many workers there are keys for.
    pub workers: usize,
}

/// A server that runs.
#[derive(Clone, Debug)]
pub struct Started {
    pub pid: u32,
    pub url: String,
    /// It ran already, and only learned of new keys.
    pub was_running: bool,
    /// The file with the coordinator's invitation.
    pub coordinator: PathBuf,
    /// The invitation of each worker.
    pub workers: Vec<(String, String)>,
}

/// What is kept between runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    listen: SocketAddr,
    host: String,
    certificate: String,
    coordinator: String,
    /// Names and the seeds of their keys.
    workers: Vec<(String, String)>,
}

impl State {
    /// Whether the server would be somewhere else than it is.
    fn is_moved_by(&self, setup: &ServerSetup) -> bool {
        let is_other = |listen: SocketAddr| {
            listen.ip() != self.listen.ip() || ![0, self.listen.port()].contains(&listen.port())
        };
        setup.listen.is_some_and(is_other)
            || setup.host.as_ref().is_some_and(|host| *host != self.host)
    }
}

/// The folder of a server.
pub struct Server {
    folder: PathBuf,
}

/// Where a server is kept unless told otherwise.
pub fn default_folder() -> PathBuf {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else {
        var("XDG_DATA_HOME").or_else(|| Some(var("HOME")?.join(".local").join("share")))
    };
    base.unwrap_or_else(std::env::temp_dir).join("dyno").join("cluster")
}

impl Server {
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The coordinator's invitation, if there is one.
    pub fn coordinator(&self) -> Option<PathBuf> {
        let path = self.path(COORDINATOR);
        path.is_file().then_some(path)
    }

    /// Sets the server up and starts it, or tells a running one about new keys.
    pub fn up(setup: &ServerSetup) -> Result<Started, ClusterError> {
        // There nats-server obeys signals only as a service: it could neither be stopped again nor
        // told about new keys.
        if cfg!(windows) {
            return Err(ClusterError::Server(
                "the server of a cluster cannot be started on Windows: start it on Linux or macOS; matches and workers join it from Windows, too"
                    .to_owned(),
            ));
        }
        let server = Self::at(&setup.folder);
        fs::create_dir_all(&server.folder).map_err(ClusterError::io(&server.folder))?;
        let running = server.running();
        let mut state = match server.load()? {
            None => server.found(setup)?,
            Some(state) if !state.is_moved_by(setup) => state,
            Some(state) => match running {
                None => server.moved(state, setup)?,
                Some(_) => {
                    return Err(ClusterError::Server(format!(
                        "the server runs at {} as {}: to move it, stop it first with `dyno cluster down`; its workers will need the new lines",
                        state.listen, state.host
                    )));
                }
            },
        };
        for number in state.workers.len()..setup.workers {
            state.workers.push((format!("w{}", number + 1), new_seed()?));
        }
        server.write(&state)?;
        let (pid, was_running) = match running {
            Some(pid) => {
                server.signal("reload", pid)?;
                (pid, true)
            }
            None => (server.start()?, false),
        };
        let address = server.address(&state, COORDINATOR, &state.coordinator);
        server.wait_until_ready(&address)?;
        let invite = |(name, seed): &(String, String)| {
            (name.clone(), server.address(&state, name, seed).invitation())
        };
        Ok(Started {
            pid,
            url: address.url.clone(),
            was_running,
            coordinator: server.path(COORDINATOR),
            workers: state.workers.iter().map(invite).collect(),
        })
    }

    /// Stops the server; says whether there was one.
    pub fn down(&self) -> Result<bool, ClusterError> {
        let Some(pid) = self.running() else { return Ok(false) };
        self.signal("stop", pid)?;
        let until = Instant::now() + PATIENCE;
        while self.running().is_some() {
            if Instant::now() > until {
                return Err(ClusterError::Server(format!("nats-server ({pid}) does not end")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }

    /// Keys and certificate of a new cluster.
    fn found(&self, setup: &ServerSetup) -> Result<State, ClusterError> {
        let state = State {
            listen: USUAL_LISTEN,
            host: String::new(),
            certificate: String::new(),
            coordinator: new_seed()?,
            workers: Vec::new(),
        };
        self.moved(state, setup)
    }

    /// The cluster at another address: keys stay, the certificate names the new one.
    fn moved(&self, state: State, setup: &ServerSetup) -> Result<State, ClusterError> {
        let mut listen = setup.listen.unwrap_or(state.listen);
        if listen.port() == 0 {
            listen.set_port(free_port(listen.ip())?);
        }
        let host = setup.host.clone().unwrap_or_else(|| reachable(listen.ip()).to_string());
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), host.clone()];
        names.dedup();
        let fault = |e: rcgen::Error| ClusterError::Server(format!("no certificate: {e}"));
        let made = rcgen::generate_simple_self_signed(names).map_err(fault)?;
        private(&self.path("server.key"), &made.signing_key.serialize_pem())?;
        let certificate = made.cert.pem();
        let path = self.path("server.pem");
        fs::write(&path, &certificate).map_err(ClusterError::io(&path))?;
        Ok(State { listen, host, certificate, ..state })
    }

    /// What an earlier start left. Keys that cannot be read are not replaced: workers hold them.
    fn load(&self) -> Result<Option<State>, ClusterError> {
        let path = self.path("cluster.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read(&path).map_err(ClusterError::io(&path))?;
        serde_json::from_slice(&text).map(Some).map_err(|error| {
            let path = path.display();
            ClusterError::Server(format!(
                "{path} is damaged ({error}): bring it back, or remove it for new keys for everyone"
            ))
        })
    }

    fn write(&self, state: &State) -> Result<(), ClusterError> {
        let text = serde_json::to_string_pretty(state).unwrap_or_default();
        private(&self.path("cluster.json"), &text)?;
        private(&self.path("nats.conf"), &self.configuration(state)?)?;
        let coordinator = self.address(state, COORDINATOR, &state.coordinator);
        private(&self.path(COORDINATOR), &(coordinator.invitation() + "\n"))?;
        let workers = self.path("workers");
        fs::create_dir_all(&workers).map_err(ClusterError::io(&workers))?;
        state.workers.iter().try_for_each(|(name, seed)| {
            let invitation = self.address(state, name, seed).invitation() + "\n";
            private(&workers.join(name), &invitation)
        })
    }

    fn address(&self, state: &State, name: &str, seed: &str) -> Address {
        let host =
            if state.host.contains(':') { format!("[{}]", state.host) } else { state.host.clone() };
        Address {
            url: format!("tls://{host}:{}", state.listen.port()),
            name: Some(name.to_owned()),
            key: Some(seed.to_owned()),
            certificate: Some(state.certificate.clone()),
        }
    }

    fn configuration(&self, state: &State) -> Result<String, ClusterError> {
        let quoted = |path: PathBuf| format!("{:?}", path.display().to_string());
        let mut users = vec![user(&state.coordinator, &[">".to_owned()], &[">".to_owned()])?];
        for (name, seed) in &state.workers {
            users.push(user(seed, &worker_publishes(name), &worker_hears(name))?);
        }
        Ok(format!(
            "# Written by `dyno cluster up`; changes are overwritten.\n\
             listen: \"{}\"\nserver_name: dyno\npid_file: {}\nlog_file: {}\n\
             max_payload: 8MB\nmax_connections: 65536\n\
             jetstream {{ store_dir: {} }}\n\
             tls {{ cert_file: {}, key_file: {} }}\n\
             authorization {{ users = [\n{}\n] }}\n",
            state.listen,
            quoted(self.path("pid")),
            quoted(self.path("server.log")),
            quoted(self.path("store")),
            quoted(self.path("server.pem")),
            quoted(self.path("server.key")),
            users.join(",\n"),
        ))
    }

    /// Starts the process; it goes on when Dyno ends.
    fn start(&self) -> Result<u32, ClusterError> {
        let mut command = Command::new(program()?);
        command.arg("-c").arg(self.path("nats.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            command.process_group(0);
        }
        let child = command.spawn();
        let child = child.map_err(|e| ClusterError::Server(format!("nats-server: {e}")))?;
        Ok(child.id())
    }

    fn wait_until_ready(&self, address: &Address) -> Result<(), ClusterError> {
        let runtime = runtime()?;
        let until = Instant::now() + PATIENCE;
        let mut backoff = Backoff::new();
        runtime.block_on(async {
            loop {
                match Connection::open(address, "dyno cluster", false).await {
                    Ok((connection, _)) => {
                        return Streams::ensure(&connection.jetstream).await.map(drop);
                    }
                    Err(_) if Instant::now() < until => backoff.wait().await,
                    Err(error) => {
                        let log = fs::read_to_string(self.path("server.log")).unwrap_or_default();
                        let tail: Vec<&str> = log.lines().rev().take(3).collect();
                        return Err(ClusterError::Server(format!(
                            "nats-server does not get ready: {error}; its log says: {}",
                            tail.join(" | ")
                        )));
                    }
                }
            }
        })
    }

    /// The process, if it is there.
    fn running(&self) -> Option<u32> {
        let pid: u32 = fs::read_to_string(self.path("pid")).ok()?.trim().parse().ok()?;
        is_nats_server(pid).then_some(pid)
    }

    fn signal(&self, what: &str, pid: u32) -> Result<(), ClusterError> {
        let output = Command::new(program()?).arg("--signal").arg(format!("{what}={pid}")).output();
        let output = output.map_err(|e| ClusterError::Server(format!("nats-server: {e}")))?;
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(ClusterError::Server(format!("nats-server --signal {what}={pid}: {words}")))
    }
}

/// Where a worker may write: under its own name, and what taking work needs.
fn worker_publishes(name: &str) -> Vec<String> {
    let (work, files) = (subjects::WORK, format!("OBJ_{}", subjects::FILES));
    let matches = subjects::kv_stream(subjects::MATCHES);
    let workers = subjects::kv_stream(subjects::WORKERS);
    let mut allowed = vec![
        format!("dyno.event.{name}.>"),
        format!("dyno.result.{name}.>"),
        subjects::kv(subjects::WORKERS, name),
        format!("$JS.ACK.{work}.>"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{work}.>"),
        format!("$JS.API.CONSUMER.INFO.{work}.>"),
        format!("$JS.API.CONSUMER.CREATE.{files}"),
        format!("$JS.API.CONSUMER.CREATE.{files}.>"),
        format!("$JS.API.CONSUMER.DELETE.{files}.>"),
        format!("$JS.API.CONSUMER.INFO.{files}.>"),
        "$JS.FC.>".to_owned(),
    ];
    for stream in [&matches, &files] {
        allowed.push(format!("$JS.API.DIRECT.GET.{stream}"));
        allowed.push(format!("$JS.API.DIRECT.GET.{stream}.>"));
    }
    for stream in [work, subjects::RESULTS, &matches, &workers, &files] {
        allowed.push(format!("$JS.API.STREAM.INFO.{stream}"));
    }
    allowed
}

fn worker_hears(name: &str) -> Vec<String> {
    vec![format!("{}.>", inbox(name)), subjects::NEWS.to_owned()]
}

fn user(seed: &str, publish: &[String], subscribe: &[String]) -> Result<String, ClusterError> {
    let fault = |e| ClusterError::Server(format!("a damaged key in cluster.json: {e}"));
    let key = KeyPair::from_seed(seed).map_err(fault)?.public_key();
    let list = |subjects: &[String]| {
        let quoted: Vec<String> = subjects.iter().map(|subject| format!("\"{subject}\"")).collect();
        quoted.join(", ")
    };
    Ok(format!(
        "  {{ nkey: {key}, permissions: {{ publish: {{ allow: [{}] }}, subscribe: {{ allow: [{}] }} }} }}",
        list(publish),
        list(subscribe)
    ))
}

fn new_seed() -> Result<String, ClusterError> {
    KeyPair::new_user().seed().map_err(|e| ClusterError::Server(format!("no key: {e}")))
}

fn program() -> Result<PathBuf, ClusterError> {
    let found = dyno_driver::find_program(Path::new("nats-server"))
        .or_else(|| dyno_driver::find_program(Path::new("/usr/sbin/nats-server")));
    found.ok_or_else(|| {
        ClusterError::Server(
            "nats-server is not installed: on Debian `apt install nats-server`, otherwise from nats.io"
                .to_owned(),
        )
    })
}

#[cfg(target_os = "linux")]
fn is_nats_server(pid: u32) -> bool {
    // A process that was killed is listed as a zombie until its parent has noticed.
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.contains("(nats-server)") && !stat.contains(") Z"))
}

#[cfg(not(target_os = "linux"))]
fn is_nats_server(pid: u32) -> bool {
    let listed = Command::new("ps").args(["-o", "comm=", "-p", &pid.to_string()]).output();
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).contains("nats-server"))
}

/// The address at which others reach this machine when it listens there. Asking the system for a
/// route sends nothing.
fn reachable(listen: IpAddr) -> IpAddr {
    if !listen.is_unspecified() {
        return listen;
    }
    let outward = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    outward().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

fn free_port(ip: IpAddr) -> Result<u16, ClusterError> {
    let bound = TcpListener::bind((ip, 0)).and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|e| ClusterError::Server(format!("{ip}: {e}")))
}

/// Writes a file that only its owner may read.
fn private(path: &Path, text: &str) -> Result<(), ClusterError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let written = options.open(path).and_then(|mut file| {
        use std::io::Write as _;
        file.write_all(text.as_bytes())
    });
    written.map_err(ClusterError::io(path))
}
