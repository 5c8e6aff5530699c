-- What two persons decide about a contest, a race or a bet type is what is done: each function says what a
-- proposal must say of a row of its table (core/staff/sql/two_persons.sql).

-- Return the instant that a proposal states, or that of the stop of sales with which it came.
CREATE OR REPLACE FUNCTION lototrot_stated(p staff_proposal, p_name text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT coalesce((p.content ->> p_name)::timestamptz,
        (SELECT s.stopped_at FROM lototrot_salesstop s WHERE s.proposal_id = p.id), p.proposed_at)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_bettype) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'document', 'price_cents', 'rules', 'authorisation')
       AND (r.document -> 'code', r.document -> 'version') = (to_jsonb(r.code), to_jsonb(r.version))
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_figuresamendment) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'in_force_from', 'source', 'bet_type')
$$;

-- What a chain held is moved where the decision says; it is taken from the oldest day first.
CREATE OR REPLACE FUNCTION lototrot_sums(p_moves jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(jsonb_build_array(s.source, s.bet_type, s.recipient)::text, s.cents)
      FROM (SELECT m ->> 'source' AS source, m ->> 'bet_type' AS bet_type,
                   m ->> 'recipient' AS recipient, sum((m ->> 'cents')::bigint) AS cents
              FROM jsonb_array_elements(p_moves) m GROUP BY 1, 2, 3) s
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_gameend) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content ->> 'bet_type', p.content ->> 'decision') = (r.bet_type_code, r.decision)
       AND lototrot_sums(p.content -> 'destinations') IS NOT DISTINCT FROM lototrot_sums(r.moves)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_discard) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content -> 'contest', p.content ->> 'reason') = (to_jsonb(r.contest_id), r.reason)
$$;

-- A closing may be moved once the contest is on sale: the first move says what it was at the opening.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_contest) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'price_cents', 'max_bets', 'premises_cap_cents',
                      'correction_window_s', 'correction_approval')
       AND p.content -> 'contest' = to_jsonb(r.id)
       AND (p.content ->> 'scheduled_close_at')::timestamptz = coalesce(
           (SELECT s.from_at FROM lototrot_schedulechange s
             WHERE s.contest_id = r.id AND s.changed_at >= r.opened_at ORDER BY s.number LIMIT 1),
           r.scheduled_close_at)
       AND p.content ->> 'bet_type' = (
           SELECT b.code || ' ' || b.version FROM lototrot_bettype b WHERE b.id = r.bet_type_id)
       AND p.content ->> 'ticket_model' = coalesce(
           (SELECT m.code || ' ' || m.version FROM lototrot_ticketmodel m
             WHERE m.id = r.ticket_model_id), '')
       AND p.content -> 'races' = (
           SELECT jsonb_agg(l.race_id ORDER BY l.position) FROM lototrot_contestleg l
            WHERE l.contest_id = r.id)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_schedulechange) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content -> 'contest' = to_jsonb(r.contest_id)
       AND (p.content ->> 'to_at')::timestamptz = r.to_at
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_salesstop) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT p.content -> 'stop' = to_jsonb(r.id) $$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_signaldevice) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content ->> 'terminal', p.content ->> 'racecourse') = (t.code, c.code)
      FROM premises_terminal t, lototrot_racecourse c
     WHERE t.id = r.terminal_id AND c.id = r.racecourse_id
$$;

-- A withdrawal is in force since it was entered with its proposal; a reversal names it.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_withdrawal) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE p.kind
           WHEN 'lototrot.withdrawal' THEN staff_same(p.content, to_jsonb(r), 'number', 'source')
                AND p.content -> 'race' = to_jsonb(r.race_id)
                AND coalesce((p.content ->> 'effective_at')::timestamptz, r.entered_at) = r.effective_at
           WHEN 'lototrot.withdrawal_reversal' THEN
                (p.content -> 'withdrawal', p.content ->> 'reason') = (to_jsonb(r.id), r.reversed_reason)
           END
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_racestart) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content -> 'race', p.content ->> 'source') = (to_jsonb(r.race_id), r.source)
       AND lototrot_stated(p, 'actual_start_at') = r.actual_start_at
       AND (p.content ->> 'replaces')::bigint IS NOT DISTINCT FROM r.corrects_id
$$;

-- A meeting that is not run declares each of its races.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_racedeclaration) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE p.kind
           WHEN 'lototrot.declaration' THEN
                staff_same(p.content, to_jsonb(r), 'kind', 'reason', 'text', 'author', 'left')
                AND lototrot_stated(p, 'declared_at') = r.declared_at
                AND coalesce((p.content ->> 'race')::bigint, r.race_id) = r.race_id
                AND p.content -> 'meeting' = (
                    SELECT to_jsonb(e.meeting_id) FROM lototrot_race e WHERE e.id = r.race_id)
           WHEN 'lototrot.declaration_retraction' THEN p.content -> 'declaration' = to_jsonb(r.id)
           END
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_classification) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'runners', 'announced_text', 'author')
       AND p.content -> 'race' = to_jsonb(r.race_id)
       AND (p.content ->> 'announced_at')::timestamptz = r.announced_at
       AND (p.content ->> 'corrects')::bigint IS NOT DISTINCT FROM r.corrects_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_unprinted) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content -> 'contest', p.content ->> 'verdict', p.content ->> 'reason')
         = (to_jsonb(r.contest_id), r.verdict, r.reason)
$$;

-- Which tickets a proposal is about is checked for all of them together (`as_named`).
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_void) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p.kind WHEN 'lototrot.unprinted' THEN p.content ->> 'verdict' = 'void' ELSE true END
$$;

-- What is held is the prize that was ordered.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_block) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT r.prize_cents = coalesce((
               SELECT z.prize_cents FROM lototrot_ticket t
                 JOIN lototrot_settlement s ON s.contest_id = t.contest_id AND s.in_force
                 JOIN lototrot_prize z ON z.settlement_id = s.id AND z.ticket_id = t.id
                WHERE t.id = r.ticket_id), 0)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r lototrot_paymentorder) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'results_day', 'first_pay_day', 'last_claim_day')
       AND p.content -> 'contest' = to_jsonb(r.contest_id)
       AND p.content ->> 'settlement' = (
           SELECT s.uuid::text FROM lototrot_settlement s
            WHERE s.id = r.settlement_id AND s.contest_id = r.contest_id)
$$;
