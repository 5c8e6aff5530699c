-- Refuse what takes effect in the past, unless two persons entered a resolution that says so [E10].

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
