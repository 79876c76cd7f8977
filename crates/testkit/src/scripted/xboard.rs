//! The scripted engine when it is told to speak XBoard.

use super::{Behaviour, Scripted};
use dyno_chess::{Color, Position};
use std::io::{self, BufRead, Write};

/// Runs the engine on its standard streams until `quit`.
pub(super) fn run(script: &[Scripted]) -> io::Result<()> {
    let mut engine = XboardEngine {
        script,
        out: io::stdout().lock(),
        position: Position::startpos(),
        chess960: false,
        plays: false,
        searches: 0,
    };
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        if word == "quit" {
            break;
        }
        engine.obey(word, rest)?;
        engine.out.flush()?;
    }
    Ok(())
}

struct XboardEngine<'a> {
    script: &'a [Scripted],
    out: io::StdoutLock<'a>,
    position: Position,
    chess960: bool,
    /// It answers moves with moves.
    plays: bool,
    searches: u32,
}

impl XboardEngine<'_> {
    fn obey(&mut self, word: &str, rest: &str) -> io::Result<()> {
        match word {
            "protover" => writeln!(
                self.out,
                "feature ping=1 setboard=1 usermove=1 variants=\"normal,fischerandom\" \
                 myname=\"Scripted XBoard\" done=1"
            )?,
            "ping" => writeln!(self.out, "pong {rest}")?,
            "new" => {
                if self.plays {
                    // Real engines tell the result of the last game as late as this.
                    writeln!(self.out, "1-0 {{White mates}}\n0-1 {{Black mates}}")?;
                }
                (self.position, self.chess960, self.plays) = (Position::startpos(), false, false);
            }
            "variant" => self.chess960 = true,
            "setboard" => {
                self.position = Position::from_fen(rest).unwrap_or_else(|_| Position::startpos());
                self.position.set_chess960(self.chess960);
            }
            "force" => self.plays = false,
            "usermove" => {
                let mv = self.position.parse_uci(rest).or_else(|_| self.position.parse_san(rest));
                match mv {
                    Ok(mv) => self.position = self.position.play(mv),
                    Err(_) => writeln!(self.out, "Illegal move: {rest}")?,
                }
                if self.plays {
                    self.search()?;
                }
            }
            "go" => {
                self.plays = true;
                self.search()?;
            }
            "draw" if self.does(|behaviour| *behaviour == Behaviour::AcceptDraw) => {
                writeln!(self.out, "offer draw")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a behaviour is due now.
    fn does(&self, wanted: impl Fn(&Behaviour) -> bool) -> bool {
        let due = |s: &&Scripted| s.at.is_none_or(|at| at == self.searches);
        self.script.iter().filter(due).any(|s| wanted(&s.behaviour))
    }

    fn search(&mut self) -> io::Result<()> {
        self.searches += 1;
        if self.does(|behaviour| *behaviour == Behaviour::Resign) {
            return writeln!(self.out, "resign");
        }
        if self.does(|behaviour| *behaviour == Behaviour::ClaimWin) {
            let white = self.position.side_to_move() == Color::White;
            let result = if white { "1-0" } else { "0-1" };
            return writeln!(self.out, "{result} {{I have won}}");
        }
        if self.does(|behaviour| *behaviour == Behaviour::ClaimDraw) {
            writeln!(self.out, "1/2-1/2 {{It is drawn}}")?;
        }
        let moves = self.position.legal_moves();
        if moves.is_empty() {
            return Ok(());
        }
        let mv = moves[(self.position.key() % moves.len() as u64) as usize];
        let text = match mv.is_castling() {
            true => self.position.san(mv),
            false => self.position.uci(mv),
        };
        writeln!(self.out, "1 0 0 1 {text}\nmove {text}")?;
        self.position = self.position.play(mv);
        if self.does(|behaviour| *behaviour == Behaviour::OfferDraw) {
            writeln!(self.out, "offer draw")?;
        }
        Ok(())
    }
}
