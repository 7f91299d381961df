"""Reads, by topic. Rows are plain dictionaries with aware times; None stands where a table shows a dash.

`tournaments` progress, entries, fixtures · `standings` the table, ratings · `crosstable` pair by pair · `matches` lists
and pages · `replays` documents, logs, exports · `bots` pages, versions, submissions · `accounts` users, tokens, audit ·
`status` what is alive, stuck or queued. Nothing here scans matches: all is read from sums and indexes.
"""
