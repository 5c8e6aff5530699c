"""List the rules of the apps below the journal: database, staff, ledger, premises and proofs.

These apps may not import the journal, which stands above them in the layers of `pyproject.toml`; so
their rules are here. The rule of the API is here too, because its package has no room for another
module.
"""

from core.database.guards import guarded_models
from core.journal.binding import as_named, confirmed, published, stamped, there, with_parent
from core.journal.install import journaled
from core.journal.lineages import LINEAGE
from core.journal.models import Act
from core.journal.rules import END, FIRST, Rule
from core.kernel.regulation import shipped

# Simulated time only moves forward: a later row never has a smaller offset.
CLOCK = Rule(
    "clock_forward",
    "simulated time was set back",
    "database_clockoffset",
    """
    SELECT 'database_clockoffset', id, journal_xid
      FROM (SELECT *, lag("offset") OVER (ORDER BY id) AS before FROM database_clockoffset) o
     WHERE "offset" < before
    """,
)
AUTHORISATION = Rule(
    "authorisation_only_shortened",
    "an authorisation was made longer than it was recorded (14.I.6)",
    "premises_authorisation",
    """
    SELECT relation, row_id, journal_xid FROM journal_change
     WHERE relation = 'premises_authorisation' AND before ? 'valid_until'
       AND before -> 'valid_until' <> 'null'
       AND ((after ->> 'valid_until') IS NULL
            OR (after ->> 'valid_until')::timestamptz > (before ->> 'valid_until')::timestamptz)
    """,
)
ENDED_IN_THE_PAST = Rule(
    "past_end_by_resolution",
    "a right to sell was ended as of the past without a resolution of two persons",
    "premises_resolution",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE c.relation IN ('premises_authorisation', 'premises_terminal')
       AND coalesce(c.after ->> 'valid_until', c.after ->> 'revoked_at')::timestamptz
           < a.at - interval '10 minutes'
       AND NOT EXISTS (
        SELECT FROM premises_resolution r WHERE r.journal_xid = c.journal_xid
           AND c.row_id = CASE c.relation WHEN 'premises_terminal' THEN r.terminal_id
                                          ELSE r.authorisation_id END)
    """,
)
TERMINAL = Rule(
    "terminal_back_by_enrolment",
    "a terminal got another key, was no longer copied or no longer revoked, without an enrolment",
    "premises_terminal",
    """
    SELECT c.relation, c.row_id, c.journal_xid FROM journal_change c
     WHERE c.relation = 'premises_terminal'
       AND (c.before ->> 'revoked_at' IS NOT NULL
            AND coalesce((c.after ->> 'revoked_at')::timestamptz, 'infinity')
                > (c.before ->> 'revoked_at')::timestamptz
            OR (c.after ? 'public_key'
                OR c.before ->> 'copied_at' IS NOT NULL AND c.after ->> 'copied_at' IS NULL)
               AND NOT EXISTS (
                SELECT FROM journal_change e JOIN premises_enrolment n ON n.id = e.row_id
                 WHERE e.relation = 'premises_enrolment' AND e.journal_xid = c.journal_xid
                   AND e.after ->> 'used_at' IS NOT NULL AND n.terminal_id = c.row_id))
    """,
)
LIFTED = Rule(
    "suspension_lifted_by_who_acted",
    "a suspension was lifted as of another time, by another person than who acted, or again;"
    " or one by a resolution without the two persons who lift it",
    "premises_suspension",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE c.relation = 'premises_suspension' AND c.after ? 'lifted_at'
       AND (c.before ->> 'lifted_at' IS NOT NULL
            OR (c.after ->> 'lifted_at')::timestamptz
               NOT BETWEEN a.at - interval '10 minutes' AND a.at + interval '10 minutes'
            OR (c.after ->> 'lifted_by_id')::bigint <> a.user_id
            OR EXISTS (SELECT FROM premises_suspension s
                        WHERE s.id = c.row_id AND s.resolution_id IS NOT NULL)
               AND NOT EXISTS (
                SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
                 WHERE d.journal_xid = c.journal_xid AND d.verdict = 'confirmed'
                   AND (p.kind = 'premises.resuming'
                        AND p.content -> 'suspension' = to_jsonb(c.row_id)
                        OR p.kind = 'premises.lifting' AND p.content -> 'premises'
                           @> jsonb_build_array(jsonb_build_object(
                               'standing', jsonb_build_array(c.row_id))))))
    """,
)
ENROLMENT_CODE = Rule(
    "enrolment_code_to_who_acted",
    "an enrolment code was given to nobody, or to another person than the row says",
    "premises_enrolment",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE c.relation = 'premises_enrolment' AND c.after ? 'issued_at'
       AND (a.user_id IS NULL OR (c.after ->> 'issued_by_id')::bigint <> a.user_id)
    """,
)
ROLES = Rule(
    "roles_by_another",
    "a person's roles or access were changed by nobody, or by that person",
    "staff_user",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
      JOIN journal_source s ON s.id = a.source_id
     WHERE c.relation = 'staff_user' AND (c.before ? 'roles' OR c.before ? 'is_active')
       AND (a.user_id = c.row_id OR a.user_id IS NULL AND s.name NOT LIKE 'command:%')
    """,
)
POWER = Rule(
    "power_by_two",
    "roles, access, a password or a second factor were given by fewer than two administrators",
    "staff_user",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE (c.relation = 'staff_user'
            AND (c.after ? 'roles' OR c.before ->> 'is_active' = 'false'
                 OR c.after ? 'password' AND a.user_id IS DISTINCT FROM c.row_id)
            OR c.relation = 'staff_secondfactor' AND c.after ? 'ending_id')
       AND NOT EXISTS (
            SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
             WHERE d.journal_xid = c.journal_xid AND d.verdict = 'confirmed'
               AND p.kind LIKE 'staff.%'
               AND p.content ->> 'user' IN (c.row_id::text, (
                    SELECT f.user_id::text FROM staff_secondfactor f WHERE f.id = c.row_id
                       AND c.relation = 'staff_secondfactor')))
    """,
)
OPEN_DOORS = ("admin_login_post", "staff_sessions_post", "terminal_enrolment_post")
"""Doors at which nobody is signed on yet: they sign somebody on."""
# Jobs have a name of the form `task:NAME` or `command:NAME`, or are one of these. The last one
# stands in journals: nights ended plays by it, until their own name did.
_JOBS = ("clock.watch", "keys.mark", "migrate", "promotrot.voucher_secret", "promotrot.unfinished")


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


NOBODY = Rule(
    "act_of_somebody",
    "it names no person, no terminal and no job of the program: it was written by hand",
    "journal_act",
    f"""
    SELECT 'journal_act', a.journal_xid, a.journal_xid
      FROM journal_act a LEFT JOIN journal_source s ON s.id = a.source_id
     WHERE a.user_id IS NULL AND a.terminal_id IS NULL
       AND coalesce(s.name, '') !~ '^(task|command):.'
       AND coalesce(s.name, '') NOT IN ({_names(_JOBS + OPEN_DOORS)})
    """,
)
# What an open door writes is about people and places: sessions, tokens, tries.
_OF_SIGNING_ON = ("api_", "database_", "django_", "journal_", "premises_", "staff_", "traffic_")
AT_THE_DOOR = Rule(
    "open_door_signs_on_only",
    "it was written where nobody is signed on",
    "journal_act",
    f"""
    WITH open AS MATERIALIZED (
        SELECT journal_xid FROM journal_act
         WHERE user_id IS NULL AND terminal_id IS NULL
           AND source_id IN (SELECT id FROM journal_source WHERE name IN ({_names(OPEN_DOORS)}))
           AND journal_xid >= {FIRST} AND journal_xid < {END})
    """
    + " UNION ALL ".join(
        f"SELECT '{table.name}', t.{table.key}::bigint, t.journal_xid"
        f" FROM {table.name} t JOIN open USING (journal_xid)"
        for table in journaled()
        if not table.name.startswith(_OF_SIGNING_ON)
    ),
)
# The person and session in the row are those of the act.
_DECIDED = """
    SELECT '{table}', t.id, t.journal_xid
      FROM {table} t JOIN journal_act a ON a.journal_xid = t.journal_xid
     WHERE a.user_id <> t.{who}_by_id OR a.session_id <> t.{who}_in_id
"""
PROPOSED = Rule(
    "proposer_is_who_acted",
    "the proposer is not the person who acted",
    "staff_proposal",
    _DECIDED.format(table="staff_proposal", who="proposed"),
)
DECIDED = Rule(
    "decider_is_who_acted",
    "the second person is not the person who acted",
    "staff_decision",
    _DECIDED.format(table="staff_decision", who="decided"),
)
MARKED = Rule(
    "decided_with_its_decision",
    "it is listed as waiting though it was decided, or the reverse",
    "staff_proposal",
    """
    SELECT 'staff_proposal', t.id, t.journal_xid FROM staff_proposal t
     WHERE t.decided <> EXISTS (SELECT FROM staff_decision d WHERE d.proposal_id = t.id)
    """,
)
SAME = Rule(
    "two_persons",
    "one person, or one session, both proposed and confirmed",
    "staff_decision",
    """
    SELECT 'staff_decision', d.id, d.journal_xid
      FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
     WHERE d.verdict = 'confirmed'
       AND (d.decided_by_id = p.proposed_by_id OR d.decided_in_id = p.proposed_in_id
            OR (d.proposed_by_id, d.proposed_in_id) <> (p.proposed_by_id, p.proposed_in_id))
    """,
)
# The figure of each version of the regulation, as rows of its day and its seconds.
_WAITS = ", ".join(
    f"(date '{version.in_force_from}', {version.second_person_after_s})"
    for version in shipped().versions
)
WAITED = Rule(
    "second_person_waited",
    "the second person's account had been given something too short a time before",
    "staff_decision",
    f"""
    SELECT 'staff_decision', d.id, d.journal_xid
      FROM staff_decision d JOIN staff_user u ON u.id = d.decided_by_id
     WHERE d.verdict = 'confirmed' AND EXISTS (
        SELECT FROM staff_decision g JOIN staff_proposal p ON p.id = g.proposal_id
         WHERE g.verdict = 'confirmed' AND p.kind LIKE 'staff.%' AND g.decided_at < d.decided_at
           AND (p.content ->> 'user' = u.id::text
                OR p.kind = 'staff.account' AND p.content ->> 'username' = u.username)
           AND d.decided_at - g.decided_at < interval '1 second' * (
                SELECT s FROM (VALUES {_WAITS}) w (day, s)
                 WHERE day <= (g.decided_at AT TIME ZONE 'Europe/Madrid')::date
                 ORDER BY day DESC LIMIT 1))
    """,
)
LAPSED = Rule(
    "proposal_not_lapsed",
    "it was confirmed after its time, or after its proposer's account was closed or changed",
    "staff_decision",
    """
    SELECT 'staff_decision', d.id, d.journal_xid
      FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
      JOIN staff_user u ON u.id = p.proposed_by_id
     WHERE d.verdict = 'confirmed' AND p.good_until IS NOT NULL
       AND (d.decided_at > p.good_until OR EXISTS (
            SELECT FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
             WHERE c.relation = 'staff_user' AND c.row_id = u.id
               AND (c.after ? 'given_id' OR c.after ->> 'is_active' = 'false')
               AND a.at > p.proposed_at AND a.at < d.decided_at
               AND a.journal_xid <> d.journal_xid))
    """,
)

LINEAGE_BEGUN = Rule(
    "lineage_by_command",
    "a lineage of the journal was begun by something else than a command",
    "proofs_logentry",
    f"""
    SELECT 'proofs_logentry', e.id, e.journal_xid
      FROM proofs_logentry e JOIN journal_act a ON a.journal_xid = e.journal_xid
      JOIN journal_source s ON s.id = a.source_id
     WHERE e.kind = '{LINEAGE}' AND s.name NOT LIKE 'command:%'
    """,
)

# The journal's acts name persons and terminals without an `id` of their own.
_THERE = (there(model) for model in guarded_models() if model is not Act)

RULES: tuple[Rule, ...] = (
    *(rule for rule in _THERE if rule),
    CLOCK,
    AUTHORISATION,
    ENDED_IN_THE_PAST,
    TERMINAL,
    LIFTED,
    ROLES,
    POWER,
    PROPOSED,
    MARKED,
    DECIDED,
    SAME,
    NOBODY,
    AT_THE_DOOR,
    WAITED,
    LAPSED,
    LINEAGE_BEGUN,
    stamped("django_admin_log", "action_time", user="user_id"),
    stamped("api_firstanswer", "answered_at", user="user_id"),
    stamped("ledger_account", "opened_at"),
    stamped("ledger_transfer", "at"),
    stamped("proofs_logentry", "at"),
    published("proofs_signingkey", "proofs.key", "t.key_id"),
    with_parent("staff_newpassword", "staff_proposal", "proposal_id"),
    stamped("staff_proposal", "proposed_at"),
    stamped("staff_decision", "decided_at"),
    stamped("staff_secondfactor", "begun_at", user="user_id"),
    stamped("staff_staffsession", "started_at", user="user_id"),
    stamped("staff_user", "created_at"),
    stamped("premises_burntrequest", "burnt_at", terminal="terminal_id"),
    stamped("premises_authorisation", "recorded_at"),
    confirmed("premises_authorisation"),
    as_named("premises_authorisation"),
    stamped("premises_enrolment", "allowed_at"),
    confirmed("premises_enrolment"),
    as_named("premises_enrolment"),
    ENROLMENT_CODE,
    stamped("premises_operator", "created_at", user="created_by_id"),
    stamped("premises_formertoken", "replaced_at", terminal="terminal_id"),
    stamped("premises_terminalcopy", "seen_at", terminal="terminal_id"),
    stamped("premises_operatorsession", "started_at", terminal="terminal_id"),
    stamped("premises_premises", "created_at"),
    confirmed("premises_premises"),
    as_named("premises_premises"),
    stamped("premises_resolution", "entered_at"),
    confirmed("premises_resolution"),
    as_named("premises_resolution"),
    stamped(
        "premises_suspension",
        "since",
        user="suspended_by_id",
        session="suspended_in_id",
        only="t.resolution_id IS NULL",
    ),
    stamped("premises_terminal", "created_at"),
    confirmed("premises_terminal"),
    as_named("premises_terminal"),
)
