-- Refuse a row unless two persons confirmed it: in this act, and this very row. Triggers of acts of two
-- persons call this. The first argument is the column that holds the proposal; the others are the kinds
-- allowed. A constraint on the decision ensures that it is by another person in another session.
-- What a proposal must say of a row is stated once for each table, as staff_proposes(proposal, row); the
-- journal's rule `as_named` asks the same. Each act of two persons is carried out with its confirmation, so
-- a decision of another act carries out nothing.
CREATE OR REPLACE FUNCTION staff_need_confirmed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_id bigint;
    v_proposal staff_proposal;
    v_xid bigint;
BEGIN
    IF TG_ARGV[0] = 'proposal_id' THEN
        v_id := NEW.proposal_id;  -- the usual one, without a document of the row
    ELSE
        v_id := to_jsonb(NEW) ->> TG_ARGV[0];
    END IF;
    SELECT p.* INTO v_proposal FROM staff_proposal p WHERE p.id = v_id AND p.kind = ANY (TG_ARGV[1:]);
    SELECT d.journal_xid INTO v_xid FROM staff_decision d
     WHERE d.proposal_id = v_proposal.id AND d.verdict = 'confirmed';
    IF v_xid IS NULL THEN
        RAISE EXCEPTION 'table %: two persons are needed', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF v_xid <> journal_number() THEN
        RAISE EXCEPTION 'table %: two persons decided that in another act', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF staff_proposes(v_proposal, NEW) IS NOT TRUE THEN
        RAISE EXCEPTION 'table %: two persons confirmed another', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Return whether a proposal's content says the same as a row under each of the names.
CREATE OR REPLACE FUNCTION staff_same(p_content jsonb, p_row jsonb, VARIADIC p_names text[])
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT NOT EXISTS (SELECT FROM unnest(p_names) AS each (name)
                        WHERE p_content -> each.name IS DISTINCT FROM p_row -> each.name)
$$;

-- Return whether the person who confirmed a proposal has one of the roles. Triggers call this where
-- the second person is of another office than the first.
CREATE OR REPLACE FUNCTION staff_second_is(p_proposal bigint, VARIADIC p_roles text[])
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM staff_decision d JOIN staff_user u ON u.id = d.decided_by_id
         WHERE d.proposal_id = p_proposal AND d.verdict = 'confirmed'
           AND u.roles::text[] && p_roles)
$$;

-- Return whether a proposal has lapsed: it is too old, or its proposer's account was closed or given
-- anything since.
CREATE OR REPLACE FUNCTION staff_lapsed(p_proposal bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM staff_proposal p JOIN staff_user u ON u.id = p.proposed_by_id
          LEFT JOIN staff_decision g ON g.proposal_id = u.given_id
         WHERE p.id = p_proposal AND p.good_until IS NOT NULL
           AND (p.good_until < core_now() OR NOT u.is_active OR g.decided_at > p.proposed_at))
$$;

-- Refuse that a proposal is confirmed by somebody whose account was given anything shortly before, or
-- when it has lapsed.
CREATE OR REPLACE FUNCTION staff_guard_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM staff_user u
                WHERE u.id = NEW.decided_by_id AND u.second_from > core_now()) THEN
        RAISE EXCEPTION 'proposal %: the second person''s account is too new', NEW.proposal_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF staff_lapsed(NEW.proposal_id) THEN
        RAISE EXCEPTION 'proposal %: it has lapsed', NEW.proposal_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER second_person BEFORE INSERT ON staff_decision
    FOR EACH ROW WHEN (NEW.verdict = 'confirmed') EXECUTE FUNCTION staff_guard_decision();

-- Refuse a mark that is not true: a proposal that only looks decided would be hidden from those who
-- decide it.
CREATE OR REPLACE FUNCTION staff_guard_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.decided <> EXISTS (SELECT FROM staff_decision d WHERE d.proposal_id = NEW.id) THEN
        RAISE EXCEPTION 'proposal %: the database marks it as decided with its decision', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER marked_truly BEFORE INSERT OR UPDATE OF decided ON staff_proposal
    FOR EACH ROW EXECUTE FUNCTION staff_guard_decided();

-- Mark a proposal with its decision.
CREATE OR REPLACE FUNCTION staff_mark_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE staff_proposal SET decided = true WHERE id = NEW.proposal_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER decided AFTER INSERT ON staff_decision
    FOR EACH ROW EXECUTE FUNCTION staff_mark_decided();

-- Refuse that somebody whose account is new gives power: who gave it may hold it, and would confirm.
CREATE OR REPLACE FUNCTION staff_guard_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM staff_user u
                WHERE u.id = NEW.proposed_by_id AND u.second_from > core_now()) THEN
        RAISE EXCEPTION 'proposal %: the proposer''s account is too new to give power', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER first_person BEFORE INSERT ON staff_proposal
    FOR EACH ROW WHEN (NEW.kind LIKE 'staff.%') EXECUTE FUNCTION staff_guard_proposal();
