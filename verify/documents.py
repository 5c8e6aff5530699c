"""Define the forms of the published documents that a verifier reads: their fields and values.

docs/proofs/README.md lists all documents. A form is an exact text, None, a function of forms.py
that tests the value, a list (any number of values), a tuple (one of these forms), or fields by
name. A function as name tests the names.
"""

from typing import Any

from forms import (
    anything,
    blind,
    category,
    day,
    instant,
    journal_entries,
    key_name,
    rational,
    sha256,
    share_name,
    signature,
    text,
    truth,
    whole,
    words,
)

# Tables of data: a document's fields read as one paragraph.
# fmt: off
ENTRY = {"format": "trot-log-1", "sequence": whole, "previous": sha256, "at": instant, "kind": text,
         "subject": text, "document": anything, "key": key_name, "signature": signature}
# --- A ticket, its seal, a settlement -------------------------------------------------------------
TICKET = {"premises": text, "terminal": text, "sold_at": instant, "bets": whole,
          "amount_cents": whole, "selections": [[whole]]}
PROOF = {"format": "lototrot-proof-1", "ticket": anything, "blind": blind, "place": whole,
         "path": [sha256], "seal": ENTRY, "amendments": [ENTRY]}
TOTALS = {"tickets": whole, "bets": whole, "takings_cents": whole}
TERMS = {"contest": whole, "bet_type": text, "day": day, "races": whole, "programme": sha256,
         "legs": [{"race": whole, "programme": [whole]}], "price_cents": whole, "rules": sha256}
ON_SALE = {"format": "lototrot-opening-1", **TERMS, "closes_at": instant, "opened_at": instant}
SEAL = {"format": "lototrot-seal-1", **TERMS, **TOTALS, "closed_at": instant,
        "closing_cause": ("schedule", "start", "not_run", "organiser"), "root": sha256}
SCHEDULE = {"format": "lototrot-schedule-1", "contest": whole, "bet_type": text, "day": day,
            "number": whole, "from": instant, "to": instant, "moved_at": instant, "persons": whole,
            "reason": text}
AMENDMENT = {"format": "lototrot-amendment-1", "contest": whole, "seal": sha256, "number": whole,
    "act": text, "voided": [{"place": whole, "reasons": text}], "taken": TOTALS, "left": TOTALS}
_DECLARED = ("not_run", "suspended", "all_disqualified", "no_winner")
RULES = {"code": text, "version": whole, "name": text, "legs": whole, "prize_percent": rational,
         "payout_step_cents": whole, "jackpot_threshold_cents": whole,
         "shares_below": {share_name: rational}, "shares_above": {share_name: rational}}
RACE = {"position": whole, "race": whole, "programme": [whole], "withdrawn": [whole],
        "left": [whole], "disqualified": [whole], "winners": [whole],
        "outcome": ("run", *_DECLARED), "started_at": (None, instant), "official_at": instant,
        "right": [whole], "draw": (None, {"draw": text, "minutes": sha256})}
CENTS = {category: whole}
EXACT = {category: rational}
FIGURES = {
    "takings": whole, "winners": CENTS, "jackpot_in": whole, "reserve_in": whole,
    "lapsed_in": whole, "prize_pool": whole, "organiser_share": whole, "tested_jackpot": whole,
    "regime": ("9.2", "9.3"), "shares": {share_name: whole}, "after_cascade": CENTS,
    "unwon_to_reserve": whole, "reserve_paid_out": whole, "before_correction": CENTS,
    "correction": {"halved": [[whole]], "after_halving": EXACT, "joined": [[whole]]},
    "after_correction": EXACT, "prize_each": CENTS, "prizes_total": whole,
    "rounding_remainder": whole, "jackpot_out": whole, "reserve_out": whole}
SETTLEMENT = {
    "format": "lototrot-settlement-1", "settlement": text, "number": whole,
    "replaces": (None, text), "contest": whole, "day": day, "programme": text,
    "programme_sha256": sha256, "price_cents": whole, "rules": RULES,
    "seal": {"entry": sha256, "root": sha256, **TOTALS}, "amendments": [sha256], "tickets": whole,
    "bets": whole, "winning_tickets": whole, "races": [RACE], "previous": (None, sha256),
    "lapsed_from": [{"account": text, "cents": whole}], "figures": FIGURES,
    "settled_at": instant, "simulated": truth, "organiser": {
        "in_force_from": day, "source": text, "percents": {text: rational}, "parts": {text: whole}}}
REVERSAL = {"format": "lototrot-settlement-reversal-1", "contest": whole, "settlement": text,
            "certificate": sha256, "reversed_at": instant}
PAYMENT_ORDER = {"format": "lototrot-payment-order-1", "contest": whole, "settlement": text,
                 "certificate": sha256, "ordered_at": instant, "ordered_on": day,
                 "claim_days": whole, "results_day": day, "first_pay_day": day,
                 "last_claim_day": day}
