-- A declaration of display names a contest, a terminal and an operator. Foreign keys would lock all three
-- for each declaration, and none of them is ever deleted. The contest was put on sale, and its payment is
-- not ordered: of a month that was retired nothing is declared again, after the first declaration left.
CREATE OR REPLACE FUNCTION lototrot_guard_display() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (EXISTS (SELECT FROM lototrot_contest c WHERE c.id = NEW.contest_id)
            AND EXISTS (SELECT FROM premises_terminal t WHERE t.id = NEW.terminal_id)
            AND EXISTS (SELECT FROM premises_operator o WHERE o.id = NEW.operator_id)) THEN
        RAISE EXCEPTION 'no such contest %, terminal % or operator %',
            NEW.contest_id, NEW.terminal_id, NEW.operator_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF EXISTS (SELECT FROM lototrot_contest c WHERE c.id = NEW.contest_id
                  AND c.state IN ('draft', 'discarded', 'ordered')) THEN
        RAISE EXCEPTION 'contest % is not on sale', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER there BEFORE INSERT ON lototrot_displayacknowledgement
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_display();
