-- A session is of an operator of the premises of its terminal. Foreign keys would lock both with each
-- session; none of them is ever deleted, and neither changes its premises.
CREATE OR REPLACE FUNCTION premises_guard_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM premises_terminal t JOIN premises_operator o ON o.premises_id = t.premises_id
         WHERE t.id = NEW.terminal_id AND o.id = NEW.operator_id) THEN
        RAISE EXCEPTION 'no operator % at terminal %', NEW.operator_id, NEW.terminal_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER there BEFORE INSERT ON premises_operatorsession
    FOR EACH ROW EXECUTE FUNCTION premises_guard_session();
