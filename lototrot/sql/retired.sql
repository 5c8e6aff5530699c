-- Prints are retired only of contests that are ordered and have lapsed, and of no ticket on which
-- somebody may still have a right.
CREATE OR REPLACE FUNCTION lototrot_guard_retired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lototrot_printconfirmation p JOIN lototrot_ticket t ON t.id = p.ticket_id
          JOIN lototrot_contest c ON c.id = t.contest_id
         WHERE p.id BETWEEN NEW.first_row AND NEW.last_row
           AND (c.state <> 'ordered'
                OR NOT EXISTS (SELECT FROM lototrot_lapse l WHERE l.contest_id = c.id)
                OR c.day > (SELECT d.last_day FROM periods_retirement r
                              JOIN periods_closedperiod d ON d.id = r.period_id
                             WHERE r.id = NEW.retirement_id)
                OR EXISTS (SELECT FROM payoffice_claim k
                            WHERE k.game = 'lototrot' AND k.document_id = t.id
                              AND k.state IN ('early', 'presented', 'held', 'granted')))) THEN
        RAISE EXCEPTION 'prints % to %: a contest or a right of them is not finished',
            NEW.first_row, NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER finished BEFORE INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'lototrot_printconfirmation')
    EXECUTE FUNCTION lototrot_guard_retired();
