"""List the rules that tie Lototrot's rows to the acts that wrote them."""

from core.journal.binding import (
    at_another_time,
    became,
    confirmed,
    posted,
    published,
    sold,
    stamped,
    with_parent,
    with_rows,
)
from core.journal.rules import Rule
from lototrot.rules_course import OFFERED, ONE_RESULT
from lototrot.rules_named import NAMED
from lototrot.selectors.retired import stays

_RECORDED = {"user": "recorded_by_id"}
_PROPOSED = "proposal_id IS NOT NULL"
_OF_CONTEST = "o.contest_id = t.id"
_OF_MEETING = "o.meeting_id = t.meeting_id"
_CONTEST_OF_LEG = "(SELECT l.contest_id FROM lototrot_contestleg l WHERE l.id = {})"
_TERMS = (
    "'bet_type_id', 'bet_type_code', 'ticket_model_id', 'price_cents', 'max_bets',"
    " 'premises_cap_cents', 'correction_window_s', 'correction_approval'"
)


def _with_change(table: str, contest: str, when: str = "true") -> Rule:
    """Return the rule that terms of a contest change only in an act that records it [E9].

    `contest` is the contest's id, and `when` the condition, both SQL on the change as c.
    """
    return Rule(
        f"{table}.changed",
        "its terms changed in an act that records no change of the contest",
        table,
        f"""SELECT '{table}', c.row_id, c.journal_xid FROM journal_change c
             WHERE c.relation = '{table}' AND {when} AND NOT EXISTS (
                SELECT FROM lototrot_contestchange o
                 WHERE o.journal_xid = c.journal_xid AND o.contest_id = {contest})""",
    )


OPENED = Rule(
    "lototrot_contest.opened",
    "it was put on sale in an act that two persons did not decide",
    "lototrot_contest",
    """
    SELECT 'lototrot_contest', t.id, c.journal_xid
      FROM journal_change c JOIN lototrot_contest t ON t.id = c.row_id
     WHERE c.relation = 'lototrot_contest' AND c.after ->> 'opened_at' IS NOT NULL
       AND NOT EXISTS (SELECT FROM staff_decision d
                        WHERE d.proposal_id = t.opening_id AND d.verdict = 'confirmed'
                          AND d.journal_xid = c.journal_xid)
    """,
)
OPENING_PUBLISHED = Rule(
    "lototrot_contest.opening_published",
    "it was put on sale in an act that did not publish its terms",
    "lototrot_contest",
    """
    SELECT 'lototrot_contest', c.row_id, c.journal_xid FROM journal_change c
     WHERE c.relation = 'lototrot_contest' AND c.after ->> 'opened_at' IS NOT NULL
       AND NOT EXISTS (SELECT FROM proofs_logentry o
                        WHERE o.journal_xid = c.journal_xid AND o.kind = 'lototrot.opening'
                          AND o.subject = 'contest:' || c.row_id)
    """,
)
MOVED = Rule(
    "lototrot_contest.moved",
    "its closing was moved in an act that records no move",
    "lototrot_contest",
    """
    SELECT 'lototrot_contest', c.row_id, c.journal_xid FROM journal_change c
     WHERE c.relation = 'lototrot_contest' AND c.after ? 'scheduled_close_at'
       AND NOT EXISTS (SELECT FROM lototrot_schedulechange o
                        WHERE o.journal_xid = c.journal_xid AND o.contest_id = c.row_id)
       AND NOT EXISTS (SELECT FROM lototrot_contestchange o
                        WHERE o.journal_xid = c.journal_xid AND o.contest_id = c.row_id)
    """,
)
# A contest closes when its schedule has come, when the organiser closes it, or at a start or a
# declaration that the act records; or at a stop of sales before these [E1, E12].
CLOSED = Rule(
    "lototrot_contest.closed",
    "it was closed at an instant at which nothing on record closes it",
    "lototrot_contest",
    f"""
    SELECT 'lototrot_contest', t.id, c.journal_xid
      FROM journal_change c JOIN lototrot_contest t ON t.id = c.row_id
      JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE c.relation = 'lototrot_contest' AND c.after ->> 'closed_at' IS NOT NULL
       AND CASE t.closing_cause
           WHEN 'schedule' THEN t.closed_at <> t.scheduled_close_at
                OR t.closed_at > a.at AND {at_another_time("t.closed_at")}
           WHEN 'organiser' THEN {at_another_time("t.closed_at")}
           ELSE NOT EXISTS (
            SELECT FROM lototrot_contestleg l CROSS JOIN LATERAL (
                SELECT s.actual_start_at AS instant FROM lototrot_racestart s
                 WHERE s.race_id = l.race_id AND s.journal_xid = c.journal_xid
                 UNION ALL
                SELECT d.declared_at FROM lototrot_racedeclaration d
                 WHERE d.race_id = l.race_id AND d.journal_xid = c.journal_xid) o
             WHERE l.contest_id = t.id AND (o.instant = t.closed_at OR o.instant > t.closed_at
               AND EXISTS (SELECT FROM lototrot_salesstop p
                            WHERE p.meeting_id = t.meeting_id AND p.stopped_at = t.closed_at)))
           END
    """,
)
SIGNALLED = Rule(
    "lototrot_salesstop.signalled",
    "a terminal stopped sales that two persons had not appointed for the racecourse",
    "lototrot_salesstop",
    """
    SELECT 'lototrot_salesstop', t.id, t.journal_xid
      FROM lototrot_salesstop t JOIN lototrot_race r ON r.id = t.race_id
     WHERE t.terminal_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lototrot_signaldevice d
         WHERE d.terminal_id = t.terminal_id AND d.racecourse_id = r.racecourse_id
           AND d.appointed_at <= t.stopped_at
           AND (d.ended_at IS NULL OR d.ended_at >= t.stopped_at))
    """,
)
_PROGRAMME = (
    stamped("lototrot_bettype", "recorded_at", **_RECORDED),
    confirmed("lototrot_bettype"),
    stamped("lototrot_figuresamendment", "entered_at"),
    confirmed("lototrot_figuresamendment"),
    stamped("lototrot_gameend", "ended_at"),
    confirmed("lototrot_gameend"),
    posted("lototrot_gameend", "t.cents"),
    published("lototrot_gameend", "lototrot.end", "t.bet_type_code"),
    stamped("lototrot_internalbetlist", "recorded_at", **_RECORDED, session="recorded_in_id"),
    stamped("lototrot_ticketmodel", "recorded_at", **_RECORDED),
    stamped("lototrot_meeting", "imported_at", user="imported_by_id", session="imported_in_id"),
    stamped("lototrot_federationapproval", "recorded_at", **_RECORDED, session="recorded_in_id"),
    with_parent("lototrot_race", "lototrot_meeting", "meeting_id"),
    with_parent("lototrot_runner", "lototrot_race", "race_id"),
)


