-- Refuse what takes effect in the past, unless two persons entered a resolution that says so, and to
-- lift a suspension by a resolution, unless two persons do [E10].

-- Return the instant before which an act of this transaction takes effect in the past: a minute
-- before the transaction began, on the clock of the acts.
CREATE OR REPLACE FUNCTION premises_past() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT core_now() - (clock_timestamp() - transaction_timestamp()) - interval '1 minute'
$$;

CREATE OR REPLACE FUNCTION premises_need_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_row jsonb := to_jsonb(NEW);
    v_at timestamptz := (v_row ->> TG_ARGV[0])::timestamptz;
BEGIN
    IF v_at < premises_past() AND NOT EXISTS (
        SELECT FROM premises_resolution r
         WHERE r.effect = TG_ARGV[1] AND r.effective_at = v_at
           AND NEW.id = CASE TG_ARGV[1]
               WHEN 'authorisation_ended' THEN r.authorisation_id
               WHEN 'terminal_revoked' THEN r.terminal_id
               ELSE CASE WHEN r.id = (v_row ->> 'resolution_id')::bigint THEN NEW.id END END) THEN
        RAISE EXCEPTION 'table %: two persons enter what takes effect in the past', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER past_needs_resolution BEFORE UPDATE ON premises_authorisation
    FOR EACH ROW WHEN (NEW.valid_until IS DISTINCT FROM OLD.valid_until)
    EXECUTE FUNCTION premises_need_resolution('valid_until', 'authorisation_ended');
CREATE OR REPLACE TRIGGER past_needs_resolution BEFORE UPDATE ON premises_terminal
    FOR EACH ROW WHEN (NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
    EXECUTE FUNCTION premises_need_resolution('revoked_at', 'terminal_revoked');
CREATE OR REPLACE TRIGGER past_needs_resolution BEFORE INSERT ON premises_suspension
    FOR EACH ROW EXECUTE FUNCTION premises_need_resolution('since', 'sales_suspended');

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON premises_resolution
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'premises.resolution');

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r premises_resolution) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'effect', 'reference')
       AND (p.content ->> 'effective_at')::timestamptz = r.effective_at
       AND (p.content ->> 'authorisation', p.content ->> 'premises', p.content ->> 'terminal')
           IS NOT DISTINCT FROM (r.authorisation_id::text,
            (SELECT m.code FROM premises_premises m WHERE m.id = r.premises_id),
            (SELECT t.code FROM premises_terminal t WHERE t.id = r.terminal_id))
$$;

-- A suspension by a resolution is lifted once, by two persons, and no earlier than they decide. The
-- second of them lifts it, by a proposal about it or about its premises with it among those in force.
CREATE OR REPLACE FUNCTION premises_guard_lifting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.lifted_at IS NOT NULL OR NOT EXISTS (
        SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
         WHERE d.verdict = 'confirmed' AND d.decided_by_id = NEW.lifted_by_id
           AND d.decided_at <= NEW.lifted_at
           AND (p.kind = 'premises.resuming' AND p.subject = 'resuming:' || NEW.id
                AND p.content -> 'suspension' = to_jsonb(NEW.id)
                OR p.kind = 'premises.lifting'
                AND p.content -> 'premises' @> jsonb_build_array(
                        jsonb_build_object('standing', jsonb_build_array(NEW.id))))) THEN
        RAISE EXCEPTION 'suspension %: two persons lift one that is by a resolution', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE ON premises_suspension
    FOR EACH ROW WHEN (OLD.resolution_id IS NOT NULL) EXECUTE FUNCTION premises_guard_lifting();
