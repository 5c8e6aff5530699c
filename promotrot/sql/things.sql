-- Check the valuations of prizes in kind on every write, by any program [P21].

-- Return whether every thing that an emission promises has a valuation at most twelve months old.
CREATE OR REPLACE FUNCTION promotrot_valued(p_emission bigint, p_day date) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (
        SELECT FROM promotrot_prizetier t WHERE t.emission_id = p_emission AND t.thing <> ''
           AND NOT EXISTS (
               SELECT FROM promotrot_valuation v
                WHERE v.tier_id = t.id AND v.valued_on <= p_day
                  AND (v.valued_on + interval '12 months')::date >= p_day))
$$;

-- Refuse to open an emission whose things were valued too long ago.
CREATE OR REPLACE FUNCTION promotrot_guard_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT promotrot_valued(NEW.emission_id,
            (NEW.opened_at AT TIME ZONE 'Europe/Madrid')::date) THEN
        RAISE EXCEPTION 'emission %: a thing was valued more than twelve months ago',
            NEW.emission_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse a valuation of money, of a later day, or after the opening.
CREATE OR REPLACE FUNCTION promotrot_guard_valuation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.valued_on > (NEW.recorded_at AT TIME ZONE 'Europe/Madrid')::date OR NOT EXISTS (
        SELECT FROM promotrot_prizetier t JOIN promotrot_emission e ON e.id = t.emission_id
         WHERE t.id = NEW.tier_id AND t.thing <> '' AND e.state IN ('draft', 'committed', 'mixed'))
    THEN
        RAISE EXCEPTION 'tier %: nothing to value there, or not now', NEW.tier_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER valued BEFORE INSERT ON promotrot_opening
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_opening();
CREATE OR REPLACE TRIGGER before_opening BEFORE INSERT ON promotrot_valuation
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_valuation();

-- Refuse to exchange a voucher for another thing than it is for, and anything that is no voucher: no
-- other game gives things (15.III.6.5).
CREATE OR REPLACE FUNCTION promotrot_guard_thing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM payoffice_claim c JOIN promotrot_voucher v ON v.id = c.document_id
          JOIN payoffice_stockitem i ON i.id = NEW.item_id AND i.code = v.thing
         WHERE c.id = NEW.claim_id AND c.game = 'promotrot') THEN
        RAISE EXCEPTION 'exchange %: no voucher is for that thing', NEW.uuid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_its_thing BEFORE INSERT ON payoffice_exchange
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_thing();
