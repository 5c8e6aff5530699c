-- Refuse updates of a contest that its state machine would allow: to move a closing that has been
-- reached, to change what the closing recorded, and to replace the secret of the codes instead of
-- erasing it (14.III.4) [E1].
CREATE OR REPLACE FUNCTION lototrot_guard_contest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.scheduled_close_at <> OLD.scheduled_close_at
       AND (OLD.closed_at IS NOT NULL OR OLD.scheduled_close_at <= core_now()) THEN
        RAISE EXCEPTION 'contest %: its closing has been reached and is not moved', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.closed_at IS NOT NULL
       AND (NEW.opened_at, NEW.closed_at, NEW.closing_cause, NEW.offered_masks)
           IS DISTINCT FROM (OLD.opened_at, OLD.closed_at, OLD.closing_cause, OLD.offered_masks) THEN
        RAISE EXCEPTION 'contest %: what its closing recorded stays', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'open' AND NEW.code_secret IS NULL THEN
        RAISE EXCEPTION 'contest %: on sale it has a code secret', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.code_secret IS NOT NULL AND NEW.code_secret IS DISTINCT FROM OLD.code_secret THEN
        RAISE EXCEPTION 'contest %: its code secret is erased, never changed', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER closing_stays BEFORE UPDATE ON lototrot_contest
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_contest();
