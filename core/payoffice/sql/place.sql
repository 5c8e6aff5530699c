-- Refuse a payment of a claim that is not paid, and one by premises without an authorisation for the
-- game. The Central Office needs none (14.I.6, 14.III.10.2) [E10]. Claim, premises and session must be there:
-- foreign keys would lock them for each payment. Only claims are ever deleted, after their payments. The second of two operators is
-- signed on at a terminal of the same premises; a minute is for who signs off meanwhile. All of it is one query, and
-- the trigger has no condition, whose text PostgreSQL reads again for each payment (docs/adr/0044).
CREATE OR REPLACE FUNCTION payoffice_need_payable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v record;
BEGIN
    SELECT c.state, h.authorised, EXISTS (
               SELECT FROM premises_premises p WHERE p.id = NEW.premises_id) AS premises_there,
           NEW.session_id IS NULL OR EXISTS (
               SELECT FROM premises_operatorsession s WHERE s.id = NEW.session_id
                  AND s.terminal_id = NEW.terminal_id
                  AND s.operator_id = NEW.operator_id) AS session_there,
           NEW.second_session_id IS NULL OR EXISTS (
               SELECT FROM premises_operatorsession s
                 JOIN premises_terminal t ON t.id = s.terminal_id
                WHERE s.id = NEW.second_session_id AND s.operator_id = NEW.second_operator_id
                  AND t.premises_id = NEW.premises_id AND s.expires_at > NEW.paid_at - interval '1 minute'
                  AND (s.ended_at > NEW.paid_at - interval '1 minute') IS NOT FALSE) AS second_there
      INTO v
      FROM payoffice_claim c
     CROSS JOIN LATERAL premises_holds(
         p_premises => NEW.premises_id, p_game => c.game, p_at => NEW.paid_at) h
     WHERE c.id = NEW.claim_id;
    IF v.state IS DISTINCT FROM 'paid' THEN
        RAISE EXCEPTION 'table %: the claim is not paid', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT v.premises_there THEN
        RAISE EXCEPTION 'no such premises %', NEW.premises_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF NOT v.session_there THEN
        RAISE EXCEPTION 'no such session % of operator and terminal', NEW.session_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF NOT v.second_there THEN
        RAISE EXCEPTION 'session %: the second operator is not signed on there', NEW.second_session_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.place <> 'central_office' AND v.authorised IS NOT TRUE THEN
        RAISE EXCEPTION 'premises %: no authorisation to pay', NEW.premises_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_claim BEFORE INSERT ON payoffice_payment
    FOR EACH ROW EXECUTE FUNCTION payoffice_need_payable();
