"""List the rules that must hold between Promotrot's rows and the acts that wrote them."""

from core.journal.binding import (
    as_named,
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

VOUCHER = Rule(
    "promotrot_voucher.with_play",
    "it is not of the act that ended its play",
    "promotrot_voucher",
    """
    SELECT 'promotrot_voucher', v.id, v.journal_xid
      FROM promotrot_voucher v LEFT JOIN promotrot_playend e ON e.ticket_id = v.ticket_id
     WHERE e.journal_xid IS DISTINCT FROM v.journal_xid AND v.nature <> 'drawn'
    """,
)
CODE = Rule(
    "promotrot_voucher.code_given",
    "its code changed in an act that did not hand it over",
    "promotrot_voucher",
    """
    SELECT 'promotrot_voucher', v.id, c.journal_xid
      FROM journal_change c JOIN promotrot_voucher v ON v.id = c.row_id
     WHERE c.relation = 'promotrot_voucher' AND c.after ? 'code_digest'
       AND NOT EXISTS (SELECT FROM promotrot_voucherhandover h
                        WHERE h.voucher_id = v.id AND h.journal_xid = c.journal_xid)
    """,
)
PAYER = Rule(
    "promotrot_voucherhandover.not_paid_by_same",
    "who handed it over, as the first or the second person, paid it too, or confirmed that",
    "promotrot_voucherhandover",
    """
    SELECT 'promotrot_voucherhandover', h.id, p.journal_xid
      FROM promotrot_voucherhandover h
      JOIN payoffice_claim c ON c.game = 'promotrot' AND c.document_id = h.voucher_id
      JOIN staff_decision d ON d.proposal_id = h.proposal_id
      JOIN (SELECT claim_id, staff_id, proposal_id, journal_xid FROM payoffice_payment
             UNION ALL
            SELECT claim_id, staff_id, proposal_id, journal_xid FROM payoffice_exchange) p
        ON p.claim_id = c.id
      LEFT JOIN staff_decision s ON s.proposal_id = p.proposal_id
     WHERE p.staff_id IN (h.handed_by_id, d.decided_by_id)
        OR s.decided_by_id IN (h.handed_by_id, d.decided_by_id)
    """,
)
# A claim is worth its voucher. One that was paid or exchanged without any other act was so in time.
OWED = Rule(
    "payoffice_claim.owed_by_promotrot",
    "its voucher is of another amount, or had lapsed by then",
    "payoffice_claim",
    """
    SELECT 'payoffice_claim', t.id, t.journal_xid FROM payoffice_claim t
     WHERE t.game = 'promotrot' AND NOT EXISTS (
        SELECT FROM promotrot_voucher v
         WHERE v.id = t.document_id AND v.amount_cents = t.amount_cents
           AND (v.nature = 'refund' OR t.state NOT IN ('paid', 'exchanged')
                OR t.changed_at IS NOT NULL
                OR (t.opened_at AT TIME ZONE 'Europe/Madrid')::date <= v.last_day))
    """,
)
# A voucher is of its play's emission: of a ticket, or of a play that left and was drawn then.
PLAY = Rule(
    "promotrot_voucher.of_play",
    "its play is of another emission or premises, or is not there",
    "promotrot_voucher",
    """
    SELECT 'promotrot_voucher', v.id, v.journal_xid
      FROM promotrot_voucher v LEFT JOIN promotrot_playticket t ON t.id = v.ticket_id
     WHERE v.left_play IS NULL
           AND (t.emission_id, t.premises_id) IS DISTINCT FROM (v.emission_id, v.premises_id)
        OR v.left_play IS NOT NULL AND NOT EXISTS (
           SELECT FROM promotrot_left_play(p_uuid => v.left_play) l
            WHERE l.emission_id = v.emission_id AND l.premises_id = v.premises_id)
    """,
)
# The order of the draw is public: each prize is of the play in its place (14.III.5.4.4) [P17].
AS_DRAWN = Rule(
    "promotrot_voucher.as_drawn",
    "its draw gave that prize to another play",
    "promotrot_voucher",
    """
    SELECT 'promotrot_voucher', v.id, v.journal_xid
      FROM promotrot_voucher v LEFT JOIN promotrot_playticket t ON t.id = v.ticket_id
      LEFT JOIN (SELECT d.id, o.play, o.cents
                   FROM promotrot_debtdraw d, promotrot_debt_order(p_debt_draw => d.id) o) o
        ON o.id = v.debt_draw_id AND o.play = coalesce(t.uuid, v.left_play)
       AND o.cents = v.amount_cents
     WHERE v.nature = 'drawn' AND o.id IS NULL
    """,
)
# What is handed over is the thing that the voucher is for (15.III.6.5).
THING = Rule(
    "payoffice_exchange.of_its_thing",
    "no voucher of its claim is for that thing",
    "payoffice_exchange",
    """
    SELECT 'payoffice_exchange', t.id, t.journal_xid
      FROM payoffice_exchange t JOIN payoffice_stockitem i ON i.id = t.item_id
      JOIN payoffice_claim c ON c.id = t.claim_id
      LEFT JOIN promotrot_voucher v ON v.id = c.document_id AND c.game = 'promotrot'
     WHERE v.thing IS DISTINCT FROM i.code
    """,
)
# As many plays were written down as were published to leave.
LEFT = Rule(
    "promotrot_retiredplays.kept",
    "the plays that left are not as many as were published to leave",
    "promotrot_retiredplays",
    """
    SELECT 'periods_retiredrows', d.id, d.journal_xid
      FROM periods_retiredrows d
     WHERE d.relation = 'promotrot_playticket'
       AND d.leaves <> (SELECT coalesce(sum(cardinality(l.plays)), 0)
                          FROM promotrot_retiredplays l WHERE l.retired_id = d.id)
    """,
)
UNPRINTED = Rule(
    "promotrot_unprintedvoucher.unprinted",
    "its voucher had a confirmed print, or is of another month",
    "promotrot_unprintedvoucher",
    """
    SELECT 'promotrot_unprintedvoucher', u.id, u.journal_xid
      FROM promotrot_unprintedvoucher u
      JOIN promotrot_voucher v ON v.id = u.voucher_id
      JOIN periods_retirement r ON r.id = u.retirement_id
      JOIN periods_closedperiod p ON p.id = r.period_id
     WHERE v.issue_day NOT BETWEEN p.first_day AND p.last_day
        OR EXISTS (SELECT FROM promotrot_voucherprint c
                    WHERE c.voucher_id = v.id AND c.journal_xid < u.journal_xid)
    """,
)
ABANDONED = Rule(
    "promotrot_emission.abandoned_in_public",
    "its game ended while it waited, and the log does not say so",
    "promotrot_emission",
    """
    SELECT 'promotrot_emission', e.id, g.journal_xid
      FROM promotrot_emission e JOIN promotrot_gameending g ON g.game_id = e.game_id
     WHERE e.state NOT IN ('closed', 'revealed') AND NOT EXISTS (
        SELECT FROM proofs_logentry l WHERE l.kind = 'promotrot.abandoned'
           AND l.subject = e.reference AND l.journal_xid = g.journal_xid)
    """,
)
_REFERENCE = "(SELECT e.reference FROM promotrot_emission e WHERE e.id = t.emission_id)"
_OF_DEBT = "(SELECT g.code FROM promotrot_game g WHERE g.id = t.game_id) || ':' || t.number"
_OF_EMISSION = "o.emission_id = t.id"
_STEPS = {
    "committed": "commitment",
    "mixed": "witnessentropy",
    "open": "opening",
    "stopped": "salestop",
    "closed": "closingstatement",
    "revealed": "seedreveal",
}


_GAMES = (
    stamped("promotrot_game", "recorded_at"),
    stamped(
        "promotrot_gameversion", "recorded_at", user="recorded_by_id", session="recorded_in_id"
    ),
    confirmed("promotrot_gameapproval"),
    as_named("promotrot_gameapproval"),
    stamped(
        "promotrot_displayacknowledgement",
        "acknowledged_at",
        terminal="terminal_id",
        operator="operator_id",
    ),
    confirmed("promotrot_gameending"),
    as_named("promotrot_gameending"),
    stamped("promotrot_debtdraw", "announced_at"),
    with_rows(
        "promotrot_debtdraw",
        ("draws_draw", f"o.kind = 'promotrot.debt' AND o.subject = {_OF_DEBT}"),
    ),
    stamped("promotrot_debtstanding", "stood_at"),
    posted("promotrot_debtstanding", "t.cents"),
    confirmed("promotrot_debtdecision"),
    as_named("promotrot_debtdecision"),
    posted("promotrot_debtdecision", "t.cents"),
    with_rows("promotrot_gametype", ("promotrot_game", "o.type_id = t.id")),
)


_EMISSIONS = (
    stamped("promotrot_emission", "planned_at", user="planned_by_id", session="planned_in_id"),
    *(
        became("promotrot_emission", "state", state, (f"promotrot_{table}", _OF_EMISSION))
        for state, table in _STEPS.items()
    ),
    became(
        "promotrot_emission",
        "state",
        "abandoned",
        ("promotrot_gameending", "o.game_id = t.game_id"),
    ),
    ABANDONED,
    with_parent("promotrot_prizetier", "promotrot_emission", "emission_id"),
    stamped("promotrot_valuation", "recorded_at", user="recorded_by_id", session="recorded_in_id"),
    stamped(
        "promotrot_commitment",
        "committed_at",
        user="committed_by_id",
        session="committed_in_id",
    ),
    published("promotrot_commitment", "promotrot.commitment", _REFERENCE),
    stamped(
        "promotrot_witnessentropy", "entered_at", user="entered_by_id", session="entered_in_id"
    ),
    published("promotrot_witnessentropy", "promotrot.entropy", _REFERENCE),
    stamped("promotrot_opening", "opened_at"),
    confirmed("promotrot_opening"),
    as_named("promotrot_opening"),
    published("promotrot_opening", "promotrot.opening", _REFERENCE),
    with_rows("promotrot_lane", ("promotrot_opening", "o.emission_id = t.emission_id")),
    stamped("promotrot_publicfigures", "taken_at"),
    stamped("promotrot_salestop", "stopped_at"),
    confirmed("promotrot_closingstatement"),
    as_named("promotrot_closingstatement"),
    published("promotrot_closingstatement", "promotrot.closing", _REFERENCE),
    stamped("promotrot_seedreveal", "revealed_at"),
    published("promotrot_seedreveal", "promotrot.seed", _REFERENCE),
)


_PLAYS = (
    sold("promotrot_playticket", act="promotrot.sale", amount="price_cents"),
    stamped("promotrot_playact", "at", terminal="terminal_id"),
    stamped("promotrot_playend", "ended_at"),
    stamped("promotrot_officeend", "ended_at"),
    confirmed("promotrot_officeend"),
    as_named("promotrot_officeend"),
    with_rows("promotrot_officeend", ("promotrot_playend", "o.ticket_id = t.ticket_id")),
    stamped("promotrot_playmove", "moved_at", user="moved_by_id", session="moved_in_id"),
    VOUCHER,
    PLAY,
    AS_DRAWN,
    THING,
    CODE,
    posted("promotrot_voucher", "t.amount_cents", unless="t.nature = 'drawn'"),
    with_rows("promotrot_voucher", ("draws_drawcertificate", "true"), unless="t.nature <> 'drawn'"),
    stamped("promotrot_vouchersecret", "made_at"),
    stamped("promotrot_voucherhandover", "handed_at"),
    confirmed("promotrot_voucherhandover"),
    as_named("promotrot_voucherhandover"),
    PAYER,
    stamped("promotrot_voucherprint", "confirmed_at"),
    with_parent("promotrot_retiredplays", "periods_retiredrows", "retired_id"),
    LEFT,
    with_parent("promotrot_unprintedvoucher", "periods_retirement", "retirement_id"),
    UNPRINTED,
    OWED,
    stamped("promotrot_vouchercodegiven", "given_at", operator="operator_id"),
    stamped(
        "promotrot_voucherreprint",
        "printed_at",
        terminal="terminal_id",
        operator="operator_id",
    ),
)
RULES: tuple[Rule, ...] = (*_GAMES, *_EMISSIONS, *_PLAYS)
