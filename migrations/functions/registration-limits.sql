-- Returns the seconds until one more use is allowed, or null if it is allowed now. Each rule permits `p_max` uses of a block in `p_seconds`.
-- Callers hold a lock, so that uses of one kind are counted one at a time.
CREATE OR REPLACE FUNCTION shop.block_wait(p_kind text, p_blocks text[], p_seconds integer[], p_max integer[]) RETURNS integer LANGUAGE sql AS $$
  SELECT greatest(1, ceil(max(extract(epoch FROM u.at - clock_timestamp()) + r.seconds)))::integer
    FROM unnest(p_blocks, p_seconds, p_max) AS r (block, seconds, most)
      CROSS JOIN LATERAL (SELECT b.at FROM shop.block_use b
        WHERE b.kind = p_kind AND b.block = r.block AND b.at > clock_timestamp() - make_interval(secs => r.seconds)
        ORDER BY b.at DESC OFFSET r.most - 1 LIMIT 1) u
    HAVING count(*) > 0
$$;

-- Counts one use.
CREATE OR REPLACE FUNCTION shop.use_blocks(p_kind text, p_blocks text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.block_use (kind, block) SELECT DISTINCT p_kind, block FROM unnest(p_blocks || ARRAY['']::text[]) AS block
$$;

-- Admits and counts one registration. `state`: `allowed`; `address` or `day` (wait); `work_required` (send a proof of work); `work_used`. Blocks
-- that have not registered in 24 hours (the last of `p_blocks` is the widest) need no proof of work up to `p_unseen_max` registrations of the day.
-- Without `p_all_max`, the total of the day neither limits nor counts the registration.
CREATE OR REPLACE FUNCTION shop.admit_registration(p_blocks text[], p_seconds integer[], p_max integer[], p_work text, p_work_expires timestamptz,
  p_seen_max integer, p_unseen_max integer, p_all_max integer)
RETURNS TABLE (state text, wait_seconds integer, today integer) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  v_is_seen boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('shop.admit_registration'));
  SELECT count(*) INTO today FROM shop.block_use u WHERE u.kind = 'registration' AND u.block = '' AND u.at >= v_day;
  v_is_seen := EXISTS (SELECT FROM shop.block_use u WHERE u.kind = 'registration' AND u.block = p_blocks[cardinality(p_blocks)]
    AND u.at > clock_timestamp() - interval '1 day');
  wait_seconds := shop.block_wait('registration', p_blocks, p_seconds, p_max);
  IF wait_seconds IS NOT NULL THEN
    state := 'address';
  ELSIF today >= p_all_max THEN
    state := 'day'; wait_seconds := ceil(extract(epoch FROM v_day + interval '1 day' - clock_timestamp()));
  ELSIF p_work IS NULL AND today >= (CASE WHEN v_is_seen THEN p_seen_max ELSE p_unseen_max END) THEN
    state := 'work_required';
  ELSE
    IF p_work IS NOT NULL THEN
      INSERT INTO shop.used_work (id, expires_at) VALUES (p_work, p_work_expires) ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN state := 'work_used'; RETURN NEXT; RETURN; END IF;
    END IF;
    state := 'allowed';
    IF p_all_max IS NULL THEN
      INSERT INTO shop.block_use (kind, block) SELECT DISTINCT 'registration', block FROM unnest(p_blocks) AS block;
    ELSE
      PERFORM shop.use_blocks('registration', p_blocks);
    END IF;
  END IF;
  RETURN NEXT;
END $$;