_CONTEST = (
    stamped("lototrot_contest", "created_at", user="created_by_id"),
    became("lototrot_contest", "state", "stopped", ("lototrot_salesstop", _OF_MEETING)),
    with_rows(
        "lototrot_contestleg",
        ("lototrot_contest", "o.id = t.contest_id"),
        ("lototrot_contestchange", "o.contest_id = t.contest_id"),
    ),
    _with_change("lototrot_contest", "c.row_id", f"c.after ?| ARRAY[{_TERMS}]"),
    _with_change("lototrot_contestleg", _CONTEST_OF_LEG.format("c.row_id")),
    with_rows(
        "lototrot_contestchange",
        ("journal_change", "o.relation = 'lototrot_contest' AND o.row_id = t.contest_id"),
        (
            "journal_change",
            f"o.relation = 'lototrot_contestleg' AND {_CONTEST_OF_LEG.format('o.row_id')}"
            " = t.contest_id",
        ),
        ("lototrot_contestleg", "o.contest_id = t.contest_id"),
    ),
    stamped("lototrot_contestchange", "changed_at", user="changed_by_id", session="changed_in_id"),
    stamped("lototrot_discard", "discarded_at"),
    confirmed("lototrot_discard"),
    with_parent("lototrot_contest", "ledger_account", "takings_account_id"),
    OFFERED,
    OPENED,
    OPENING_PUBLISHED,
    MOVED,
    CLOSED,
    became("lototrot_contest", "state", "discarded", ("lototrot_discard", _OF_CONTEST)),
    became("lototrot_contest", "state", "settled", ("lototrot_settlement", _OF_CONTEST)),
    became("lototrot_contest", "state", "ordered", ("lototrot_paymentorder", _OF_CONTEST)),
    stamped(
        "lototrot_publication",
        "published_at",
        user="published_by_id",
        session="published_in_id",
    ),
    stamped("lototrot_schedulechange", "changed_at", user="changed_by_id", session="changed_in_id"),
    confirmed("lototrot_schedulechange"),
    published(
        "lototrot_schedulechange",
        "lototrot.schedule",
        "'contest:' || t.contest_id || ':' || t.number",
    ),
    with_rows(
        "lototrot_schedulechange",
        (
            "journal_change",
            "o.relation = 'lototrot_contest' AND o.row_id = t.contest_id"
            " AND o.after ? 'scheduled_close_at'",
        ),
    ),
    stamped(
        "lototrot_displayacknowledgement",
        "acknowledged_at",
        terminal="terminal_id",
        operator="operator_id",
    ),
)


