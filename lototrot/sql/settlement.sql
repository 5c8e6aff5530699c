-- A settlement whose payment is ordered stays in force for ever (14.III.8.2).
CREATE OR REPLACE FUNCTION lototrot_guard_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_paymentorder o WHERE o.settlement_id = OLD.id) THEN
        RAISE EXCEPTION 'table %: payment is ordered', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payment_ordered BEFORE UPDATE ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_settlement();
