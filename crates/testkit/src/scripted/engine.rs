//! The UCI loop of the scripted engine.

use super::faults;
use super::{Behaviour, Scripted};
use dyno_chess::Position;
use dyno_uci::{Command, Go};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// Runs the engine on its standard streams until `quit`.
pub fn run(script: &[Scripted]) -> io::Result<()> {
    let behaviours = |wanted: fn(&Behaviour) -> bool| script.iter().any(|s| wanted(&s.behaviour));
    faults::at_start(script);
    if behaviours(|t| *t == Behaviour::Xboard) {
        return super::xboard::run(script);
    }
    let mut engine = ScriptedEngine {
        script,
        out: io::stdout().lock(),
        line_end: if behaviours(|t| *t == Behaviour::Crlf) { "\r\n" } else { "\n" },
        buffer: String::new(),
        book: read_book(script)?,
        root: String::new(),
        played: String::new(),
        position: Position::startpos(),
        searches: 0,
        searching: false,
        answered: false,
    };
    if behaviours(|t| *t == Behaviour::Banner) {
        engine.say("Scripted Engine, a banner before anything was asked");
        engine.flush()?;
    }
    let mut input = io::stdin().lock();
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 || !engine.obey(line.trim_end())? {
            break;
        }
    }
    if behaviours(|t| *t == Behaviour::IgnoreQuit) {
        faults::sleep_for_ever();
    }
    Ok(())
}

struct ScriptedEngine<'a> {
    script: &'a [Scripted],
    out: io::StdoutLock<'a>,
    line_end: &'static str,
    buffer: String,
    book: HashMap<String, String>,
    /// The position last set, as text and as a value, to go on from where the game stood.
    root: String,
    played: String,
    position: Position,
    searches: u32,
    searching: bool,
    /// A behaviour has already answered this `go`.
    answered: bool,
}