# A contest may cap what one premises sell in it. Its counters are computed from its tickets.
CAP = Rule(
    "lototrot_premisessales.counted",
    "it is not what the premises sold in the contest, or more than its cap",
    "lototrot_premisessales",
    f"""
    SELECT 'lototrot_premisessales', s.id, s.journal_xid
      FROM lototrot_premisessales s JOIN lototrot_contest c ON c.id = s.contest_id
     WHERE s.sold_cents > coalesce(c.premises_cap_cents, 0)
        OR s.sold_cents <> (SELECT coalesce(sum(t.amount_cents), 0) FROM lototrot_ticket t
                             WHERE t.contest_id = s.contest_id AND t.premises_id = s.premises_id
                               AND {stays()})
                         + (SELECT coalesce(sum(l.amount_cents + l.annulled_cents), 0)
                              FROM lototrot_left_by_terminal l
                             WHERE l.contest_id = s.contest_id AND l.premises_id = s.premises_id)
    """,
)
# What left is summed as it was published: as many tickets as left, and no others.
LEFT = Rule(
    "lototrot_retiredsales.summed",
    "the sums of the tickets that left are not of as many as were published to leave",
    "lototrot_retiredsales",
    """
    SELECT 'periods_retiredrows', d.id, d.journal_xid
      FROM periods_retiredrows d
     WHERE d.relation = 'lototrot_ticket'
       AND (d.leaves <> (SELECT coalesce(sum(l.tickets + l.annulled_tickets), 0)
                           FROM lototrot_left_by_terminal l WHERE l.retired_id = d.id)
            OR EXISTS (
                SELECT FROM (SELECT l.contest_id, sum(l.bets) AS bets
                               FROM lototrot_left_by_terminal l
                              WHERE l.retired_id = d.id AND l.bets > 0 GROUP BY 1) s
                  FULL JOIN (SELECT k.contest_id, k.leg, sum(k.bets) AS bets
                               FROM lototrot_left_by_number k WHERE k.retired_id = d.id
                              GROUP BY 1, 2) m ON m.contest_id = s.contest_id
                 WHERE m.bets IS DISTINCT FROM s.bets))
    """,
)
# The prizes that left are those of tickets that left: each is retired with its ticket or after it.
PRIZES_LEFT = Rule(
    "lototrot_retiredprizes.summed",
    "other prizes left than those of the tickets that left",
    "lototrot_retiredprizes",
    """
    SELECT 'periods_retiredrows', max(d.id), max(d.journal_xid)
      FROM periods_retiredrows d WHERE d.relation = 'lototrot_prize'
    HAVING sum(d.leaves) > (SELECT coalesce(sum(l.tickets), 0) FROM lototrot_retiredprizes l)
    """,
)


_TICKETS = (
    CAP,
    PRIZES_LEFT,
    with_rows(
        "lototrot_premisessales",
        ("lototrot_ticket", "o.contest_id = t.contest_id AND o.premises_id = t.premises_id"),
        # The first ticket that was sold there may have left with its month.
        unless="EXISTS (SELECT FROM lototrot_left_by_terminal l WHERE l.contest_id = t.contest_id"
        " AND l.premises_id = t.premises_id)",
    ),
    with_parent("lototrot_retiredsales", "periods_retiredrows", "retired_id"),
    with_parent("lototrot_retiredmarks", "periods_retiredrows", "retired_id"),
    with_parent("lototrot_retiredprizes", "periods_retiredrows", "retired_id"),
    LEFT,
    sold("lototrot_ticket", act="lototrot.sale", amount="amount_cents"),
    stamped("lototrot_printconfirmation", "confirmed_at", key="ticket_id"),
    stamped("lototrot_codegiven", "given_at", operator="operator_id"),
    stamped("lototrot_reprint", "printed_at", operator="operator_id"),
    stamped("lototrot_void", "voided_at", operator="operator_id", unless=_PROPOSED),
    confirmed("lototrot_void"),
    stamped("lototrot_unprinted", "listed_at"),
    *(
        became(
            "lototrot_unprinted",
            "verdict",
            verdict,
            ("staff_decision", "o.proposal_id = t.proposal_id AND o.verdict = 'confirmed'"),
        )
        for verdict in ("void", "stand")
    ),
    confirmed("lototrot_block"),
    confirmed("lototrot_amendment"),
    with_parent("lototrot_amendment", "proofs_logentry", "entry_id"),
    with_parent("lototrot_seal", "proofs_logentry", "entry_id"),
)


