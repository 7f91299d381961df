"""Every hostile bot with the verdict that it must get: cause, public detail, and what its own log must say.

Blame follows from the cause (`referee.match.fixture`): each of these is the bot's, or the match is completed and
nobody is blamed. `says` and `detail` are regular expressions. A bot of cause `completed` has played the whole game
exactly as the harmless bot does. Details are written out from what is promised and the rules, not from the code's output.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.fixture import Clock
from tests.hostile.arena import CLOCK

NOTHING = r"found: \[\]"
REFUSED = r"broke off its stream, or sent a message over 65536 bytes"
IDLE, USED_UP = r"idle for \d+ ms while asked", r"processor time used up: \d+ ms used of \d+ ms that were left"
PLAYED = "completed"


@dataclass(frozen=True, slots=True)
class Verdict:
    bot: str
    cause: str
    detail: str = ""
    says: str = ""
    most: int | None = None
    """What `reached: n` in its log may be at most; a tenth of it must have been reached."""
    cut: bool = False
    sent: str = ""
    """What the owner is told that it sent."""
    opponent: str = "harmless"
    clock: Clock = CLOCK
    start_seconds: float | None = None
    at_once: bool = True
    """It fails at its third decision, after playing as the harmless bot does."""


def _illegal(bot: str, rule: str, sent: str = "") -> Verdict:
    return Verdict(bot, "illegal", rule, sent=sent)


VERDICTS = (
    Verdict("harmless", PLAYED),
    Verdict("thoughtful", PLAYED),
    Verdict("working", PLAYED),
    # processes and signals
    Verdict("fork_bomb", "timeout", USED_UP),
    Verdict("thread_bomb", PLAYED, most=64),
    Verdict("detached_children", PLAYED),
    Verdict("child_holds_the_socket", "exit", "exited with code 0"),
    Verdict("children_by_the_dozen_and_gone", "exit", "exited with code 0"),
    Verdict("stops_itself", PLAYED, says=NOTHING),
    Verdict("stops_itself_behind_the_launcher", "timeout", IDLE),
    Verdict("kills_its_launcher", PLAYED),
    Verdict("kills_everything", PLAYED, says=NOTHING),
    # memory
    Verdict("memory_bomb", "memory", "over 256 MiB"),
    Verdict("memory_bomb_in_a_child", "memory", "over 256 MiB"),
    Verdict("memory_bomb_of_many_children", "memory", "over 256 MiB"),
    Verdict("memory_bomb_in_tmp", "memory", "over 256 MiB"),
    Verdict("memory_within_the_limit", PLAYED, most=150),
    # disk and log
    Verdict("disk_flood", PLAYED, most=64),
    Verdict("inode_flood", PLAYED, most=4096),
    Verdict("shared_memory_flood", PLAYED, most=1),
    Verdict("files_by_the_thousand", PLAYED, most=256),
    Verdict("log_flood", "timeout", f"{IDLE}|{USED_UP}", says="the same line", cut=True),
    Verdict("log_flood_without_newline", PLAYED, says="x{1000}", cut=True),
    Verdict("log_flood_by_a_child", PLAYED, says="y{10}"),
    Verdict("line_without_end_over_stdio", PLAYED, says="x{1000}", cut=True),
    Verdict("invalid_bytes", PLAYED, says="\x1b\\[2J"),
    # hanging
    Verdict("sleeps", "timeout", IDLE),
    Verdict("sleeps_deaf", "timeout", IDLE),
    Verdict("spins", "timeout", USED_UP),
    Verdict("naps_and_works", "timeout", USED_UP),
    Verdict("never_reads", "timeout", IDLE, at_once=False),
    Verdict("hangs_in_mid_reply", "timeout", IDLE),
    Verdict("slow_drip", "timeout", IDLE),
    # ending
    Verdict("exits_with_0", "exit", "exited with code 0"),
    Verdict("exits_with_137", "crash", "exited with code 137"),
    Verdict("crashes", "crash", "exited with code 1", says="the deed is done"),
    Verdict("segfaults", "crash", "killed by SIGSEGV"),
    Verdict("dies_in_mid_reply", "crash", "exited with code 3"),
    Verdict("exits_after_its_last_answer", PLAYED, says="gone"),
    # starting
    Verdict("never_connects", "start", r"not ready within 1 s \(idle time\)", says=r'never_connects.py", line \d+ in', start_seconds=1.0),
    Verdict("connects_and_says_nothing", "start", r"not ready within 1 s \(idle time\)", start_seconds=1.0),
    Verdict("spins_before_connecting", "start", r"not ready within 1 s \(processor time\)", says=r'connecting.py", line \d+ in', start_seconds=1.0),
    Verdict("exits_before_hello", "start", "exited with code 0 before it was ready"),
    Verdict("fails_to_load", "start", "exited with code 1 before it was ready", says="no_such_module"),
    # clock games
    Verdict("works_before_its_turn", "timeout", USED_UP, at_once=False),
    Verdict("works_while_others_think", "timeout", USED_UP, opponent="thoughtful", clock=Clock(200, 0), at_once=False),
    Verdict("works_in_a_child", "timeout", USED_UP, opponent="thoughtful", clock=Clock(200, 0), at_once=False),
    Verdict("works_in_short_lived_children", "timeout", USED_UP),
    Verdict("asks_for_more_time", PLAYED, says=NOTHING),
    # connections and frames
    Verdict("connects_twice", "protocol", "a second stream"),
    Verdict("hangs_up_and_dials_again", "protocol", f"a second stream|{REFUSED}"),
    Verdict("sockets_by_the_thousand", PLAYED, most=256),
    Verdict("dials_and_hangs_up", PLAYED),
    Verdict("streams_by_the_thousand", "protocol", f"a second stream|{REFUSED}"),
    Verdict("streams_opened_and_reset", "protocol", f"a second stream|{REFUSED}"),
    Verdict("calls_another_method", PLAYED),
    Verdict("half_closed_stream", "protocol", REFUSED),
    Verdict("resets_its_stream", "protocol", REFUSED),
    Verdict("malformed_frames", "protocol", REFUSED),
    Verdict("frame_longer_than_allowed", "protocol", REFUSED),
    Verdict("zero_length_frames", "protocol", REFUSED),
    Verdict("ignores_flow_control", "protocol", REFUSED),
    Verdict("headers_without_end", "protocol", f"a second stream|{REFUSED}"),
    Verdict("ping_flood", "protocol", REFUSED),
    Verdict("settings_flood", "timeout", f"{IDLE}|{USED_UP}"),
    Verdict("window_flood", "timeout", f"{IDLE}|{USED_UP}"),
    Verdict("unknown_frames", "timeout", f"{IDLE}|{USED_UP}"),
    Verdict("quick_drip", PLAYED),
    # messages
    Verdict("a_second_hello", "protocol", "a second Hello", sent="again"),
    Verdict("long_message", "protocol", "a message over 65536 bytes", sent="500000 bytes"),
    Verdict("enormous_message", "protocol", REFUSED, says="larger than max"),
    Verdict("note_of_ten_megabytes", "crash", "exited with code 1", says="larger than max"),
    Verdict("note_just_over_the_limit", "protocol", "a message over 65536 bytes"),
    Verdict("note_just_within_the_limit", PLAYED),
    Verdict("length_of_four_gigabytes", "protocol", REFUSED),
    Verdict("compressed_bomb", "protocol", REFUSED),
    Verdict("zero_length_message", "malformed", "a message that is neither Hello nor Choice"),
    Verdict("neither_hello_nor_choice", "malformed", "a message that is neither Hello nor Choice"),
    Verdict("noise", "malformed", "bytes that are no message of the protocol"),
    Verdict("note_that_is_no_text", "malformed", "bytes that are no message of the protocol"),
    Verdict("deeply_nested_message", "malformed", "bytes that are no message of the protocol"),
    Verdict("unknown_fields", PLAYED),
    # answers
    Verdict("old_answer", PLAYED),
    Verdict("second_answer", PLAYED),
    Verdict("old_answers_without_end", "protocol", "more than 100 answers to decisions already answered"),
    Verdict("two_hundred_old_answers", "protocol", "more than 100 answers to decisions already answered"),
    Verdict("future_answer", "protocol", "a decision id never issued", sent="decision 4000000000"),
    Verdict("answers_in_advance", "protocol", "a decision id never issued", sent="decision 4"),
    Verdict("answers_before_it_is_asked", "protocol", "a decision id never issued", at_once=False),
    Verdict("decision_zero", "protocol", "a decision id never issued", sent="decision 0"),
    Verdict("answer_without_an_answer", "malformed", "an answer that is no action"),
    Verdict("not_a_number", "malformed", "an answer that is no action", says="nan"),
    Verdict("infinity", "malformed", "an answer that is no action", says="inf"),
    Verdict("action_of_no_game", "malformed", "an answer that is no action"),
    Verdict("action_of_the_other_game", "malformed", "an answer that is no action", sent="call"),
    Verdict("illegal_thousand_cards", "malformed", "an answer that is no action"),
    Verdict("illegal_endless_verb", "malformed", "an answer that is no action"),
    _illegal("illegal_index", "S7", "index 4294967295"),
    _illegal("illegal_index_by_one", "S7"),
    _illegal("illegal_verb", "S7", "win"),
    _illegal("illegal_card_not_held", "N2.2", "the hand does not hold"),
    _illegal("illegal_same_card_twice", "N2.2", "the hand does not hold"),
    _illegal("illegal_draw", "N2.2", "draw"),
    _illegal("illegal_card_that_does_not_match", "N2.1", "matches neither"),
    _illegal("illegal_unknown_card", "N1.1", "ZZ"),
    _illegal("illegal_card_of_the_other_game", "N1.1", "X1"),
    _illegal("illegal_pair", "N6.3"),
    _illegal("illegal_no_cards", "N6.3"),
    _illegal("illegal_keep_without_a_draw", "N2.3", "keep"),
    _illegal("illegal_accept_without_a_pair", "N6.6", "accept"),
    _illegal("illegal_pass", "N4.2", "pass"),
    _illegal("illegal_naming_of_a_suit", "N1.5"),
    _illegal("illegal_suit_with_a_plain_card", "N3.1", "only a nine names a suit"),
    # looking around
    Verdict("reads_proc", PLAYED, says=NOTHING),
    Verdict("reads_sys", PLAYED, says=NOTHING),
    Verdict("reads_cgroups", PLAYED, says=NOTHING),
    Verdict("reads_the_environment", PLAYED, says=NOTHING),
    Verdict("reads_other_bots", PLAYED, says=NOTHING),
    Verdict("sees_other_processes", PLAYED, says=NOTHING),
    Verdict("writes_everywhere", PLAYED, says=NOTHING),
    Verdict("executes_from_scratch", PLAYED, says=NOTHING),
    Verdict("mounts_file_systems", PLAYED, says=NOTHING),
    Verdict("traces_processes", PLAYED, says=NOTHING),
    Verdict("makes_namespaces", PLAYED, says=NOTHING),
    Verdict("makes_devices", PLAYED, says=NOTHING),
    Verdict("becomes_another_user", PLAYED, says=NOTHING),
    Verdict("calls_the_kernel", PLAYED, says=NOTHING),
    Verdict("reaches_for_the_network", PLAYED, says=NOTHING),
    Verdict("asks_for_names", PLAYED, says=NOTHING),
    Verdict("looks_for_the_engine", PLAYED, says=NOTHING),
    Verdict("looks_for_other_seats", PLAYED, says=NOTHING),
    Verdict("reads_the_machines_numbers", PLAYED, says=NOTHING),
    Verdict("empties_the_page_cache", PLAYED, says=NOTHING),
    # ending itself in the kernel's name
    Verdict("limits_its_own_time", "timeout", USED_UP, says="refused: "),
    Verdict("limits_itself", PLAYED, says=NOTHING),
)
FLOODS = ("processes", "memory", "work", "disk", "files", "log", "connections", "frames")
"""What the bots `floods_…` make too much of while they play on: the opponent must not notice."""
PLAYED_ELSEWHERE = ("temp_files_for_the_next_match", "measured", "calibrated", *(f"floods_{flood}" for flood in FLOODS))
"""Bots with tests of their own."""
