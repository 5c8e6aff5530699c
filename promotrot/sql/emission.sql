-- Check the states of emissions: each state needs its record, a lane gives one ticket at a time, and
-- an act of two persons needs two persons.
CREATE OR REPLACE FUNCTION promotrot_guard_emission() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_lanes record;
BEGIN
    IF NEW.state = OLD.state THEN
        RETURN NEW;
    END IF;
    SELECT coalesce(sum(tickets), 0) AS tickets, coalesce(bool_or(open), false) AS open,
           coalesce(bool_and(open), false) AS all_open INTO v_lanes
      FROM promotrot_lane WHERE emission_id = OLD.id;
    IF NOT (CASE NEW.state
        WHEN 'committed' THEN
            EXISTS (SELECT FROM promotrot_commitment WHERE emission_id = OLD.id)
        WHEN 'mixed' THEN
            EXISTS (SELECT FROM promotrot_witnessentropy WHERE emission_id = OLD.id)
        WHEN 'open' THEN
            (OLD.state = 'mixed') = (OLD.plan IS NOT NULL) AND v_lanes.tickets = OLD.tickets AND v_lanes.all_open
            AND EXISTS (SELECT FROM promotrot_opening WHERE emission_id = OLD.id)
        WHEN 'stopped' THEN
            NOT v_lanes.open AND EXISTS (SELECT FROM promotrot_salestop WHERE emission_id = OLD.id)
        WHEN 'closed' THEN
            NOT v_lanes.open
            AND EXISTS (SELECT FROM promotrot_closingstatement WHERE emission_id = OLD.id)
        WHEN 'revealed' THEN
            EXISTS (SELECT FROM promotrot_seedreveal WHERE emission_id = OLD.id)
        WHEN 'abandoned' THEN
            EXISTS (SELECT FROM promotrot_gameending WHERE game_id = OLD.game_id)
        ELSE false END) THEN
        RAISE EXCEPTION 'emission %: it cannot become % yet', OLD.id, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION promotrot_guard_lane() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.open AND NOT OLD.open OR NEW.taken NOT IN (OLD.taken, OLD.taken + 1)
       OR NEW.taken > OLD.taken AND NOT OLD.open THEN
        RAISE EXCEPTION 'lane %: it is taken from one ticket at a time, until it is shut', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse lanes once the sale has begun.
CREATE OR REPLACE FUNCTION promotrot_guard_new_lane() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM made m JOIN promotrot_emission e ON e.id = m.emission_id
                WHERE e.state NOT IN ('draft', 'mixed') OR m.taken <> 0) THEN
        RAISE EXCEPTION 'lanes are made when their emission is opened'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- Refuse a witness before the commitment or by the same person, and other dice or balls than its own;
-- and one who is no inspector, or whose account is new: the person who gave it may hold it.
CREATE OR REPLACE FUNCTION promotrot_guard_witness() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM promotrot_commitment c
         WHERE c.emission_id = NEW.emission_id AND (c.source <> NEW.source
            OR c.pieces <> cardinality(string_to_array(NEW.entropy, ' ')))) THEN
        RAISE EXCEPTION 'emission %: the dice or balls are those committed to', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM promotrot_commitment c
         WHERE c.emission_id = NEW.emission_id AND c.committed_by_id <> NEW.entered_by_id
           AND c.committed_at <= NEW.entered_at) THEN
        RAISE EXCEPTION 'emission %: another person witnesses, after the commitment', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM staff_user u JOIN staff_staffsession s ON s.user_id = u.id
         WHERE u.id = NEW.entered_by_id AND s.id = NEW.entered_in_id AND u.appointment <> ''
           AND 'inspector' = ANY (u.roles) AND (u.second_from > core_now()) IS NOT TRUE) THEN
        RAISE EXCEPTION 'emission %: an inspector witnesses, whose account is not new',
            NEW.emission_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse to publish a seed before the closing, or before the game's end left the emission unsold.
CREATE OR REPLACE FUNCTION promotrot_guard_reveal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_emission e
         WHERE e.id = NEW.emission_id AND e.state IN ('closed', 'abandoned')) THEN
        RAISE EXCEPTION 'emission %: a seed is revealed after the closing', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse an emission without an approved version, of an ended game, or while another one waits to be