_COURSE = (
    stamped(
        "lototrot_startannouncement",
        "announced_at",
        user="announced_by_id",
        session="announced_in_id",
    ),
    stamped(
        "lototrot_salesstop",
        "stopped_at",
        user="stopped_by_id",
        session="stopped_in_id",
        terminal="terminal_id",
    ),
    stamped("lototrot_signaldevice", "appointed_at"),
    confirmed("lototrot_signaldevice"),
    SIGNALLED,
    became(
        "lototrot_salesstop",
        "ending",
        "lifted",
        ("staff_decision", "o.proposal_id IN (t.lifting_id, t.proposal_id)"),
    ),
    stamped("lototrot_withdrawal", "entered_at", user="entered_by_id", session="entered_in_id"),
    stamped("lototrot_racestart", "recorded_at", **_RECORDED, session="recorded_in_id"),
    confirmed("lototrot_racestart"),
    stamped("lototrot_racedeclaration", "recorded_at", **_RECORDED, session="recorded_in_id"),
    confirmed("lototrot_racedeclaration"),
    confirmed("lototrot_classification"),
    ONE_RESULT,
    became(
        "lototrot_classification",
        "in_force",
        "false",
        ("lototrot_classification", "o.race_id = t.race_id"),
    ),
)


# A claim is worth what was ordered for its ticket, or the price of a ticket in breach. One that was
# paid without any other act was paid on a day on which its prize may be.
OWED = Rule(
    "payoffice_claim.owed_by_lototrot",
    "its ticket is owed another amount, or nothing, or was not on that day",
    "payoffice_claim",
    f"""
    SELECT 'payoffice_claim', t.id, t.journal_xid FROM payoffice_claim t
     WHERE t.game = 'lototrot' AND t.state NOT IN ('early', 'no_prize')
       AND {stays("t.document_id")} AND NOT EXISTS (
        SELECT FROM lototrot_ticket k
          LEFT JOIN lototrot_void v ON v.ticket_id = k.id
          LEFT JOIN lototrot_paymentorder o ON o.contest_id = k.contest_id
          LEFT JOIN lototrot_prize p ON p.settlement_id = o.settlement_id AND p.ticket_id = k.id
         WHERE k.id = t.document_id AND CASE
               WHEN v.id IS NOT NULL THEN v.reason <> 'error' AND t.amount_cents = k.amount_cents
               ELSE t.amount_cents = p.prize_cents
                AND (t.state <> 'paid' OR t.changed_at IS NOT NULL
                     OR (t.opened_at AT TIME ZONE 'Europe/Madrid')::date
                        BETWEEN o.first_pay_day AND o.last_claim_day) END)
    """,
)
_SETTLEMENT = (
    OWED,
    published("lototrot_settlement", "lototrot.settlement", "t.uuid::text"),
    became(
        "lototrot_settlement",
        "in_force",
        "false",
        (
            "proofs_logentry",
            "o.kind = 'lototrot.settlement_reversal' AND o.subject = t.uuid::text",
        ),
    ),
    with_parent("lototrot_prize", "lototrot_settlement", "settlement_id"),
    with_parent("lototrot_settlementcategory", "lototrot_settlement", "settlement_id"),
    confirmed("lototrot_paymentorder"),
    published(
        "lototrot_paymentorder",
        "lototrot.payment_order",
        "(SELECT s.uuid::text FROM lototrot_settlement s WHERE s.id = t.settlement_id)",
    ),
    stamped("lototrot_lapse", "lapsed_at"),
    posted("lototrot_lapse", "t.cents"),
    stamped("lototrot_carryover", "carried_at"),
    posted("lototrot_carryover", "t.cents"),
)
RULES: tuple[Rule, ...] = (*_PROGRAMME, *_CONTEST, *_TICKETS, *_COURSE, *_SETTLEMENT, *NAMED)
