"""What a league answers to its command line: accounts, bots, tournaments, results.

`calls.py` is the one border: who is calling, whether they may, how long it may take, and what an error may say.
`bots.py`, `tournaments.py`, `results.py`, `accounts.py` and `status.py` hold the answers.
"""