-- put on sale. So nobody can look at a key and choose another one instead.
CREATE OR REPLACE FUNCTION promotrot_guard_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_gameapproval a JOIN promotrot_gameversion v ON v.id = a.version_id
         WHERE a.id = NEW.approval_id AND v.game_id = NEW.game_id)
       OR EXISTS (SELECT FROM promotrot_gameending g WHERE g.game_id = NEW.game_id)
       OR EXISTS (SELECT FROM promotrot_emission e WHERE e.game_id = NEW.game_id
                     AND e.state IN ('draft', 'committed', 'mixed'))
       OR NEW.state <> 'draft' THEN
        RAISE EXCEPTION 'emission %: it is planned from an approved version of its game',
            NEW.reference USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse a prize that is not of the act that plans its emission: one that comes later was in no terms
-- that two persons read, and an award could name it (15.II.2).
CREATE OR REPLACE FUNCTION promotrot_guard_tier() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_emission e WHERE e.id = NEW.emission_id
           AND e.state = 'draft' AND e.journal_xid = journal_number()) THEN
        RAISE EXCEPTION 'emission %: its prizes are those of its plan', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse to end a game that is on sale, or with another debt than its last closing states; or to draw
-- that among no ticket, unless the price of each one is due back.
CREATE OR REPLACE FUNCTION promotrot_guard_ending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM promotrot_emission e
                WHERE e.game_id = NEW.game_id AND e.state IN ('open', 'stopped'))
       OR NEW.owed_cents <> coalesce((
            SELECT c.owed_cents FROM promotrot_closingstatement c
             WHERE c.game_id = NEW.game_id ORDER BY c.sequence DESC LIMIT 1), 0)
       OR NEW.owed_cents > 0 AND NEW.winners = 0 AND (EXISTS (
            SELECT FROM promotrot_playticket t JOIN promotrot_emission e ON e.id = t.emission_id
              LEFT JOIN promotrot_playend p ON p.ticket_id = t.id
             WHERE e.game_id = NEW.game_id AND p.cause IS DISTINCT FROM 'refund') OR EXISTS (
            SELECT FROM promotrot_retiredplays l JOIN promotrot_emission e ON e.id = l.emission_id
             WHERE e.game_id = NEW.game_id)) THEN
        RAISE EXCEPTION 'game %: it is on sale, or owes another sum or tickets', NEW.game_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse a closing with other counts or sums than those of its plays, its vouchers and the closing before:
-- only its statement says later which plays had ended by then [P1, P2]. Plays that win nothing end, and vouchers
-- are paid, while it is counted: what is unfinished and unclaimed may have become less since.
CREATE OR REPLACE FUNCTION promotrot_guard_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_emission e CROSS JOIN LATERAL (
            SELECT count(*) AS sold, count(*) FILTER (WHERE p.cause = 'refund') AS refunded,
                   count(*) FILTER (WHERE p.ticket_id IS NULL) AS unfinished,
                   coalesce(sum(p.awarded_cents), 0) AS awarded, coalesce(sum(p.extra_cents), 0) AS extra
              FROM promotrot_playticket t LEFT JOIN promotrot_playend p ON p.ticket_id = t.id
             WHERE t.emission_id = e.id) s
         CROSS JOIN LATERAL (
            SELECT coalesce(sum(v.amount_cents), 0) AS unclaimed
              FROM promotrot_voucher v JOIN promotrot_playticket t ON t.id = v.ticket_id
             WHERE t.emission_id = e.id AND v.nature IN ('cash', 'in_kind') AND NOT EXISTS (
                SELECT FROM payoffice_claim c WHERE c.game = 'promotrot' AND c.document_id = v.id)) u
         CROSS JOIN LATERAL (
            SELECT coalesce(max(c.sequence), 0) AS sequence,
                   coalesce((array_agg(c.owed_cents ORDER BY c.sequence DESC))[1], 0) AS owed
              FROM promotrot_closingstatement c WHERE c.game_id = e.game_id) b
         WHERE e.id = NEW.emission_id AND NEW.sequence = b.sequence + 1
           AND NEW.owed_cents = greatest(0, b.owed - s.extra) + NEW.shortfall_cents
           AND NEW.document @> jsonb_build_object(
               'tickets', e.tickets, 'sold', s.sold, 'unsold', e.tickets - s.sold, 'refunded', s.refunded,
               'price_cents', e.price_cents,
               'takings_cents', (s.sold - s.refunded) * e.price_cents, 'awarded_cents', s.awarded,
               'extra_awarded_cents', s.extra,
               'owed_before_cents', b.owed, 'owed_cents', NEW.owed_cents,
               'shortfall_cents', NEW.shortfall_cents)
           AND (NEW.document ->> 'unfinished')::bigint >= s.unfinished
           AND (NEW.document ->> 'unclaimed_cents')::bigint >= u.unclaimed) THEN
        RAISE EXCEPTION 'emission %: its plays give other figures', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- What is short is what the percentage for prizes, as it was posted, has beyond the awards; and the takings