MOVE = {"source": ("jackpot", "reserve", "unclaimed"), "day": (None, day), "bet_type": text,
        "recipient": text, "cents": whole}
END = {"format": "lototrot-end-1", "bet_type": text, "decision": text, "moves": [MOVE],
       "ended_at": instant}

# --- A public draw --------------------------------------------------------------------------------
FIELD = {"size": whole, "places": whole, "sha256": sha256, "entries": (None, [text]),
         "fixed_at": instant}
NAMED = {"draw": text, "kind": text, "subject": text}
ATTENDANCE = {"name": words, "appointment": words, "attended_at": instant}
SOURCE = ("dice", "balls", "phrase")
MEANS = {"source": SOURCE, "pieces": (None, whole)}
HOW = {"method": ("computed", "balls"), "cause": text, "place": words, "witness": words,
       "entropy": (None, {"source": SOURCE, "text": text, "canonical": text}),
       "secret": (None, sha256), "order": [text], "drawn_at": instant,
       "entered_at": instant, "entered_by": ATTENDANCE}
ELSEWHERE = {"reason": words, "inspector": ATTENDANCE, "stated_at": instant}
ANNOUNCEMENT = {"place": text, "office": (None, words), "elsewhere": (None, ELSEWHERE),
                "planned_at": instant, "announced_at": instant}
DRAW_COMMITMENT = {"format": "trot-draw-commitment-1", **NAMED, "algorithm": text, "field": FIELD,
                   "means": MEANS, "commitment": sha256, "committed_at": instant}
ABANDONED = {"format": "trot-draw-abandoned-1", **NAMED, "reason": words, "commitment": sha256,
             "secret": sha256, "inspector": ATTENDANCE, "abandoned_at": instant}
OUTCOME = {"format": "trot-draw-outcome-1", **NAMED, **HOW}
_ENTERED = {"balls": text, "order": [text], "entered_at": instant, "entered_by": whole}
BALLS = {"format": "trot-draw-balls-1", **NAMED, **_ENTERED, "drawn_at": instant, "witness": words,
         "cause": words}
REJECTED = {**_ENTERED, "rejected_at": (None, instant), "reason": text,
            "inspector": (None, {"name": words, "appointment": words})}
CALLED_OFF = {"format": "trot-draw-called-off-1", **NAMED, "reason": text, "called_off_at": instant}
MINUTES = {
    "format": "trot-draw-minutes-1", **NAMED, "title": {text: text}, "reason": words,
    "declared_at": instant, "due_at": (None, instant), "facts": anything,
    "announcements": [ANNOUNCEMENT], "field": FIELD, "algorithm": "shake256-fisher-yates/1",
    "means": (None, MEANS), "commitment": (None, sha256), "committed_at": (None, instant), **HOW,
    "late": truth, "late_cause": text, "inspector": ATTENDANCE, "attendances": [ATTENDANCE],
    "observations": text, "certified_at": instant, "called_off_before": [text],
    "abandoned_before": [text], "rejected": [REJECTED], "statement": {text: text},
    "simulated": truth}
RACE_FACTS = {
    "race": whole, "number": whole, "racecourse": text, "meeting": text, "day": day,
    "declaration": _DECLARED, "recorded_at": instant, "started_at": (None, instant),
    "within_s": whole, "programme": [whole], "withdrawn": [whole], "left": [whole],
    "runners": {category: text}, "contests": [{"contest": whole, "seal": (None, sha256)}]}
DEBT_FACTS = {"game": text, "draw": whole, "owed_cents": whole, "winners": whole,
              "emissions": [text]}

# --- An emission of Promotrot (docs/emission-algorithm.md) ----------------------------------------
IN_KIND = {"description": text, "equivalent_cents": whole, "source": text, "valued_on": (None, day)}
TIER = {"count": whole, "extra": truth}
PLAN = {"format": "promotrot-plan/1", "price_cents": whole, "tickets": whole,
        "tiers": [({**TIER, "in_kind": IN_KIND}, {**TIER, "cash_cents": whole})],
        "classes": [{"blocks": whole, "tickets": whole, "prizes": [whole]}]}
COMMITMENT = {"format": "promotrot-commitment/1", "emission": text, "tickets": whole, "plan": PLAN,
    "algorithm": "promotrot-shake256-fisher-yates/1", "plan_digest": sha256, "means": MEANS,
    "commitment": sha256, "committed_at": instant}
ENTROPY = {"format": "promotrot-entropy/1", "emission": text, "commitment": sha256,
           "source": SOURCE, "entropy": text, "appointment": words, "entered_at": instant}
OPENING = {"format": "promotrot-opening/1", "emission": text, "mode": ("predrawn", "probabilistic"),
    "commitment": (None, sha256), "tickets": whole, "price_cents": whole, "stop_without_top": truth,
    "table": [{"cents": whole, "thing": text}], "mechanic": (None, anything),
    "minimum_percent": rational, "opened_at": instant}
