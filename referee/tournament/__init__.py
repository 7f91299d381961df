"""The mathematics of a tournament: who plays whom, what it counts, and how sure one may be. Pure; see README.md here."""
