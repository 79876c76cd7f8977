//! Who may look at the pages, and who may steer what runs.
//!
//! A page on loopback is open to all who can reach loopback; any other needs TLS and a token. The
//! `Host` of every request must be one of ours, or a name that an attacker points at this machine
//! would make its page ours to the browser (DNS rebinding).

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// What the user wants of the server.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where to listen.
    pub address: SocketAddr,
    /// The certificate chain and its key, as PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// A proxy that speaks TLS stands in front and is known by `hosts`.
    pub behind_proxy: bool,
    /// Names besides the address itself under which the pages may be asked for.
    pub hosts: Vec<String>,
    /// What viewers have to know; one is made up where one is needed.
    pub token: Option<String>,
    /// Whether viewers may steer.
    pub control: bool,
}

/// Why the pages cannot be served as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// Anyone on the way could read along.
    #[error(
        "{0} can be reached from other machines: give --tls CERT,KEY, or --behind-proxy NAME where a proxy speaks TLS; or stay on 127.0.0.1 and use `ssh -L`"
    )]
    NeedsTls(SocketAddr),
    /// Nothing could be asked for by name.
    #[error(
        "--behind-proxy: give the name that the proxy serves, as in --behind-proxy dyno.example.org"
    )]
    NeedsHost,
    /// A token that can be guessed.
    #[error("the token has {0} characters: at least 16 letters, digits, - or _ are needed")]
    WeakToken(usize),
}

impl Access {
    /// Loopback, without controls.
    #[must_use]
    pub fn loopback(port: u16) -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            tls: None,
            behind_proxy: false,
            hosts: Vec::new(),
            token: None,
            control: false,
        }
    }

    /// The rules that follow; `fresh` makes up a token.
    pub(crate) fn gate(&self, fresh: impl FnOnce() -> String) -> Result<Gate, AccessError> {
        let is_local = self.address.ip().is_loopback();
        if !is_local && self.tls.is_none() && !self.behind_proxy {
            return Err(AccessError::NeedsTls(self.address));
        }
        if self.behind_proxy && self.hosts.is_empty() {
            return Err(AccessError::NeedsHost);
        }
        if let Some(token) = &self.token {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if token.len() < 16 || !token.chars().all(is_plain) {
                return Err(AccessError::WeakToken(token.chars().count()));
            }
        }
        let needs_token = !is_local || self.behind_proxy || self.control;
        Ok(Gate {
            token: self.token.clone().or_else(|| needs_token.then(fresh)),
            hosts: self.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            is_local: is_local && !self.behind_proxy,
            is_secure: self.tls.is_some() || self.behind_proxy,
            control: self.control,
        })
    }
}

/// The rules of a server.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub token: Option<String>,
    hosts: Vec<String>,
    is_local: bool,
    /// Browsers speak TLS with us, or with the proxy in front.
    pub is_secure: bool,
    pub control: bool,
}

impl Gate {
    /// Whether a request for this `Host` is meant for us.
    pub fn knows(&self, host: &str) -> bool {
        let name = host_name(host).to_ascii_lowercase();
        if self.hosts.contains(&name) {
            return true;
        }
        match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            // An address cannot be pointed elsewhere; ours alone is expected on loopback.
            Ok(address) => !self.is_local || address.is_loopback(),
            Err(_) => name == "localhost",
        }
    }

    /// Whether a request that changes something comes from a page of ours: one of the host that
    /// was asked, or of a name that we go by, because a proxy may ask under another one.
    pub fn is_own_origin(&self, origin: Option<&str>, host: &str) -> bool {
        let scheme = if self.is_secure { "https://" } else { "http://" };
        let Some(page) = origin.and_then(|origin| origin.strip_prefix(scheme)) else {
            return false;
        };
        page == host || self.hosts.contains(&host_name(page).to_ascii_lowercase())
    }

    /// Whether a token is the one; without one everything is.
    pub fn admits(&self, given: Option<&str>) -> bool {
        match (&self.token, given) {
            (None, _) => true,
            (Some(token), Some(given)) => is_same(token.as_bytes(), given.as_bytes()),
            (Some(_), None) => false,
        }
    }
}

/// The name in `name:port` or `[address]:port`.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => {
            name
        }
        _ => host,
    }
}

/// Takes the same time wherever the two differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |found, (a, b)| found | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn gate(access: &Access) -> Result<Gate, AccessError> {
        access.gate(|| TOKEN.to_owned())
    }

    #[test]
    fn off_loopback_needs_tls_and_a_token() {
        let open = Access { address: "0.0.0.0:80".parse().unwrap(), ..Access::loopback(0) };
        assert_eq!(gate(&open).unwrap_err(), AccessError::NeedsTls(open.address));
        let tls = Access { tls: Some(("c".into(), "k".into())), ..open.clone() };
        assert_eq!(gate(&tls).unwrap().token.as_deref(), Some(TOKEN));
        let nameless = Access { behind_proxy: true, ..open };
        assert_eq!(gate(&nameless).unwrap_err(), AccessError::NeedsHost);
        let proxy = Access { hosts: vec!["Dyno.example".into()], ..nameless };
        let gate_of_proxy = gate(&proxy).unwrap();
        assert!(gate_of_proxy.token.is_some() && gate_of_proxy.is_secure);
        assert!(gate_of_proxy.knows("dyno.example") && gate_of_proxy.knows("dyno.example:443"));
        assert!(gate(&Access::loopback(1)).unwrap().token.is_none());
        let control = Access { control: true, ..Access::loopback(1) };
        assert!(gate(&control).unwrap().token.is_some(), "others on this machine must not steer");
        let weak = Access { token: Some("secret".into()), ..Access::loopback(1) };
        assert_eq!(gate(&weak).unwrap_err(), AccessError::WeakToken(6));
    }

    #[test]
    fn names_of_others_are_refused() {
        let gate = gate(&Access::loopback(1)).unwrap();
        for ours in ["localhost", "localhost:7878", "127.0.0.1:1", "[::1]:9", "LOCALHOST:1"] {
            assert!(gate.knows(ours), "{ours}");
        }
        for other in ["evil.example", "localhost.evil.example:1", "10.0.0.1:1", "", ":1", "[::2]:1"]
        {
            assert!(!gate.knows(other), "{other}");
        }
    }

    #[test]
    fn only_pages_of_ours_may_change_something() {
        let gate = gate(&Access::loopback(1)).unwrap();
        assert!(gate.is_own_origin(Some("http://localhost:1"), "localhost:1"));
        for other in [None, Some("null"), Some("http://evil.example"), Some("https://localhost:1")]
        {
            assert!(!gate.is_own_origin(other, "localhost:1"), "{other:?}");
        }
        let hosts = vec!["dyno.example".into()];
        let proxy = Access { behind_proxy: true, hosts, ..Access::loopback(1) };
        let gate = proxy.gate(|| TOKEN.to_owned()).unwrap();
        assert!(gate.is_own_origin(Some("https://Dyno.example"), "127.0.0.1:1"), "by its proxy");
        for other in ["http://dyno.example", "https://evil.example", "https://dyno.example.evil"] {
            assert!(!gate.is_own_origin(Some(other), "127.0.0.1:1"), "{other}");
        }
    }

    #[test]
    fn tokens_must_be_equal() {
        let control = Access { control: true, ..Access::loopback(1) };
        let gate = gate(&control).unwrap();
        assert!(gate.admits(Some(TOKEN)));
        for other in [None, Some(""), Some("0123456789abcdeX"), Some("0123456789abcdef0")] {
            assert!(!gate.admits(other), "{other:?}");
        }
    }
}
