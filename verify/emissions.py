"""List the emissions of Promotrot in the public log, and which of them were never put on sale.

    python emissions.py LOG KEYS

LOG and KEYS are those of public_log.py. An emission that was witnessed and not opened is a shuffle
that its operator may have looked at and put aside (docs/emission-algorithm.md): count them, also
those of other games with the same plan. emission.py reads a game through this one.
"""

import hashlib
from itertools import pairwise
from typing import Any

from chance import hash32, u64
from entry import digest_of, main, printable, same
from forms import need
from promised.odds import check_acts, described
from public_log import Log
from statement import CLOSING, OPENING, check_sums, entries_of

COMMITMENT, ENTROPY = "promotrot.commitment", "promotrot.entropy"
SEED, ABANDONED = "promotrot.seed", "promotrot.abandoned"
STEPS = {
    COMMITMENT: "committed_at",
    ENTROPY: "entered_at",
    OPENING: "opened_at",
    CLOSING: "closed_at",
    ABANDONED: "abandoned_at",
    SEED: "",
}
"""The entries of an emission in their order, and the field with the instant of each."""
NEEDS = {ENTROPY: COMMITMENT, CLOSING: OPENING, SEED: COMMITMENT}
NOTHING_SOLD = {"sold": 0, "tickets_sha256": hashlib.sha256().hexdigest()}
Document = dict[str, Any]


def steps_of(log: Log, emission: str) -> dict[str, Document]:
    """Check the entries of an emission against one another; return their documents by kind."""
    steps = {kind: log.document(kind, emission) for kind in STEPS if log.has(kind, emission)}
    log.in_order(*((kind, emission) for kind in steps))
    for kind, document in steps.items():
        same(document, {"emission": emission}, kind)
        need(NEEDS.get(kind, kind) in steps, f"{kind} {emission}", f"without {NEEDS.get(kind)}")
    times = [(kind, STEPS[kind], steps[kind][STEPS[kind]]) for kind in steps if kind != SEED]
    for (_, _, before), (kind, name, after) in pairwise(times):
        need(before <= after, f"{kind}.{name}", "before its time")
    for kind, name, _ in times:
        log.dated(kind, emission, name)
    committed = steps.get(COMMITMENT)
    for kind in {OPENING, ABANDONED} & steps.keys():
        commitment = committed["commitment"] if committed else None
        same(steps[kind], {"commitment": commitment}, kind)
    if opened := steps.get(OPENING):
        check_acts(opened, committed["plan"]["tiers"] if committed else [])
        need(ENTROPY in steps or not committed, f"{OPENING} {emission}", f"without {ENTROPY}")
        need(ABANDONED not in steps, f"{ABANDONED} {emission}", "it was put on sale")
        terms = {name: opened[name] for name in ("tickets", "price_cents", "minimum_percent")}
        same(steps.get(CLOSING, terms), terms, CLOSING)
        same(terms | committed["plan"] if committed else terms, terms, f"{COMMITMENT}.plan")
    if committed:
        check_committed(emission, committed, steps)
    return steps


def check_committed(emission: str, committed: Document, steps: dict[str, Document]) -> None:
    """Check a commitment against its plan, and the seed that was published against both."""
    plan = committed["plan"]
    of_plan = {"plan_digest": digest_of(plan), "tickets": plan["tickets"]}
    same(committed, of_plan, COMMITMENT)
    if SEED in steps:
        over = CLOSING in steps or ABANDONED in steps
        need(over, f"{SEED} {emission}", "published before the emission was over")
        seed = bytes.fromhex(steps[SEED]["seed"])
        commitment = commitment_of(committed, emission, seed).hex()
        need(committed["commitment"] == commitment, f"{SEED}.seed", "not the one committed to")
        if ABANDONED in steps:
            same(steps[SEED], NOTHING_SOLD, SEED)


