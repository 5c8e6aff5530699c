-- Refuse an entry that does not follow the last one by number and digest: the log is one chain.
CREATE OR REPLACE FUNCTION proofs_guard_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_last record;
BEGIN
    SELECT sequence, digest INTO v_last FROM proofs_logentry ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(v_last.sequence, 0) + 1
       OR NEW.previous <> coalesce(v_last.digest, decode(repeat('00', 32), 'hex')) THEN
        RAISE EXCEPTION 'entry % does not follow the last one', NEW.sequence
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER chain BEFORE INSERT ON proofs_logentry
    FOR EACH ROW EXECUTE FUNCTION proofs_guard_entry();
