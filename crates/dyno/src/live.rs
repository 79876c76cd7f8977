//! The live page: how it is asked for, and how commands tell `dyno serve` how they stand.

use crate::history;
use anyhow::{Context as _, bail};
use dyno_web::{Access, Live, Publisher, ServeError, Server, Site};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where pages are found unless the user says otherwise; the next free one where it is taken.
const USUAL_PORT: u16 = 7878;
const PORTS_TRIED: u16 = 20;

/// How the pages are to be served.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PageArgs {
    /// Where to listen: a port, an address or both [default: 127.0.0.1, port 7878 or the next free one]
    #[arg(value_name = "ADDR")]
    pub address: Option<String>,

    /// Certificate chain and key, as PEM files: needed off loopback, unless a proxy speaks TLS
    #[arg(long, value_name = "CERT,KEY")]
    pub tls: Option<String>,

    /// A proxy in front speaks TLS and serves the pages under this name
    #[arg(long, value_name = "NAME")]
    pub behind_proxy: Option<String>,

    /// Answer to this host name as well; repeat for more
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,

    /// Let viewers pause, stop and change the number of games at once
    #[arg(long)]
    pub control: bool,
}

impl PageArgs {
    /// Starts to serve. The token, where one is needed, is `DYNO_TOKEN` or a new one.
    pub fn serve(&self, site: impl Fn() -> Site) -> anyhow::Result<Server> {
        let (ip, port) = address(self.address.as_deref().unwrap_or_default())?;
        let access = |port: u16| -> anyhow::Result<Access> {
            let (address, control) = (SocketAddr::new(ip, port), self.control);
            let hosts = self.behind_proxy.iter().chain(&self.allow_host).cloned().collect();
            let token = std::env::var("DYNO_TOKEN").ok().filter(|token| !token.is_empty());
            let (tls, behind_proxy) = (self.tls_files()?, self.behind_proxy.is_some());
            Ok(Access { address, tls, behind_proxy, hosts, token, control })
        };
        if let Some(port) = port {
            return Ok(Server::start(&access(port)?, site())?);
        }
        for port in USUAL_PORT..USUAL_PORT + PORTS_TRIED {
            match Server::start(&access(port)?, site()) {
                Err(ServeError::Bind { source, .. })
                    if source.kind() == std::io::ErrorKind::AddrInUse => {}
                started => return Ok(started?),
            }
        }
        Ok(Server::start(&access(0)?, site())?)
    }

    fn tls_files(&self) -> anyhow::Result<Option<(PathBuf, PathBuf)>> {
        let Some(text) = &self.tls else { return Ok(None) };
        let (chain, key) = text
            .split_once(',')
            .with_context(|| format!("--tls {text}: two files are wanted, CERT,KEY"))?;
        Ok(Some((chain.into(), key.into())))
    }
}

/// `8080`, `127.0.0.1`, `localhost:8080`, `[::1]:8080`: the address, and the port if it is given.
fn address(text: &str) -> anyhow::Result<(IpAddr, Option<u16>)> {
    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let text = text.trim();
    if text.is_empty() {
        return Ok((LOOPBACK, None));
    }
    if let Ok(port) = text.strip_prefix(':').unwrap_or(text).parse() {
        return Ok((LOOPBACK, Some(port)));
    }
    let text = text.replacen("localhost", "127.0.0.1", 1);
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok((address.ip(), Some(address.port())));
    }
    match text.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(ip) => Ok((ip, None)),
        Err(_) => bail!(
            "{text:?} is not an address to listen on: give a port (8080), an IP address or both (127.0.0.1:8080)"
        ),
    }
}

/// Lets `dyno serve` see how a run stands, as long as what is returned is kept.
pub fn publish(live: impl Live + 'static) -> Option<Publisher> {
    Publisher::start(folder(&history::place()?)?, Arc::new(live))
}

/// Where running commands tell how they stand: beside their history.
pub fn folder(history: &Path) -> Option<PathBuf> {
    Some(history.parent()?.join("live"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn addresses_in_the_forms_that_people_write() {
        for (text, ip, port) in [
            ("", "127.0.0.1", None),
            ("8080", "127.0.0.1", Some(8080)),
            (":8080", "127.0.0.1", Some(8080)),
            ("localhost:80", "127.0.0.1", Some(80)),
            ("localhost", "127.0.0.1", None),
            ("0.0.0.0:8443", "0.0.0.0", Some(8443)),
            ("[::1]:9", "::1", Some(9)),
            ("::1", "::1", None),
        ] {
            assert_eq!(address(text).unwrap(), (ip.parse().unwrap(), port), "{text}");
        }
        for text in ["example.org:80", "127.0.0.1:http", "70000"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
