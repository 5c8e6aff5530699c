"""Whether a public draw was made as its minutes say (docs/proofs.md, "Draws").

    draw.py KEY MINUTES [COMMITMENT [FIELD]]

KEY is the operator's public key in hexadecimal, MINUTES and COMMITMENT are entries of the public
log, FIELD what was in the draw, where the minutes only have its digest. Only a draw with balls
does without COMMITMENT.
"""

import hashlib
import struct
import unicodedata
from datetime import datetime, timedelta
from typing import Any

from entry import Refused, canonical, document, fields, main, need, read, unhex

COMMITMENT = "format draw kind subject algorithm field commitment committed_at"
MINUTES = """format draw kind subject title reason declared_at due_at facts announcements field
    algorithm commitment committed_at method cause place witness entropy secret order drawn_at
    entered_at late late_cause inspector attendances observations certified_at called_off_before
    statement simulated"""
ALGORITHM = "shake256-fisher-yates/1"
LEAST = {"dice": 10, "balls": 6, "phrase": 12}


def framed(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">Q", len(part)) + part for part in parts)


def drawn(secret: bytes, commitment: bytes, entropy: str, entries: list[str], places: int) -> Any:
    """The first places of a Fisher-Yates shuffle on SHAKE-256, below each bound by rejection."""
    source = hashlib.shake_256(framed(b"draw/order/1", commitment, secret, entropy.encode()))
    words = 4 * places + 1000  # far more than rejections take
    numbers = iter(struct.unpack(f">{words}I", source.digest(4 * words)))
    order = list(entries)
    for place in range(places):
        bound = len(order) - place
        number = next(n for n in numbers if n - n % bound + bound <= 2**32)
        other = place + number % bound
        order[place], order[other] = order[other], order[place]
    return order[:places]


def canonical_entropy(source: str, text: str) -> str:
    """What the witness gave, in the form that is hashed."""
    if source == "phrase":
        found = " ".join(unicodedata.normalize("NFC", text).split())
        letters = len(found.replace(" ", ""))
    else:
        parts = text.translate(str.maketrans(",;-", "   ")).split()
        parts = list("".join(parts)) if source == "dice" else parts
        highest = 6 if source == "dice" else 9999
        good = all(p.isascii() and p.isdigit() and int(p) <= highest for p in parts)
        good = good and not (source == "dice" and "0" in parts)
        need(good, "minutes.entropy", f"not {source}")
        found, letters = " ".join(str(int(part)) for part in parts), len(parts)
    need(letters >= LEAST[source], "minutes.entropy", "too little to be unpredictable")
    return found


