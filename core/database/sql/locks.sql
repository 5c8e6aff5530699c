-- Return the key of the lock of a request, as `hold` computes it of the UUID's number: its last 31
-- bits. Sales and payments are written here and the rest in Python: the same request is one lock.
CREATE OR REPLACE FUNCTION core_request_key(p_uuid uuid) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ('x' || right(p_uuid::text, 8))::bit(32)::integer & 2147483647
$$;
