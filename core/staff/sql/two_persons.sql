-- For triggers of acts that leave no row unless a decision confirmed them: the name of the column
-- with the proposal, then the kinds that will do. That a decision is by another person in another
-- session is a constraint of the decision itself.
CREATE OR REPLACE FUNCTION staff_need_confirmed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
         WHERE p.id = (to_jsonb(NEW) ->> TG_ARGV[0])::bigint AND p.kind = ANY (TG_ARGV[1:])
           AND d.verdict = 'confirmed') THEN
        RAISE EXCEPTION 'table %: two persons are needed', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