NOT_SOLD = {"format": "promotrot-abandoned/1", "emission": text, "commitment": (None, sha256),
            "abandoned_at": instant}
CLOSING = {
    "format": "promotrot-closing/1", "emission": text, "tickets": whole, "sold": whole,
    "unsold": whole, "refunded": whole, "unfinished": whole, "price_cents": whole,
    "takings_cents": whole, "awarded_cents": whole, "extra_awarded_cents": whole,
    "unclaimed_cents": whole, "minimum_percent": rational, "percent": (None, rational),
    "shortfall_cents": whole, "owed_before_cents": whole, "owed_cents": whole, "closed_at": instant}
SEED = {"format": "promotrot-seed/1", "emission": text, "seed": sha256, "sold": whole,
        "tickets_sha256": sha256}

# --- The log and the journal ----------------------------------------------------------------------
KEY = {"format": "trot-key-1", "key": key_name, "public_key": sha256, "replaces": (None, key_name),
       "reason": ("first", "rotation", "loss", "compromise")}
KEY_IN_USE = {"format": "trot-key-use-1", "key": key_name}
CHECKPOINT = {"format": "trot-checkpoint-1", "batch": whole, "digest": sha256}
LINEAGE = {"format": "trot-lineage-1", "lineage": whole, "server": text, "before": text,
           "batch": whole, "digest": sha256, "reason": words}
JOURNAL_FORM = {"form": sha256, "table": text, "columns": [text]}
JOURNAL_BLOCK = {"block": sha256, "entries": journal_entries}
JOURNAL_HEAD = {"format": "trot-journal-1", "batch": whole, "previous": sha256, "first_xid": whole,
                "end_xid": whole, "open": [whole], "sealed_at": instant,
                "blocks": [[(sha256, whole)]]}
JOURNAL_BATCH = {**JOURNAL_HEAD, "digest": sha256, "key": key_name, "signature": signature}
PERIOD = {"format": "trot-period-1", "number": whole, "first_day": day, "last_day": day,
          "transfers": {"count": whole, "cents": whole, "sha256": sha256},
          "balances": {"accounts": whole, "sha256": sha256},
          "journal": {"batch": whole, "digest": text},
          "parts": {"lototrot": [{"contest": whole, "day": day, "root": sha256, "tickets": whole,
                                  "takings_cents": whole, "winning_tickets": whole,
                                  "prizes_cents": whole}], "promotrot": [anything]}}
RETIRED_TABLE = {"first_row": whole, "last_row": whole, "rows": whole, "entries_sha256": sha256}
ARCHIVED_TABLE = {"table": words, "file": words, "rows": whole, "bytes": whole, "sha256": sha256,
                  "file_sha256": sha256, "retires": (None, RETIRED_TABLE),
                  "columns": [{"name": words, "type": words, "says": text}]}
RETIREMENT = {"format": "trot-retirement-1", "number": whole, "first_day": day, "last_day": day,
              "archive_sha256": sha256, "kept": words, "journal": {"batch": whole, "digest": text},
              "openings": {"first_row": whole, "last_row": whole, "accounts": whole,
                           "sha256": sha256, "last_xid": whole}, "tables": [{**RETIRED_TABLE,
                  "table": words, "leaves": whole, "staying_sha256": sha256, "last_batch": whole}]}
NAMES_ERASED = {"format": "trot-names-erased-1", "erased_at": instant, "names_of_staff": [sha256],
                "names_of_operators": [sha256]}
ARCHIVE = {"format": "trot-archive-1", "number": whole, "first_day": day, "last_day": day,
           "closing_sha256": sha256, "tables": [ARCHIVED_TABLE]}
PUBLISHED: dict[str, dict[str, Any]] = {
    "lototrot.opening": ON_SALE, "lototrot.schedule": SCHEDULE, "lototrot.end": END,
    "lototrot.seal": SEAL, "lototrot.amendment": AMENDMENT, "lototrot.settlement": SETTLEMENT,
    "lototrot.settlement_reversal": REVERSAL, "lototrot.payment_order": PAYMENT_ORDER,
    "draws.commitment": DRAW_COMMITMENT, "draws.outcome": OUTCOME, "draws.minutes": MINUTES,
    "draws.called_off": CALLED_OFF, "draws.abandoned": ABANDONED, "draws.balls": BALLS,
    "promotrot.commitment": COMMITMENT, "promotrot.entropy": ENTROPY, "promotrot.seed": SEED,
    "promotrot.opening": OPENING, "promotrot.closing": CLOSING, "promotrot.abandoned": NOT_SOLD,
    "journal.checkpoint": CHECKPOINT, "journal.lineage": LINEAGE,
}
"""Form by kind of entry. Each document also has `digests` of all its other fields."""
WITHOUT_DIGESTS: dict[str, dict[str, Any]] = {
    "periods.closed": PERIOD, "periods.retired": RETIREMENT, "periods.names_erased": NAMES_ERASED}
"""Form by kind of entry of the documents that have no `digests`: each is one whole."""