-- are divided.
CREATE OR REPLACE FUNCTION promotrot_check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.shortfall_cents <> (
        SELECT greatest(0, coalesce(sum(x.amount_cents), 0) - (NEW.document ->> 'awarded_cents')::bigint)
          FROM ledger_transfer x JOIN staff_proposal p ON p.uuid = x.reference
         WHERE p.id = NEW.proposal_id AND x.kind = 'promotrot.minimum')
       OR 0 <> (
        SELECT coalesce(sum(b.cents), 0) FROM ledger_standing b WHERE b.account_id = (
            SELECT a.id FROM ledger_account a JOIN promotrot_emission e
                ON a.code = 'promotrot:' || e.reference || ':takings' WHERE e.id = NEW.emission_id)) THEN
        RAISE EXCEPTION 'emission %: other sums were posted', NEW.emission_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER with_counts BEFORE INSERT ON promotrot_closingstatement
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_closing();
-- A constraint trigger cannot be replaced, so it is dropped and created again.
DROP TRIGGER IF EXISTS as_posted ON promotrot_closingstatement;
CREATE CONSTRAINT TRIGGER as_posted AFTER INSERT ON promotrot_closingstatement
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION promotrot_check_closing();

-- Refuse that a lane is shut while its emission stays on sale: what the lane still had would be kept, with its
-- prizes, and the other lanes sold on.
CREATE OR REPLACE FUNCTION promotrot_guard_shut() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM promotrot_emission e WHERE e.id = NEW.emission_id AND e.state = 'open') THEN
        RAISE EXCEPTION 'lane %: its emission is on sale', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS shut ON promotrot_lane;
CREATE CONSTRAINT TRIGGER shut AFTER UPDATE OF open ON promotrot_lane
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.open AND NOT NEW.open AND NEW.taken < NEW.tickets)
    EXECUTE FUNCTION promotrot_guard_shut();

CREATE OR REPLACE TRIGGER planned BEFORE INSERT ON promotrot_emission
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_plan();
CREATE OR REPLACE TRIGGER with_plan BEFORE INSERT ON promotrot_prizetier
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_tier();
CREATE OR REPLACE TRIGGER on_record BEFORE UPDATE ON promotrot_emission
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_emission();
CREATE OR REPLACE TRIGGER one_at_a_time BEFORE UPDATE ON promotrot_lane
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_lane();
CREATE OR REPLACE TRIGGER at_opening AFTER INSERT ON promotrot_lane
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION promotrot_guard_new_lane();
CREATE OR REPLACE TRIGGER after_commitment BEFORE INSERT ON promotrot_witnessentropy
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_witness();
CREATE OR REPLACE TRIGGER after_closing BEFORE INSERT ON promotrot_seedreveal
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_reveal();
CREATE OR REPLACE TRIGGER off_sale BEFORE INSERT ON promotrot_gameending
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_ending();
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_gameapproval
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.approval',
        'promotrot.game');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_gameending
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.ending');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_closingstatement
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.closing');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_opening
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.opening');
