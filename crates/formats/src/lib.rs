//! The files people exchange: EPD, PGN, Polyglot books, lichess puzzles.
