-- Refuse a payment of a claim that is not paid, and one by premises without an authorisation for the
-- game. The Central Office needs none (14.I.6, 14.III.10.2) [E10]. Both are one query, and the trigger
-- has no condition, whose text PostgreSQL reads again for each payment (docs/adr/0044).
CREATE OR REPLACE FUNCTION payoffice_need_payable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v record;
BEGIN
    SELECT c.state, h.authorised INTO v
      FROM payoffice_claim c
     CROSS JOIN LATERAL premises_holds(
         p_premises => NEW.premises_id, p_game => c.game, p_at => NEW.paid_at) h
     WHERE c.id = NEW.claim_id;
    IF v.state IS DISTINCT FROM 'paid' THEN
        RAISE EXCEPTION 'table %: the claim is not paid', TG_TABLE_NAME
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
