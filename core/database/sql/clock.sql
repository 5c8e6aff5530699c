-- Return the time: the server's clock plus the simulated offset. It moves within a transaction.
CREATE OR REPLACE FUNCTION core_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$
    SELECT clock_timestamp()
         + coalesce((SELECT "offset" FROM database_clockoffset ORDER BY id DESC LIMIT 1), interval '0')
$$;