def moment(text: Any, field: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")
    except (TypeError, ValueError):
        raise Refused(f"{field}: not an instant in UTC") from None


def race_field(facts: dict[str, Any]) -> list[str]:
    """Who is in the draw of a race, by the regulation (14.III.5.4.2, 5.4.3): not run, whoever was
    not withdrawn, or all if all were; suspended or all disqualified, whoever started."""
    out = set(facts["withdrawn"])
    if facts["declaration"] != "not_run":
        out |= set(facts["left"])
    return [str(n) for n in facts["programme"] if n not in out] or [
        str(n) for n in facts["programme"]
    ]


def check_field(minutes: dict[str, Any], entries: list[str]) -> None:
    field = minutes["field"]
    made = hashlib.sha256(canonical(entries)).hexdigest()
    need(field["sha256"] == made, "minutes.field", "not the digest of what was in the draw")
    need(len(set(entries)) == len(entries) == field["size"], "minutes.field", "another size")
    need(1 <= field["places"] <= len(entries), "minutes.field", "places that cannot be")
    if minutes["kind"] == "lototrot.race":
        facts = minutes["facts"]
        need(entries == race_field(facts), "minutes.field", "not who the regulation has drawn")
        need(field["places"] == len(entries), "minutes.field", "not the whole order")
        limit = timedelta(seconds=facts["within_s"])
        due_at = moment(minutes["declared_at"], "minutes.declared_at") + limit
        need(moment(minutes["due_at"], "minutes.due_at") == due_at, "minutes.due_at",
             "not the limit after the declaration")  # fmt: skip


def check_computed(minutes: dict[str, Any], entries: list[str], commitment: Any) -> None:
    need(minutes["algorithm"] == ALGORITHM, "minutes.algorithm", f"not {ALGORITHM}")
    for name in ("draw", "kind", "subject", "algorithm", "field", "commitment", "committed_at"):
        need(minutes[name] == commitment[name], f"minutes.{name}", "not what was committed to")
    secret = unhex(minutes["secret"], 32, "minutes.secret")
    bound = framed(b"draw/commitment/1", minutes["draw"].encode(),
                   unhex(minutes["field"]["sha256"], 32, "minutes.field"), secret)  # fmt: skip
    made = hashlib.sha256(bound)
    need(minutes["commitment"] == made.hexdigest(), "minutes.secret", "not the one committed to")
    entropy = minutes["entropy"]
    need(entropy["source"] in LEAST, "minutes.entropy", "of no known source")
    text = canonical_entropy(entropy["source"], entropy["text"])
    need(entropy["canonical"] == text, "minutes.entropy", "not in its canonical form")
    order = drawn(secret, made.digest(), text, entries, minutes["field"]["places"])
    need(minutes["order"] == order, "minutes.order", f"the draw gives {order[:20]}")
    need(minutes["committed_at"] < minutes["drawn_at"], "minutes.drawn_at", "before the commitment")


def check_balls(minutes: dict[str, Any], entries: list[str]) -> None:
    order, places = minutes["order"], minutes["field"]["places"]
    once = len(order) == len(set(order)) == places and set(order) <= set(entries)
    need(once, "minutes.order", "not balls of the field, each once")
    need(minutes["secret"] is None and minutes["entropy"] is None, "minutes.secret", "with balls")
    need(bool(minutes["cause"]), "minutes.cause", "missing for a draw by hand")


def check_circumstances(minutes: dict[str, Any]) -> None:
    names = ("declared_at", "drawn_at", "entered_at", "certified_at")
    times = [moment(minutes[name], f"minutes.{name}") for name in names]
    for name, before, after in zip(names[1:], times, times[1:], strict=False):
        need(before <= after, f"minutes.{name}", "out of order")
    late = minutes["due_at"] is not None and times[1] > moment(minutes["due_at"], "minutes.due_at")
    need(minutes["late"] is late, "minutes.late", f"should be {late}")
    need(bool(minutes["late_cause"]) == late, "minutes.late_cause", "goes with a late draw only")
    inspector = minutes["inspector"]
    need(inspector in minutes["attendances"], "minutes.inspector", "did not attend")
    need(bool(inspector["appointment"]), "minutes.inspector", "without an appointment")
    for name in ("reason", "place", "witness"):
        need(bool(minutes[name]), f"minutes.{name}", "missing")


def check(key: str, minutes_file: str, *files: str) -> str:
    public_key = unhex(key, 32, "KEY")
    entry = read(minutes_file)
    fields(entry.get("document"), MINUTES, "minutes")
    minutes = document(entry, public_key, "draws.minutes", "minutes")
    need(minutes["format"] == "trot-draw-minutes-1", "minutes.format", "not trot-draw-minutes-1")
    need(entry["subject"] == minutes["draw"], "minutes.subject", "the entry is of another draw")
    entries = read(files[1]) if len(files) > 1 else minutes["field"]["entries"]
    need(isinstance(entries, list), "FIELD", "needed: the field is too large for the minutes")
    inline = minutes["field"]["entries"]
    need(inline in (None, entries), "minutes.field", "not what was in the draw")
    check_field(minutes, entries)
    if minutes["method"] == "computed":
        need(bool(files), "COMMITMENT", "needed to see that it was published first")
        committed = read(files[0])
        fields(committed.get("document"), COMMITMENT, "commitment")
        commitment = document(committed, public_key, "draws.commitment", "commitment")
        need(committed["sequence"] < entry["sequence"], "commitment.sequence", "after the minutes")
        check_computed(minutes, entries, commitment)
        need(committed["at"] < minutes["drawn_at"], "commitment.at", "published after the draw")
    else:
        need(minutes["method"] == "balls", "minutes.method", "unknown")
        check_balls(minutes, entries)
    check_circumstances(minutes)
    late = " LATE:" + minutes["late_cause"] if minutes["late"] else ""
    return (
        f"The draw holds: {minutes['title']['en']}, {len(entries)} in the draw, first"
        f" {minutes['order'][0]}, certified by {minutes['inspector']['name']}.{late}"
    )


if __name__ == "__main__":
    main(check, "draw.py KEY MINUTES [COMMITMENT [FIELD]]")
