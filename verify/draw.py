"""Check a public draw against its minutes (docs/proofs/draws.md).

    python draw.py LOG KEYS DRAW [FIELD]

LOG and KEYS are those of public_log.py. DRAW is the id of the draw. FIELD is a file with the
entries of the draw; it is needed where the minutes have only their digest. Instants of the log are
compared as texts, because they all have one form.
"""

from itertools import pairwise

from chance import (
    ABANDONED,
    CALLED_OFF,
    COMMITMENT,
    MINUTES,
    OUTCOME,
    Minutes,
    binding,
    canonical_entropy,
    check_announced,
    check_others,
    check_rejected,
    drawn,
    later,
)
from documents import HOW, RACE_FACTS
from entry import digest_of, main, printable, read, same
from forms import need, shaped, text
from public_log import Log
from races import check_numbers, starters
from statement import DEBT, check_debt

WITHIN_S = 2 * 60 * 60  # 5.4.2


def check_race(log: Log, minutes: Minutes) -> None:
    """Check the draw of a race: its field is that of the regulation, all places are drawn, the time
    limit is that of the law, and the tickets had been sealed before."""
    facts = minutes["facts"]
    shaped(facts, RACE_FACTS, f"{MINUTES}.facts")
    check_numbers(facts, f"{MINUTES}.facts")
    same(facts, {"within_s": WITHIN_S}, f"{MINUTES}.facts")
    field = [str(number) for number in starters(facts, facts["declaration"])]
    due_at = later(minutes["declared_at"], WITHIN_S)
    same(minutes, {"subject": f"race:{facts['race']}", "due_at": due_at}, MINUTES)
    same(minutes["field"], {"entries": field, "places": len(field)}, f"{MINUTES}.field")
    for each in facts["contests"]:
        seal = "lototrot.seal", f"contest:{each['contest']}"
        need(log.digest(*seal) == each["seal"], f"{MINUTES}.facts.contests", "not as sealed")
        log.in_order(seal, (OUTCOME, minutes["draw"]))


def check_computed(log: Log, minutes: Minutes, entries: list[str]) -> None:
    """Check that the order follows from an earlier committed secret and the witness's act."""
    draw, entropy = minutes["draw"], minutes["entropy"]
    log.in_order((COMMITMENT, draw), (OUTCOME, draw))
    commitment, published_at = log.document(COMMITMENT, draw), log.published_at(COMMITMENT, draw)
    log.dated(COMMITMENT, draw, "committed_at")
    same(commitment, {"draw": draw}, COMMITMENT)
    committed = ("kind", "subject", "algorithm", "field", "means", "commitment", "committed_at")
    same(minutes, {name: commitment[name] for name in committed}, MINUTES)
    need(published_at < minutes["drawn_at"], f"{MINUTES}.drawn_at", "before the commitment")
    need(minutes["secret"], f"{MINUTES}.secret", "missing")
    need(entropy, f"{MINUTES}.entropy", "missing")
    computed = binding(minutes, minutes["secret"])
    need(computed == minutes["commitment"], f"{MINUTES}.secret", "not the one committed to")
    means = minutes["means"]
    same(entropy, {"source": means["source"]}, f"{MINUTES}.entropy")
    canonical = canonical_entropy(entropy["source"], entropy["text"], f"{MINUTES}.entropy")
    same(entropy, {"canonical": canonical}, f"{MINUTES}.entropy")
    pieces = None if means["source"] == "phrase" else len(canonical.split())
    need(means["pieces"] == pieces, f"{MINUTES}.entropy", "not so many as committed to")
    secret, places = bytes.fromhex(minutes["secret"]), minutes["field"]["places"]
    order = drawn(secret, bytes.fromhex(computed), canonical, entries, places)
    same(minutes, {"order": order}, MINUTES)


def check_balls(minutes: Minutes, entries: list[str]) -> None:
    """Check a draw by balls, made by hand while the system was down."""
    unknown = ("secret", "entropy", "means", "commitment", "committed_at")
    same(minutes, dict.fromkeys(unknown), MINUTES)
    order, places = minutes["order"], minutes["field"]["places"]
    once = len(order) == len(set(order)) == places and set(order) <= set(entries)
    need(once, f"{MINUTES}.order", "not balls of the field, each once")
    need(minutes["cause"].strip(), f"{MINUTES}.cause", "missing for a draw by hand")


