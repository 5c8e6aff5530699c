"""List the rules that numbers on sale and results follow from what is on record of the races."""

from core.journal.rules import Rule

OFFERED = Rule(
    "lototrot_contest.offered",
    "the numbers on sale changed in an act that withdraws no horse and changes no race",
    "lototrot_contest",
    """
    SELECT 'lototrot_contest', c.row_id, c.journal_xid FROM journal_change c
     WHERE c.relation = 'lototrot_contest' AND c.after ? 'offered_masks'
       AND NOT EXISTS (
        SELECT FROM lototrot_contest o JOIN lototrot_race r ON r.meeting_id = o.meeting_id
          JOIN lototrot_withdrawal w ON w.race_id = r.id
         WHERE o.id = c.row_id AND (w.journal_xid = c.journal_xid OR EXISTS (
            SELECT FROM journal_change n
             WHERE n.journal_xid = c.journal_xid AND n.relation = 'lototrot_withdrawal'
               AND n.row_id = w.id AND n.after ? 'reversed_at')))
       AND NOT EXISTS (SELECT FROM lototrot_contestleg l
                        WHERE l.contest_id = c.row_id AND l.journal_xid = c.journal_xid)
       AND NOT EXISTS (SELECT FROM lototrot_contestchange o
                        WHERE o.contest_id = c.row_id AND o.journal_xid = c.journal_xid)
    """,
)
# The database refuses a second result; who owns it could write one all the same (14.III.5.4) [B13].
ONE_RESULT = Rule(
    "lototrot_racedeclaration.one_result",
    "its race has a classification too, or ran otherwise, or a race of its meeting was left out",
    "lototrot_racedeclaration",
    """
    SELECT 'lototrot_racedeclaration', t.id,
           greatest(t.journal_xid, s.journal_xid, c.journal_xid)
      FROM lototrot_racedeclaration t
      LEFT JOIN LATERAL (SELECT max(s.journal_xid) AS journal_xid FROM lototrot_racestart s
                          WHERE s.race_id = t.race_id) s ON true
      LEFT JOIN lototrot_classification c ON c.race_id = t.race_id AND c.in_force
     WHERE t.superseded_at IS NULL
       AND (c.id IS NOT NULL OR (t.kind = 'not_run') = (s.journal_xid IS NOT NULL))
        OR EXISTS (SELECT FROM lototrot_undeclared(t.proposal_id))
    """,
)
