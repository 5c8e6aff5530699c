"""Check where and when a public draw was, and the draws that were abandoned before it [B16].

Used by draw.py. Instants of the log are compared as texts, because they all have one form.
"""

from datetime import datetime, timedelta
from typing import Any

from chance import binding
from entry import same
from forms import need
from public_log import Log

COMMITMENT, OUTCOME, MINUTES = "draws.commitment", "draws.outcome", "draws.minutes"
ABANDONED, CALLED_OFF = "draws.abandoned", "draws.called_off"
Minutes = dict[str, Any]
NOTICE_S = 10 * 60


def later(instant: str, seconds: int) -> str:
    """Return the instant so many seconds later, in the form of the log."""
    at = datetime.fromisoformat(instant) + timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def check_announced(minutes: Minutes) -> None:
    """Check that the draw was where and when it was announced last, ten minutes ahead [B16]."""
    need(minutes["announcements"], f"{MINUTES}.announcements", "missing")
    last, place = minutes["announcements"][-1], f"{MINUTES}.announcements"
    times = [each["announced_at"] for each in minutes["announcements"]]
    need(times == sorted(times), place, "not in their order")
    begun_at = minutes["committed_at"] or minutes["drawn_at"]
    need(last["planned_at"] <= begun_at, place, "the draw was before its announced time")
    ahead = later(last["announced_at"], NOTICE_S) <= last["planned_at"]
    need(ahead, place, "not ten minutes ahead")
    same(minutes, {"place": last["place"]}, MINUTES)
    need(bool(last["office"]) != bool(last["elsewhere"]), place, "at an office, or with a reason")
    if last["elsewhere"]:
        said = last["elsewhere"]
        need(said["inspector"] in minutes["attendances"], place, "of one who did not attend")
        need(last["announced_at"] <= said["stated_at"] <= begun_at, place, "the reason came late")


def check_others(log: Log, minutes: Minutes) -> None:
    """Check that any other commitment for the subject was abandoned in public before this draw,
    with its true secret and without an order [B16]."""
    draw, subject = minutes["draw"], {name: minutes[name] for name in ("kind", "subject")}
    begun = (COMMITMENT if minutes["commitment"] else OUTCOME), draw
    others = [
        each
        for each in log.all(COMMITMENT)
        if {name: each[name] for name in subject} == subject and each["draw"] != draw
    ]
    same(minutes, {"abandoned_before": [each["draw"] for each in others]}, MINUTES)
    for each in others:
        other = each["draw"]
        log.in_order((COMMITMENT, other), (ABANDONED, other), begun)
        need(not log.has(OUTCOME, other), f"{ABANDONED}.draw", "it had an order")
        given_up = log.document(ABANDONED, other)
        same(given_up, {"draw": other, "commitment": each["commitment"], **subject}, ABANDONED)
        opened = binding(each, given_up["secret"]) == each["commitment"]
        need(opened, f"{ABANDONED}.secret", "not the one committed to")
    for other in minutes["called_off_before"]:
        need(log.has(CALLED_OFF, other), f"{MINUTES}.called_off_before", "not in the log")