def check_circumstances(log: Log, minutes: Minutes) -> None:
    """Check the order of times, the inspector (14.III.5.4.4), and the note of lateness [B12]."""
    log.dated(OUTCOME, minutes["draw"], "entered_at")
    log.dated(MINUTES, minutes["draw"], "certified_at")
    drawn_at, certified_at = (log.entry(kind, minutes["draw"])["at"] for kind in (OUTCOME, MINUTES))
    times = [(name, minutes[name]) for name in ("declared_at", "drawn_at", "entered_at")]
    times += [
        ("published", drawn_at),
        ("certified_at", minutes["certified_at"]),
        ("certified", certified_at),
    ]
    for (_, before), (name, after) in pairwise(times):
        need(before <= after, f"{MINUTES}.{name}", "before its time")
    late = minutes["due_at"] is not None and minutes["drawn_at"] > minutes["due_at"]
    same(minutes, {"late": late}, MINUTES)
    need(bool(minutes["late_cause"]) == late, f"{MINUTES}.late_cause", "of a late draw only")
    attended = [
        each for each in minutes["attendances"] if each["attended_at"] <= minutes["certified_at"]
    ]
    need(minutes["inspector"] in attended, f"{MINUTES}.inspector", "did not attend")
    entering = minutes["entered_by"]
    present = entering in attended and entering["attended_at"] <= minutes["entered_at"]
    need(present, f"{MINUTES}.entered_by", "did not attend")


def draw_holds(log: Log, draw: str, field: list[str] | None = None) -> Minutes:
    """Check a draw and return its minutes. Raises Refused."""
    minutes, outcome = log.document(MINUTES, draw), log.document(OUTCOME, draw)
    log.in_order((OUTCOME, draw), (MINUTES, draw))
    for fallen in (CALLED_OFF, ABANDONED):
        need(not log.has(fallen, draw), fallen, "it has an order all the same")
    same(outcome, {"draw": draw}, OUTCOME)
    published = {name: outcome[name] for name in ("kind", "subject", *HOW)}
    same(minutes, {"draw": draw, **published}, MINUTES)
    entries: list[str] = minutes["field"]["entries"] or field or []
    need(entries, "FIELD", "needed: the field is too large for the minutes")
    shaped(entries, [text], "FIELD")
    size, places = len(set(entries)), minutes["field"]["places"]
    same(minutes["field"], {"size": size, "sha256": digest_of(entries)}, f"{MINUTES}.field")
    need(1 <= places <= size == len(entries), f"{MINUTES}.field.places", "not 1 to its size")
    if minutes["kind"] == "lototrot.race":
        check_race(log, minutes)
    if minutes["kind"] == DEBT:
        check_debt(log, minutes)
    if minutes["method"] == "computed":
        check_computed(log, minutes, entries)
    else:
        check_balls(minutes, entries)
    announced_at, begun_at = check_announced(minutes)
    check_circumstances(log, minutes)
    check_others(log, minutes, announced_at, begun_at)
    check_rejected(log, minutes)
    return minutes


def check(log: str, keys: str, draw: str, field: str = "") -> str:
    minutes = draw_holds(Log(log, keys), draw, read(field) if field else None)
    late = f" LATE: {minutes['late_cause']}" if minutes["late"] else ""
    if minutes["abandoned_before"]:
        late += f" ABANDONED before: {', '.join(minutes['abandoned_before'])}."
    if minutes["rejected"]:
        late += f" REJECTED before: {', '.join(each['balls'] for each in minutes['rejected'])}."
    return printable(
        f"The draw holds: {minutes['kind']} {minutes['subject']}, {minutes['title'].get('en', '')},"
        f" {minutes['field']['size']} in the draw, first {minutes['order'][0]}, certified by"
        f" {minutes['inspector']['name']}.{late}"
    )


if __name__ == "__main__":
    main(check, "draw.py LOG KEYS DRAW [FIELD]")
