-- Refuse an entry that does not follow the last one by number and digest: the log is one chain.
-- Refuse one under a key that was not introduced yet or was replaced; a key that is rotated signs the
-- entry of its replacement last.
CREATE OR REPLACE FUNCTION proofs_guard_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_last record;
    v_key record;
BEGIN
    SELECT sequence, digest INTO v_last FROM proofs_logentry ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(v_last.sequence, 0) + 1
       OR NEW.previous <> coalesce(v_last.digest, decode(repeat('00', 32), 'hex')) THEN
        RAISE EXCEPTION 'entry % does not follow the last one', NEW.sequence
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT * INTO v_key FROM proofs_signingkey k WHERE k.id = NEW.key_id;
    IF NEW.sequence < v_key.first_sequence OR NEW.sequence > v_key.until_sequence
       OR (NEW.sequence = v_key.until_sequence AND v_key.ended_by <> 'rotation') THEN
        RAISE EXCEPTION 'entry % is under a key that is not in force', NEW.sequence
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER chain BEFORE INSERT ON proofs_logentry
    FOR EACH ROW EXECUTE FUNCTION proofs_guard_entry();
