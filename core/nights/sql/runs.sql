-- What a night's job listed once it was done stays, or nobody would see what was found.
CREATE OR REPLACE TRIGGER stays_done BEFORE UPDATE ON nights_jobrun
    FOR EACH ROW WHEN (OLD.state = 'done') EXECUTE FUNCTION guard_ended();
