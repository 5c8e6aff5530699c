-- The functions of the guard triggers; core/database/guards.py decides which table has which.
CREATE OR REPLACE FUNCTION guard_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION guard_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) - TG_ARGV[0:] IS DISTINCT FROM to_jsonb(NEW) - TG_ARGV[0:] THEN
        RAISE EXCEPTION 'table %: only % may change', TG_TABLE_NAME, array_to_string(TG_ARGV, ', ')
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION guard_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> NEW.state
       AND NOT coalesce(TG_ARGV[0]::jsonb -> OLD.state ? NEW.state, false) THEN
        RAISE EXCEPTION 'table %: state % cannot become %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION guard_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table %: row % has ended, and stays as it is', TG_TABLE_NAME, OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
