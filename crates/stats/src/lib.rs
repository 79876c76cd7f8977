//! The statistics of engine matches: Elo, error bars, SPRT, rating lists.
