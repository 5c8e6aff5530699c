-- Refuse the rows of acts that need two persons, unless a decision confirmed the act. core/staff
-- checks that another person in another session made the decision.
CREATE OR REPLACE FUNCTION lototrot_refuse_unconfirmed(p_table text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table %: two persons are needed', p_table USING ERRCODE = 'restrict_violation';
END $$;

-- A withdrawal is in force since one person entered it, as the proposal says that a second one confirms. It
-- is reversed by two persons, or when a second one rejects it.
CREATE OR REPLACE FUNCTION lototrot_guard_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT EXISTS (
           SELECT FROM staff_proposal p
            WHERE p.id = NEW.proposal_id AND p.kind = 'lototrot.withdrawal' AND staff_proposes(p, NEW))
       OR NEW.reversed_at IS NOT NULL AND NEW.reversal_id IS NULL
       AND NOT EXISTS (SELECT FROM staff_decision d
                        WHERE d.proposal_id = NEW.proposal_id AND d.verdict = 'rejected') THEN
        PERFORM lototrot_refuse_unconfirmed(TG_TABLE_NAME);
    END IF;
    RETURN NEW;
END $$;

-- Two persons declare a race; before the day of its meeting, or as of an instant before it, with the
-- text of the Federation or of the authority [B17]. Supersede a declaration only if two persons retract it, or if the race was started later [B13].
CREATE OR REPLACE FUNCTION lototrot_guard_declaration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF (NEW.author = 'stewards' OR NEW.text = '') AND EXISTS (
            SELECT FROM lototrot_race r JOIN lototrot_meeting m ON m.id = r.meeting_id
             WHERE r.id = NEW.race_id
               AND (least(NEW.recorded_at, NEW.declared_at) AT TIME ZONE 'Europe/Madrid')::date
                   < m.day) THEN
            RAISE EXCEPTION 'race %: before its day the authority''s text is needed', NEW.race_id
                USING ERRCODE = 'restrict_violation';
        END IF;
    END IF;
    IF NEW.superseded_at IS NOT NULL AND NEW.retraction_id IS NULL
       AND NOT (NEW.kind = 'not_run' AND EXISTS (
            SELECT FROM lototrot_racestart s WHERE s.race_id = NEW.race_id)) THEN
        PERFORM lototrot_refuse_unconfirmed(TG_TABLE_NAME);
    END IF;
    RETURN NEW;
END $$;

-- Only the inspector or the auditor confirms the correction of an announced classification [B18].
CREATE OR REPLACE FUNCTION lototrot_guard_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT staff_second_is(NEW.proposal_id, 'inspector', 'auditor') OR NOT EXISTS (
           SELECT FROM lototrot_classification c
            WHERE c.id = NEW.corrects_id AND c.race_id = NEW.race_id
              AND c.announced_text = NEW.announced_text
              AND c.announced_at = NEW.announced_at AND c.author = NEW.author) THEN
        RAISE EXCEPTION 'a classification is corrected to its announced text, which the inspector'
            ' or the auditor confirms' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER proposed BEFORE INSERT OR UPDATE ON lototrot_withdrawal
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_withdrawal();
CREATE OR REPLACE TRIGGER two_persons_new BEFORE INSERT ON lototrot_withdrawal
    FOR EACH ROW WHEN (NEW.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.withdrawal');
CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE ON lototrot_withdrawal
    FOR EACH ROW WHEN (NEW.confirmed_at IS DISTINCT FROM OLD.confirmed_at)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.withdrawal');
CREATE OR REPLACE TRIGGER two_persons_reverse BEFORE INSERT OR UPDATE ON lototrot_withdrawal
    FOR EACH ROW WHEN (NEW.reversal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('reversal_id', 'lototrot.withdrawal_reversal');
CREATE OR REPLACE TRIGGER grounded BEFORE INSERT OR UPDATE ON lototrot_racedeclaration
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_declaration();
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_racedeclaration
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.declaration');
CREATE OR REPLACE TRIGGER two_persons_retract BEFORE INSERT OR UPDATE ON lototrot_racedeclaration
    FOR EACH ROW WHEN (NEW.retraction_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('retraction_id', 'lototrot.declaration_retraction');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_racestart
    FOR EACH ROW WHEN (NEW.corrects_id IS NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.start');
CREATE OR REPLACE TRIGGER two_persons_correct BEFORE INSERT ON lototrot_racestart
    FOR EACH ROW WHEN (NEW.corrects_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.start_correction');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_signaldevice
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.signal_device');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_schedulechange
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.closing_postponement');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_classification
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.classification',
        'lototrot.classification_correction');
CREATE OR REPLACE TRIGGER two_persons_correction BEFORE INSERT ON lototrot_classification
    FOR EACH ROW WHEN (NEW.corrects_id IS NOT NULL)
    EXECUTE FUNCTION lototrot_guard_correction();
-- The regulation's own bet type has its figures from the regulation; any other needs two persons.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_bettype
    FOR EACH ROW WHEN (NEW.code <> 'lototrot' OR NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.bet_type');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_figuresamendment
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.figures_amendment');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_gameend
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.game_end');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_discard
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.contest_discard');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT OR UPDATE OF opening_id ON lototrot_contest
    FOR EACH ROW WHEN (NEW.opening_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('opening_id', 'lototrot.contest_opening');
-- The tickets of such an act are those that two persons confirmed, with no other beside them and none left
-- out. Of the rows that one act wrote one after the other the last checks: there may be many thousands.
CREATE OR REPLACE FUNCTION lototrot_check_set() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_next bigint;
    v_digest text;
BEGIN
    CASE TG_TABLE_NAME
        WHEN 'lototrot_unprinted' THEN
            SELECT u.proposal_id INTO v_next FROM lototrot_unprinted u
             WHERE u.id > NEW.id ORDER BY u.id LIMIT 1;
        WHEN 'lototrot_void' THEN
            SELECT v.proposal_id INTO v_next FROM lototrot_void v
             WHERE v.id > NEW.id ORDER BY v.id LIMIT 1;
        ELSE
            SELECT b.proposal_id INTO v_next FROM lototrot_block b
             WHERE b.id > NEW.id ORDER BY b.id LIMIT 1;
    END CASE;
    IF v_next = NEW.proposal_id THEN
        RETURN NULL;
    END IF;
    SELECT encode(sha256(convert_to(
               string_agg(u.ticket_id || chr(10), '' ORDER BY u.ticket_id), 'UTF8')), 'hex')
      INTO v_digest
      FROM (SELECT v.ticket_id FROM lototrot_void v
             WHERE TG_TABLE_NAME <> 'lototrot_unprinted' AND v.proposal_id = NEW.proposal_id
             UNION ALL
            SELECT b.ticket_id FROM lototrot_block b
             WHERE TG_TABLE_NAME <> 'lototrot_unprinted' AND b.proposal_id = NEW.proposal_id
             UNION ALL
            SELECT l.ticket_id FROM lototrot_unprinted l
             WHERE TG_TABLE_NAME = 'lototrot_unprinted' AND l.proposal_id = NEW.proposal_id) u;
    IF (SELECT p.content ->> 'digest' FROM staff_proposal p WHERE p.id = NEW.proposal_id)
       IS DISTINCT FROM v_digest THEN
        RAISE EXCEPTION 'proposal %: two persons confirmed other tickets', NEW.proposal_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS as_named ON lototrot_unprinted;
CREATE CONSTRAINT TRIGGER as_named AFTER UPDATE ON lototrot_unprinted
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION lototrot_check_set();
DROP TRIGGER IF EXISTS as_named ON lototrot_void;
CREATE CONSTRAINT TRIGGER as_named AFTER INSERT ON lototrot_void
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION lototrot_check_set();
DROP TRIGGER IF EXISTS as_named ON lototrot_block;
CREATE CONSTRAINT TRIGGER as_named AFTER INSERT ON lototrot_block
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lototrot_check_set();

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_void
    FOR EACH ROW WHEN (NEW.reason = 'breach')
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.breach_void');
CREATE OR REPLACE TRIGGER two_persons_unprinted BEFORE INSERT ON lototrot_void
    FOR EACH ROW WHEN (NEW.reason = 'unprinted')
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.unprinted');
CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE ON lototrot_unprinted
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.unprinted');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_block
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.breach_block');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON lototrot_paymentorder
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'lototrot.payment_order');
