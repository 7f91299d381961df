"""The mathematics of a tournament: who plays whom, what counts, how sure one may be. Pure; see README.md here."""