def commitment_of(committed: Document, emission: str, seed: bytes) -> bytes:
    """Return the commitment to a seed, which no other seed gives."""
    return hash32(
        b"promotrot/commitment/1",
        committed["algorithm"].encode(),
        emission.encode(),
        u64(committed["tickets"]),
        bytes.fromhex(committed["plan_digest"]),
        seed,
    )


def games(log: Log) -> dict[str, list[str]]:
    """Return the emissions of each game, in the order of their first entries."""
    emissions: dict[str, list[str]] = {}
    for emission in dict.fromkeys(subject for kind, subject in log.entries if kind in STEPS):
        emissions.setdefault(emission.rpartition("/")[0], []).append(emission)
    return emissions


def factors(document: Document) -> list[Any]:
    """Return the factors of a type that an opening or a commitment tells (15.II.2)."""
    terms = document.get("plan", document)
    own = [tier for tier in terms.get("tiers", []) if not tier["extra"]]
    by_acts = map(document.get, ("mode", "table", "mechanic"))
    return [terms["tickets"], terms["price_cents"], *by_acts, own]


def check_game(log: Log, game: str) -> dict[str, dict[str, Document]]:
    """Check the emissions of a game: each is planned after the one before was put on sale, and none
    after one that was abandoned; that all are of one type, and that each closing begins with what
    the one before left owing. Return the documents by kind of each, by its reference.
    """
    emissions = games(log).get(game, [])
    numbered = [f"{game}/{number}" for number in range(1, len(emissions) + 1)]
    need(emissions == numbered, f"promotrot {game}", f"{', '.join(emissions)}: one is missing")
    checked = {emission: steps_of(log, emission) for emission in emissions}
    for before, after in pairwise(emissions):
        need(OPENING in checked[before], f"promotrot {after}", f"{before} was never put on sale")
        log.in_order((OPENING, before), (next(iter(checked[after])), after))
    for kind in (OPENING, COMMITMENT):
        types = {ref: factors(steps[kind]) for ref, steps in checked.items() if kind in steps}
        first = next(iter(types), "")
        for emission, own in types.items():
            need(own == types[first], f"{kind} {emission}", f"other factors than {first}")
    owed_cents = 0
    for _, closing in entries_of(log, CLOSING, game):
        check_sums(closing)
        same(closing, {"owed_before_cents": owed_cents}, CLOSING)
        owed_cents = closing["owed_cents"]
    return checked


def says(steps: dict[str, Document]) -> str:
    """Return what became of an emission, and the first digits of its plan's digest."""
    *_, (kind, name) = [(kind, name) for kind, name in STEPS.items() if kind in steps and name]
    became = {
        COMMITMENT: "NOT PUT ON SALE, committed to",
        ENTROPY: "NOT PUT ON SALE, witnessed",
        ABANDONED: "NEVER PUT ON SALE, its game ended",
        OPENING: "on sale since",
        CLOSING: "closed",
    }[kind]
    plan = f", plan {steps[COMMITMENT]['plan_digest'][:16]}" if COMMITMENT in steps else ""
    mode = f", {described(steps[OPENING])}" if OPENING in steps else ""
    waits = kind in (CLOSING, ABANDONED) and COMMITMENT in steps and SEED not in steps
    return f"{became} {steps[kind][name]}{mode}{plan}{', seed NOT PUBLISHED' if waits else ''}"


def check(log_file: str, keys: str) -> str:
    log = Log(log_file, keys)
    every = {ref: steps for game in games(log) for ref, steps in check_game(log, game).items()}
    unsold = sum(COMMITMENT in steps and OPENING not in steps for steps in every.values())
    lines = [f"{emission}: {says(steps)}" for emission, steps in every.items()]
    head = f"LISTED: {len(every)} emissions; committed to and not put on sale: {unsold}"
    return "\n".join([head, *map(printable, lines)])


if __name__ == "__main__":
    main(check, "emissions.py LOG KEYS")
