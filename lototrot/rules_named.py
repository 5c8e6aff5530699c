"""List the rules that what is done in Lototrot is what two persons confirmed."""

from core.journal.binding import as_named, changed_as_named
from core.journal.rules import END, FIRST, Rule


def _set_named(table: str) -> Rule:
    """Return the rule that two persons confirmed the very set of tickets that an act undid."""
    return Rule(
        f"{table}.as_named",
        "it is of another set of tickets, or of another prize, than two persons confirmed",
        table,
        f"""
        SELECT '{table}', min(t.id), t.journal_xid
          FROM {table} t JOIN staff_proposal p ON p.id = t.proposal_id
         WHERE t.journal_xid >= {FIRST} AND t.journal_xid < {END}
         GROUP BY p.id, t.journal_xid
        HAVING p.content ->> 'digest' IS DISTINCT FROM encode(sha256(convert_to(
               string_agg(t.ticket_id || chr(10), '' ORDER BY t.ticket_id), 'UTF8')), 'hex')
            OR NOT bool_and(staff_proposes(p, t))
        """,
    )


NAMED: tuple[Rule, ...] = (
    _set_named("lototrot_block"),
    _set_named("lototrot_void"),
    as_named("lototrot_bettype"),
    as_named("lototrot_classification"),
    as_named("lototrot_discard"),
    as_named("lototrot_figuresamendment"),
    as_named("lototrot_gameend"),
    as_named("lototrot_paymentorder"),
    as_named("lototrot_racedeclaration"),
    as_named("lototrot_racestart"),
    as_named("lototrot_schedulechange"),
    as_named("lototrot_signaldevice"),
    as_named("lototrot_withdrawal"),
    changed_as_named("lototrot_contest", proposal="opening_id"),
    changed_as_named("lototrot_racedeclaration", proposal="retraction_id"),
    changed_as_named("lototrot_salesstop", proposal="lifting_id"),
    changed_as_named("lototrot_unprinted", proposal="proposal_id"),
    changed_as_named("lototrot_withdrawal", proposal="reversal_id"),
)
