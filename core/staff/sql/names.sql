-- A name is erased by taking its key, once and for ever, of a person who is gone: by two persons in
-- the same transaction (`periods.names`), or by the command that erases again in a restored backup
-- what the public log calls erased. Triggers call this; the argument is the field of the proposal
-- that lists the rows.
CREATE OR REPLACE FUNCTION staff_guard_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.name_key IS NULL OR NEW.name_key IS NOT NULL OR NEW.name_erased_at IS NULL
       OR NEW.is_active THEN
        RAISE EXCEPTION 'table %: a name is only erased, once, of a person who is gone',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    IF split_part(coalesce(current_setting('core.act', true), ''), '|', 1)
           <> 'command:names_erase_again'
       AND NOT EXISTS (
        SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
         WHERE p.kind = 'periods.names' AND d.verdict = 'confirmed'
           AND d.journal_xid = journal_number()
           AND p.content -> TG_ARGV[0] @> to_jsonb(NEW.id)) THEN
        RAISE EXCEPTION 'table %: two persons are needed', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER name_erased BEFORE UPDATE OF name_key, name_erased_at ON staff_user
    FOR EACH ROW EXECUTE FUNCTION staff_guard_name('names_of_staff');
