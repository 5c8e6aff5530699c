-- What has ended does not come back: a withdrawal that was confirmed or reversed, a declaration that
-- was superseded, a classification or a settlement that is no longer in force, a device that signals
-- starts no more. Each needs the act that made it, again (14.III.5, 14.III.9) [B14, B17, E12].
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE ON lototrot_withdrawal
    FOR EACH ROW WHEN (OLD.reversed_at IS NOT NULL
        OR OLD.confirmed_at IS NOT NULL AND NEW.confirmed_at IS DISTINCT FROM OLD.confirmed_at)
    EXECUTE FUNCTION guard_ended();
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE ON lototrot_racedeclaration
    FOR EACH ROW WHEN (OLD.superseded_at IS NOT NULL) EXECUTE FUNCTION guard_ended();
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE ON lototrot_classification
    FOR EACH ROW WHEN (NOT OLD.in_force) EXECUTE FUNCTION guard_ended();
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE ON lototrot_settlement
    FOR EACH ROW WHEN (NOT OLD.in_force) EXECUTE FUNCTION guard_ended();
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE ON lototrot_signaldevice
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION guard_ended();