impl ScriptedEngine<'_> {
    /// Does what the line says; false at the end.
    fn obey(&mut self, line: &str) -> io::Result<bool> {
        let silent = self.has(&Behaviour::Silent);
        match Command::parse(line) {
            Ok(Command::Quit) => return Ok(silent),
            _ if silent => {}
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) if !self.has(&Behaviour::NoReadyOk) => self.say("readyok"),
            Ok(Command::NewGame) if self.has(&Behaviour::UnaskedBestMove) => {
                self.say("bestmove e2e4");
            }
            Ok(Command::Position { fen, moves }) => self.set_position(fen.unwrap_or(""), moves),
            Ok(Command::Go(go)) => self.search(&go)?,
            Ok(Command::Stop | Command::PonderHit) if self.searching => self.answer()?,
            _ => {}
        }
        self.flush()?;
        Ok(true)
    }

    fn has(&self, behaviour: &Behaviour) -> bool {
        self.script.iter().any(|s| s.behaviour == *behaviour)
    }

    fn introduce(&mut self) {
        let name = self.script.iter().find_map(|s| match &s.behaviour {
            Behaviour::Name(name) => Some(name.clone()),
            _ => None,
        });
        self.say(&format!("id name {}", name.as_deref().unwrap_or("Scripted Engine")));
        self.say("id author the Dyno authors");
        for option in [
            "Hash type spin default 16 min 1 max 1024",
            "Threads type spin default 1 min 1 max 8",
            "Ponder type check default false",
            "Style type combo default Normal var Solid var Normal var Risky",
            "Clear Hash type button",
            "Log File type string default <empty>",
            "UCI_Chess960 type check default false",
        ] {
            self.say(&format!("option name {option}"));
        }
        self.say("uciok");
    }

    /// Plays only the moves that are new since the last time, as a real engine may.
    fn set_position(&mut self, fen: &str, moves: &str) {
        let goes_on = self.root == fen && moves.starts_with(&self.played);
        if !goes_on {
            self.root = fen.to_owned();
            self.played.clear();
            self.position = match fen {
                "" => Position::startpos(),
                fen if self.has(&Behaviour::ShredderFenOnly) && has_rights_by_wing(fen) => {
                    Position::startpos()
                }
                fen => Position::from_fen(fen).unwrap_or_else(|_| Position::startpos()),
            };
        }
        let start = self.played.len();
        for text in moves[start..].split_ascii_whitespace() {
            if let Ok(mv) = self.position.parse_uci(text) {
                self.position = self.position.play(mv);
            }
        }
        self.played = moves.to_owned();
    }

    fn search(&mut self, go: &Go) -> io::Result<()> {
        self.searches += 1;
        (self.searching, self.answered) = (false, false);
        for index in 0..self.script.len() {
            let Scripted { behaviour, at } = self.script[index].clone();
            if at.is_none_or(|at| at == self.searches) {
                self.perform(&behaviour)?;
            }
        }
        if self.answered {
            return Ok(());
        }
        if go.infinite || go.ponder {
            self.searching = true;
            return Ok(());
        }
        self.answer()
    }

    /// A behaviour may think, talk, answer in the engine's place, or never return.
    fn perform(&mut self, behaviour: &Behaviour) -> io::Result<()> {
        match behaviour {
            Behaviour::Think(ms) => faults::spin(Duration::from_secs_f64(ms / 1e3)),
            Behaviour::Infos(count) => (1..=*count).for_each(|depth| self.inform(depth)),
            Behaviour::Late(ms) => faults::sleep(Duration::from_millis(*ms)),
            Behaviour::Chatter => self.say("Thinking very hard about this one..."),
            Behaviour::Sloppy => {
                self.say("info depth 3 score cp 10 time -4 nps 1771333, wonder 7 pv e2e4");
            }
            Behaviour::Garbage => {
                self.out.write_all(b"\x00\x01\xff\xfe\x80garbage\xc3\x28\ninfo \xff depth\n")?;
            }
            Behaviour::LongLine(bytes) => {
                let line = "x".repeat(*bytes);
                self.say(&line);
            }
            Behaviour::Twice => self.answer()?,
            Behaviour::IllegalMove => self.answer_with("bestmove a1h7"),
            Behaviour::NullMove => self.answer_with("bestmove 0000"),
            Behaviour::NoneMove => self.answer_with("bestmove (none)"),
            Behaviour::EmptyMove => self.answer_with("bestmove"),
            Behaviour::Capitals => {
                let best = self.best().to_uppercase();
                self.answer_with(&format!("bestmove {best}"));
            }
            other => {
                self.flush()?;
                faults::on_go(other);
            }
        }
        Ok(())
    }

    fn answer_with(&mut self, line: &str) {
        self.say(line);
        self.answered = true;
    }

    fn answer(&mut self) -> io::Result<()> {
        self.searching = false;
        let best = self.best();
        self.say(&format!("info depth 1 score cp 0 nodes 1 time 0 pv {best}"));
        self.say(&format!("bestmove {best}"));
        self.flush()
    }

    fn inform(&mut self, depth: u32) {
        let (best, nodes) = (self.best(), u64::from(depth) * 1000);
        self.say(&format!(
            "info depth {depth} seldepth {depth} multipv 1 score cp {depth} nodes {nodes} \
             nps 1000000 hashfull 0 tbhits 0 time {depth} pv {best}"
        ));
    }

    /// The book's move, or a legal one picked by the position's key: the same every time, but
    /// games do not all look alike.
    fn best(&self) -> String {
        if !self.book.is_empty()
            && let Some(best) = self.book.get(&self.position.epd())
        {
            return best.clone();
        }
        let moves = self.position.legal_moves();
        if moves.is_empty() {
            return "(none)".to_owned();
        }
        let pick = (self.position.key() % moves.len() as u64) as usize;
        self.position.uci(moves[pick])
    }

    fn say(&mut self, line: &str) {
        self.buffer.push_str(line);
        self.buffer.push_str(self.line_end);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.buffer.as_bytes())?;
        self.buffer.clear();
        self.out.flush()
    }
}

fn has_rights_by_wing(fen: &str) -> bool {
    fen.split_ascii_whitespace().nth(2).is_some_and(|rights| rights.contains(['K', 'Q', 'k', 'q']))
}

fn read_book(script: &[Scripted]) -> io::Result<HashMap<String, String>> {
    let mut book = HashMap::new();
    for scripted in script {
        if let Behaviour::Book(path) = &scripted.behaviour {
            let text = std::fs::read_to_string(path)?;
            let entries = text.lines().filter_map(|line| line.split_once('='));
            book.extend(entries.map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned())));
        }
    }
    Ok(book)
}
