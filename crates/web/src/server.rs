//! The server: one thread of its own, whatever its viewers do.

use crate::access::{Access, AccessError, Gate};
use crate::site::Site;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Connections at once; more have to wait.
const MOST_CONNECTIONS: usize = 512;
/// What may wait for a viewer that does not read: in the system, and here.
const SEND_BUFFER: u32 = 128 << 10;
const WRITE_BUFFER: usize = 64 << 10;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long viewers have to take the last message in; most need a few milliseconds.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What was asked for is not safe.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// A certificate or key that cannot be used.
    #[error("{}: {reason}", .path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The system refuses a thread or a clock.
    #[error("cannot start the server: {0}")]
    Runtime(io::Error),
}

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    url: String,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to listen. When this returns, the pages can be asked for.
    pub fn start(access: &Access, site: Site) -> Result<Self, ServeError> {
        let gate = Arc::new(access.gate(random_token)?);
        let tls = access.tls.as_ref().map(|(chain, key)| acceptor(chain, key)).transpose()?;
        let wanted = access.address;
        let (stop, stopped) = watch::channel(false);
        let (tell, told) = mpsc::channel();
        let own_gate = Arc::clone(&gate);
        let thread = std::thread::Builder::new().name("web".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => return drop(tell.send(Err(ServeError::Runtime(error)))),
            };
            runtime.block_on(async move {
                let listener = match listen(wanted) {
                    Ok(listener) => listener,
                    Err(source) => {
                        let error = ServeError::Bind { address: wanted, source };
                        return drop(tell.send(Err(error)));
                    }
                };
                let address = listener.local_addr().unwrap_or(wanted);
                let _ = tell.send(Ok(address));
                let site = Arc::new(site);
                serve(listener, tls, own_gate, Arc::clone(&site), stopped).await;
                site.say_goodbye();
                let until = tokio::time::Instant::now() + FAREWELL;
                while site.viewers() > 0 && tokio::time::Instant::now() < until {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
        });
        let thread = thread.map_err(ServeError::Runtime)?;
        let failed = || ServeError::Runtime(io::Error::other("its thread ended"));
        let address = told.recv().map_err(|_| failed())??;
        let url = url(address, &gate, access);
        Ok(Self { address, url, stop, thread: Some(thread) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser, token included.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    /// The last state is sent to those who still watch.
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn url(address: SocketAddr, gate: &Gate, access: &Access) -> String {
    let scheme = if gate.is_secure { "https" } else { "http" };
    let host = match access.hosts.first() {
        Some(host) if access.behind_proxy => host.clone(),
        Some(host) => format!("{host}:{}", address.port()),
        None => address.to_string(),
    };
    let token = gate.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    format!("{scheme}://{host}/{token}")
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections inherit it: the system keeps no more than this for a viewer that stalls.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(128)
}

async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    gate: Arc<Gate>,
    site: Arc<Site>,
    mut stopped: watch::Receiver<bool>,
) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let router = crate::routes::router(site, gate, port);
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => return,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file handles: those who watch may leave in the meantime.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let (router, tls) = (router.clone(), tls.clone());
        tokio::spawn(async move {
            let _place = place;
            match tls {
                None => converse(stream, router).await,
                Some(tls) => {
                    let greeted = tokio::time::timeout(PATIENCE, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = greeted {
                        converse(stream, router).await;
                    }
                }
            }
        });
    }
}

/// One connection, to its end. What goes wrong on it is the viewer's loss alone.
async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin, router: axum::Router) {
    let service = TowerToHyperService::new(router);
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(WRITE_BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// 128 random bits.
fn random_token() -> String {
    let mut bytes = [0u8; 16];
    let random = ring::default_provider().secure_random;
    match random.fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => unreachable!("the system has random numbers"),
    }
}

fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, ServeError> {
    let fault =
        |path: &Path, reason: String| ServeError::Certificate { path: path.to_owned(), reason };
    let certificates: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(chain).map_err(|e| fault(chain, e.to_string()))?.collect();
    let certificates = certificates.map_err(|e| fault(chain, e.to_string()))?;
    if certificates.is_empty() {
        return Err(fault(chain, "no certificate in it (PEM is wanted)".into()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|e| fault(key, e.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| fault(chain, e.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, private)
        .map_err(|e| fault(key, e.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
