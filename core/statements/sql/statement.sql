-- Return the UUID of the statement of a week, or of its nth payment (core/statements/weeks.py, ident).
CREATE OR REPLACE FUNCTION statements_ident(p_premises bigint, p_from date, p_payment integer)
RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(p_from - DATE '0001-01-01' + 1), 8, '0') || '-'
         || lpad(to_hex(p_payment), 4, '0') || '-8000-8000-'
         || lpad(to_hex(p_premises), 12, '0'))::uuid
$$;

-- Statements of premises follow on each other: numbers, weeks and balances without a gap. A foreign key
-- to the premises would lock them for each statement, and no premises are ever deleted.
CREATE OR REPLACE FUNCTION statements_guard_statement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_last record;
BEGIN
    SELECT s.number, s.week_to, s.closing_cents INTO v_last
      FROM statements_statement s WHERE s.premises_id = NEW.premises_id
     ORDER BY s.number DESC LIMIT 1;
    IF NEW.week_to <> NEW.week_from + 6
       OR NEW.number <> coalesce(v_last.number, 0) + 1
       OR NEW.week_from <> coalesce(v_last.week_to + 1, NEW.week_from)
       OR NEW.opening_cents <> coalesce(v_last.closing_cents, 0) THEN
        RAISE EXCEPTION 'statement % of premises % does not follow on the last',
            NEW.number, NEW.premises_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.uuid <> statements_ident(
           p_premises => NEW.premises_id, p_from => NEW.week_from, p_payment => 0) THEN
        RAISE EXCEPTION 'statement % of premises % has another UUID', NEW.number, NEW.premises_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM premises_premises p WHERE p.id = NEW.premises_id) THEN
        RAISE EXCEPTION 'there are no premises %', NEW.premises_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER statement_follows BEFORE INSERT ON statements_statement
    FOR EACH ROW EXECUTE FUNCTION statements_guard_statement();

-- A payment is of a statement of its premises, and of none that leaves. A foreign key would lock both. No bank
-- movement is recorded again of premises, also where the first payment has left with its month.
-- Its UUID follows from its number, so that two have not the same. Two persons decide about it where other
-- premises have a part of the same bank movement, and name these.
CREATE OR REPLACE FUNCTION statements_guard_remittance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_from date;
    v_left bigint[];
    v_also_of jsonb;
BEGIN
    SELECT s.week_from INTO v_from FROM statements_statement s
     WHERE s.id = NEW.statement_id AND s.premises_id = NEW.premises_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'premises % have no statement %', NEW.premises_id, NEW.statement_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF NEW.number < 1
       OR NEW.uuid <> statements_ident(
           p_premises => NEW.premises_id, p_from => v_from, p_payment => NEW.number) THEN
        RAISE EXCEPTION 'payment % of statement % has another UUID', NEW.number, NEW.statement_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM pg_advisory_xact_lock({lock.statement}, 2147483647);
    IF periods_retired_by(p_relation => 'statements_statement', p_row => NEW.statement_id) > 0
       AND statements_statement_leaves(NEW.statement_id) THEN
        RAISE EXCEPTION 'statement %: it is settled, and was retired', NEW.statement_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT array_agg(p.id) INTO v_left FROM statements_movement_left(NEW.reference) p(id);
    IF NEW.premises_id = ANY (v_left) THEN
        RAISE EXCEPTION 'payment % of statement %: the bank movement was recorded before',
            NEW.number, NEW.statement_id USING ERRCODE = 'unique_violation';
    END IF;
    SELECT coalesce(jsonb_agg(o.code ORDER BY o.code COLLATE "C"), '[]') INTO v_also_of
      FROM premises_premises o
     WHERE o.id <> NEW.premises_id AND (o.id = ANY (v_left) OR o.id IN (
           SELECT r.premises_id FROM statements_remittance r
            WHERE upper(r.reference) = upper(NEW.reference)));
    IF NEW.proposal_id IS NULL AND v_also_of <> '[]' THEN
        RAISE EXCEPTION 'payment % of statement %: other premises have a part of the bank movement',
            NEW.number, NEW.statement_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.proposal_id IS NOT NULL AND NOT EXISTS (
           SELECT FROM staff_proposal p
            WHERE p.id = NEW.proposal_id
              AND coalesce(p.content -> 'also_of', '[]') = v_also_of) THEN
        RAISE EXCEPTION 'payment % of statement %: two persons named other premises',
            NEW.number, NEW.statement_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A bank movement is a payment of a statement or gives back a loss by a cheque, and not both: the same
-- money would count twice. The lock is that of all bank movements.
CREATE OR REPLACE FUNCTION statements_guard_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({lock.statement}, 2147483647);
    IF EXISTS (SELECT FROM payoffice_chequerecovery c
                WHERE upper(c.reference) = upper(NEW.reference) AND c.reversed_at IS NULL)
       AND (EXISTS (SELECT FROM statements_remittance r WHERE upper(r.reference) = upper(NEW.reference))
            OR EXISTS (SELECT FROM statements_movement_left(NEW.reference))) THEN
        RAISE EXCEPTION 'bank movement %: it would count twice', NEW.reference
            USING ERRCODE = 'unique_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER movement_once AFTER INSERT ON statements_remittance
    FOR EACH ROW EXECUTE FUNCTION statements_guard_movement();
CREATE OR REPLACE TRIGGER movement_once AFTER INSERT ON payoffice_chequerecovery
    FOR EACH ROW EXECUTE FUNCTION statements_guard_movement();

CREATE OR REPLACE TRIGGER of_statement BEFORE INSERT ON statements_remittance
    FOR EACH ROW EXECUTE FUNCTION statements_guard_remittance();

-- Two persons set a commission and a limit, and record a large remittance.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_guaranteelimit
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.guarantee',
        'statements.guarantees');
-- A limit is the one that two persons named, for premises that they named: one or a list of them. It begins
-- when they say, or when they decide if that is later.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r statements_guaranteelimit) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'limit_cents', 'minute_cap_cents', 'reference')
       AND (p.content -> 'premises' = to_jsonb(m.code)
            OR p.content -> 'premises' @> jsonb_build_array(jsonb_build_object('premises', m.code)))
       AND r.in_force_from IN (
           coalesce((p.content ->> 'in_force_from')::timestamptz, r.recorded_at),
           greatest((p.content ->> 'in_force_from')::timestamptz, r.recorded_at))
      FROM premises_premises m WHERE m.id = r.premises_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r statements_commissionrate) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'game', 'percent', 'in_force_from', 'reference')
       AND p.content ->> 'premises' IS NOT DISTINCT FROM (
           SELECT m.code FROM premises_premises m WHERE m.id = r.premises_id)
$$;

-- Its statement leaves with it.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r statements_remittance) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'amount_cents', 'paid_on', 'reference')
       AND p.content ->> 'statement' = (
           SELECT s.uuid::text FROM statements_statement s WHERE s.id = r.statement_id)
$$;

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_commissionrate
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.rate');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_remittance
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.remittance');
