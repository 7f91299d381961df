"""Writes, by topic; each function is one transaction, and doing it twice is doing it once.

`accounts` users, tokens, quotas · `submissions` uploads to versions · `tournaments` an organiser's commands ·
`schedule` planning and dispatch · `fixtures` claim, renew, record, void · `services` heartbeats and machines ·
`ratings` snapshots · `sums` what standings are read from.
"""
