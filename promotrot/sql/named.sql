-- What two persons decide about a game, an emission, a play or a voucher is what is done: each function says
-- what a proposal must say of a row of its table (core/staff/sql/two_persons.sql).
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_gameapproval) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE p.kind
           WHEN 'promotrot.game' THEN p.content -> 'document' = v.document
           ELSE (p.content ->> 'game', p.content -> 'version', p.content ->> 'digest')
                = (g.code, to_jsonb(v.version), v.digest) END
      FROM promotrot_gameversion v JOIN promotrot_game g ON g.id = v.game_id WHERE v.id = r.version_id
$$;

-- The terms of an emission are those of its plan, and never change.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_opening) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(e), 'tickets', 'price_cents', 'extra_cents', 'stop_without_top')
       AND (p.content ->> 'emission', p.content ->> 'commitment') = (e.reference, coalesce(
           (SELECT c.digest FROM promotrot_commitment c WHERE c.emission_id = e.id), ''))
      FROM promotrot_emission e WHERE e.id = r.emission_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_closingstatement) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content ->> 'emission', r.game_id) = (e.reference, e.game_id)
      FROM promotrot_emission e WHERE e.id = r.emission_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_gameending) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'owed_cents', 'winners')
       AND p.content ->> 'game' = (SELECT g.code FROM promotrot_game g WHERE g.id = r.game_id)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_debtdecision) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'cents', 'reference', 'payee')
       AND p.content ->> 'game' = (SELECT g.code FROM promotrot_game g WHERE g.id = r.game_id)
$$;

-- The play stays: one that two persons ended does not leave (promotrot_play_over).
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_officeend) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content ->> 'reason' = r.reason AND p.content ->> 'play' = (
           SELECT t.uuid::text FROM promotrot_playticket t WHERE t.id = r.ticket_id)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r promotrot_voucherhandover) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content ->> 'claim' = r.claim
       AND (p.proposed_by_id, p.proposed_in_id) = (r.handed_by_id, r.handed_in_id)
       AND p.content ->> 'voucher' = (SELECT v.uuid::text FROM promotrot_voucher v WHERE v.id = r.voucher_id)
$$;
