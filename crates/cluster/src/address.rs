//! Where the cluster is and who one is there: an address, or an invitation that holds all of it.

use super::backoff;
use super::error::ClusterError;
use super::message::now_ms;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, jetstream};
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How an invitation begins.
const INVITATION: &str = "dyno1:";
/// Whose key opens everything.
pub const COORDINATOR: &str = "coordinator";

/// A server, and what it takes to be let in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    pub url: String,
    /// The name that the key is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The seed of an nkey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The certificate of the server, as PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

impl Address {
    /// An address, an invitation, or the file of one.
    pub fn parse(text: &str) -> Result<Self, ClusterError> {
        let text = text.trim();
        if let Some(packed) = text.strip_prefix(INVITATION) {
            let fault = |e: &dyn std::fmt::Display| ClusterError::Invitation(e.to_string());
            let bytes = BASE64URL_NOPAD.decode(packed.as_bytes()).map_err(|e| fault(&e))?;
            return serde_json::from_slice(&bytes).map_err(|e| fault(&e));
        }
        if let Some((scheme, host)) = text.split_once("://") {
            let known = ["nats", "tls"].contains(&scheme) && !host.is_empty();
            let url =
                if known { text } else { return Err(ClusterError::Address(text.to_owned())) };
            return Ok(Self { url: url.to_owned(), ..Self::default() });
        }
        let path = Path::new(text);
        if path.is_file() {
            let inside = std::fs::read_to_string(path).map_err(ClusterError::io(path))?;
            if inside.trim().starts_with(INVITATION) || inside.contains("://") {
                return Self::parse(&inside);
            }
        }
        Err(ClusterError::Address(text.to_owned()))
    }

    /// Whether a text holds a key or a password: it must not be written anywhere.
    pub fn holds_secret(text: &str) -> bool {
        text.trim().starts_with(INVITATION) || user(text).is_some()
    }

    /// What only those know who may do what this one may.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.key.as_deref().or_else(|| user(&self.url))
    }

    /// The one word that holds all of it.
    pub fn invitation(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        format!("{INVITATION}{}", BASE64URL_NOPAD.encode(&text))
    }

    /// The worker that the key is for, if it is a worker's.
    pub(crate) fn worker(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| *name != COORDINATOR)
    }

    /// Whether only programs of this machine can reach the server.
    fn is_loopback(&self) -> bool {
        let host = self.url.split("://").nth(1).unwrap_or_default();
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or_default(),
            None => host.split([':', '/']).next().unwrap_or_default(),
        };
        host == "localhost"
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// The user and the password in a URL, or a token.
fn user(url: &str) -> Option<&str> {
    let place = url.split_once("://")?.1;
    place.rsplit_once('@').map(|(user, _)| user)
}

/// A connection that stays: it comes back by itself when the server does.
#[derive(Clone)]
pub struct Connection {
    pub client: Client,
    pub jetstream: jetstream::Context,
    /// Read again whenever the connection is made again.
    _certificate: Option<Arc<CertificateFile>>,
}

/// The connection was lost, or is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    Lost,
    Back,
}

impl Connection {
    /// Connects, and makes sure that the server is one that matches can be entrusted to.
    pub async fn open(
        address: &Address,
        called: &str,
        insecure: bool,
    ) -> Result<(Self, mpsc::UnboundedReceiver<LinkState>), ClusterError> {
        let server = address.url.clone();
        let (tell, states) = mpsc::unbounded_channel();
        let certificate = address.certificate.as_deref().map(CertificateFile::create);
        let certificate = certificate.transpose()?.map(Arc::new);
        let kept = certificate.clone();
        let mut options = ConnectOptions::new()
            .name(called)
            .connection_timeout(Duration::from_secs(5))
            .request_timeout(Some(Duration::from_secs(10)))
            .ping_interval(Duration::from_secs(10))
            .subscription_capacity(1 << 16)
            .reconnect_delay_callback(backoff::after)
            .event_callback(move |event| {
                let state = match event {
                    Event::Connected => Some(LinkState::Back),
                    Event::Disconnected => {
                        kept.iter().for_each(|file| file.restore());
                        Some(LinkState::Lost)
                    }
                    _ => None,
                };
                let _ = state.map(|state| tell.send(state));
                async {}
            });
        if let Some(name) = &address.name {
            options = options.custom_inbox_prefix(inbox(name));
        }
        if let Some(key) = &address.key {
            options = options.nkey(key.clone());
        }
        if let Some(file) = &certificate {
            options = options.add_root_certificates(file.path.clone()).require_tls(true);
        }
        let client =
            options.connect(server.as_str()).await.map_err(|error| match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    ClusterError::WrongKey { server: server.clone() }
                }
                _ => {
                    let (server, reason) = (server.clone(), chain(&error));
                    match reason.contains("invalid peer certificate") {
                        true => ClusterError::OtherServer { server, reason },
                        false => ClusterError::Unreachable { server, reason },
                    }
                }
            })?;
        let info = client.server_info();
        if !(info.auth_required || insecure || address.is_loopback()) {
            return Err(ClusterError::OpenServer { server });
        }
        if !info.jetstream {
            return Err(ClusterError::NoJetStream { server });
        }
        let jetstream = jetstream::new(client.clone());
        Ok((Self { client, jetstream, _certificate: certificate }, states))
    }
}

/// The subjects on which answers to a named one arrive.
pub fn inbox(name: &str) -> String {
    format!("_INBOX.{name}")
}

/// The certificate of a server as a file, which is how the client of NATS wants it each time it
/// connects.
struct CertificateFile {
    path: PathBuf,
    text: String,
}

impl CertificateFile {
    fn create(text: &str) -> Result<Self, ClusterError> {
        let name = format!("dyno-ca-{}-{}-{}.pem", std::process::id(), now_ms(), backoff::chance());
        let file = Self { path: std::env::temp_dir().join(name), text: text.to_owned() };
        file.write().map_err(ClusterError::io(&file.path))?;
        Ok(file)
    }

    /// Fails where there is a file of that name: only what was written here is trusted.
    fn write(&self) -> std::io::Result<()> {
        use std::io::Write as _;
        std::fs::File::create_new(&self.path)?.write_all(self.text.as_bytes())
    }

    /// Temporary folders are cleaned now and then, and connections last for weeks.
    fn restore(&self) {
        let _ = self.write();
    }
}

impl Drop for CertificateFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An error with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn invitations_come_back_whole() {
        let address = Address {
            url: "tls://host:4222".into(),
            name: Some("w1".into()),
            key: Some("SUAX".into()),
            certificate: Some("-----BEGIN".into()),
        };
        let word = address.invitation();
        assert!(!word.contains(char::is_whitespace));
        assert_eq!(Address::parse(&word).unwrap(), address);
        let cut = &word[..word.len() - 3];
        assert!(matches!(Address::parse(cut), Err(ClusterError::Invitation(_))));
        for bad in ["", "host", "http://x", "nats://", "/no/such/file"] {
            assert!(matches!(Address::parse(bad), Err(ClusterError::Address(_))), "{bad}");
        }
    }

    #[test]
    fn loopback_is_known() {
        let loopback = |url: &str| Address { url: url.into(), ..Address::default() }.is_loopback();
        for url in
            ["nats://127.0.0.1:4222", "nats://localhost", "nats://[::1]:4222", "tls://127.9.9.9"]
        {
            assert!(loopback(url), "{url}");
        }
        for url in
            ["nats://10.0.0.1:4222", "nats://localhost.example.org", "nats://[2001:db8::1]:1"]
        {
            assert!(!loopback(url), "{url}");
        }
    }
}
