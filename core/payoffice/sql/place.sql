-- Refuse a payment by premises without an authorisation for the game. The Central Office needs none
-- (14.I.6, 14.III.10.2) [E10].
CREATE OR REPLACE FUNCTION payoffice_need_authorised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payoffice_claim c
                    CROSS JOIN LATERAL premises_holds(NEW.premises_id, c.game, NEW.paid_at) h
                    WHERE c.id = NEW.claim_id AND h.authorised) THEN
        RAISE EXCEPTION 'premises %: no authorisation to pay', NEW.premises_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER authorised BEFORE INSERT ON payoffice_payment
    FOR EACH ROW WHEN (NEW.place <> 'central_office')
    EXECUTE FUNCTION payoffice_need_authorised();
