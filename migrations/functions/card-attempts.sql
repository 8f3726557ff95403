-- Returns the subjects of a payer. Those of the address are left out for an account that has paid more than a day ago: an office is not stopped
-- by one of its members.
CREATE OR REPLACE FUNCTION shop.counted_subjects(p_subjects text[], p_account text) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(s), '{}') FROM unnest(p_subjects) AS s WHERE s NOT LIKE 'address:%' OR NOT EXISTS (
    SELECT FROM shop.purchase o WHERE o.account_id = shop.joined_account(p_account) AND o.state = 'granted' AND o.granted_at < clock_timestamp() - interval '1 day')
$$;

-- Returns the longest wait among subjects with too many attempts, or no row. A subject waits after `p_max` attempts, twice as long after each
-- further one, up to 16 times `p_wait`; after `p_stops_at` attempts it is stopped for `p_stop`. Declines count for `p_stop`, open attempts for 15
-- minutes. Rows of the future, from before the clock was set back, do not count.
CREATE OR REPLACE FUNCTION shop.card_delay(p_account text, p_subjects text[], p_max integer[], p_stops_at integer[], p_wait interval, p_stop interval)
RETURNS TABLE (subject text, wait_seconds integer, stopped boolean) LANGUAGE sql VOLATILE AS $$
  SELECT w.subject, w.seconds, w.stopped FROM (
    SELECT s.subject, coalesce(d.n >= s.stops_at, false) AS stopped,
        ceil(extract(epoch FROM d.last - clock_timestamp()
          + CASE WHEN d.n >= s.stops_at THEN p_stop ELSE least(p_stop, p_wait * power(2, least(d.n - s.most, 4))) END))::integer AS seconds
      FROM unnest(p_subjects, p_max, p_stops_at) AS s (subject, most, stops_at)
        CROSS JOIN LATERAL (SELECT count(*)::integer AS n, max(a.at) AS last FROM shop.card_attempt a
          WHERE a.subject = s.subject AND a.at < clock_timestamp() + interval '1 minute'
            AND a.at > clock_timestamp() - CASE WHEN a.declined THEN p_stop ELSE interval '15 minutes' END) d
      WHERE d.n >= s.most AND s.subject = ANY (shop.counted_subjects(p_subjects, p_account))
  ) w WHERE w.seconds > 0 ORDER BY w.seconds DESC LIMIT 1
$$;

-- Makes decisions about the same subjects follow each other. The locks are taken in one order, so that no two wait for each other.
CREATE OR REPLACE FUNCTION shop.lock_subjects(p_subjects text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_subject text;
BEGIN
  FOR v_subject IN SELECT DISTINCT s FROM unnest(p_subjects) AS s ORDER BY s LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('card ' || v_subject, 0));
  END LOOP;
END $$;

-- Starts an attempt: returns no row, or the wait. A subject that the attempt counts against already is not counted again, so a repetition changes
-- nothing, and the card can be added when it is known.
CREATE OR REPLACE FUNCTION shop.begin_card_attempt(p_attempt text, p_account text, p_subjects text[], p_max integer[], p_stops_at integer[], p_wait interval, p_stop interval)
RETURNS TABLE (subject text, wait_seconds integer, stopped boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_counted text[] := shop.counted_subjects(p_subjects, p_account);
  v_max integer[];
  v_stops_at integer[];
BEGIN
  PERFORM shop.lock_subjects(v_counted);
  SELECT coalesce(array_agg(s.name), '{}'), array_agg(s.most), array_agg(s.stops_at) INTO v_counted, v_max, v_stops_at
    FROM unnest(p_subjects, p_max, p_stops_at) AS s (name, most, stops_at)
    WHERE s.name = ANY (v_counted) AND NOT EXISTS (SELECT FROM shop.card_attempt a WHERE a.attempt = p_attempt AND a.subject = s.name);
  RETURN QUERY SELECT d.subject, d.wait_seconds, d.stopped FROM shop.card_delay(p_account, v_counted, v_max, v_stops_at, p_wait, p_stop) d;
  IF FOUND THEN RETURN; END IF;
  INSERT INTO shop.card_attempt (attempt, subject, declined) SELECT p_attempt, s, false FROM unnest(v_counted) AS s;
END $$;

-- Counts a decline, once for an attempt and subject.
CREATE OR REPLACE FUNCTION shop.decline_card_attempt(p_attempt text, p_account text, p_subjects text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.card_attempt SET declined = true, at = clock_timestamp() WHERE attempt = p_attempt AND NOT declined;
  INSERT INTO shop.card_attempt (attempt, subject, declined) SELECT p_attempt, s, true FROM unnest(shop.counted_subjects(p_subjects, p_account)) AS s
    ON CONFLICT DO NOTHING;
END $$;

-- Counts a hosted page of an account and address block, and returns the wait when there are too many. `p_order`: the order of the page, where it
-- has one; its address is stored, because a decline on the page is reported without it. A page that was counted before is not counted again.
CREATE OR REPLACE FUNCTION shop.begin_card_page(p_order text, p_number integer, p_address text, p_blocks text[], p_max integer[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_wait integer;
  v_page text := 'page ' || p_order || ' ' || p_number;
BEGIN
  PERFORM shop.lock_subjects(p_blocks);
  IF NOT EXISTS (SELECT FROM shop.block_use u WHERE u.kind = 'card_page' AND u.block = v_page AND u.at > clock_timestamp() - interval '1 day') THEN
    v_wait := shop.block_wait('card_page', p_blocks, array_fill(3600, ARRAY[cardinality(p_blocks)]), p_max);
    IF v_wait IS NOT NULL THEN RETURN v_wait; END IF;
    INSERT INTO shop.block_use (kind, block) SELECT 'card_page', b FROM unnest(p_blocks || v_page) AS b WHERE b IS NOT NULL;
  END IF;
  UPDATE shop.purchase SET page_address = p_address WHERE id = p_order AND page_address IS DISTINCT FROM p_address;
  RETURN NULL;
END $$;

-- Stores the outcome of a charge. One that was pending ends later; a final one does not change.
CREATE OR REPLACE FUNCTION shop.record_charge(p_id text, p_payment text, p_order text, p_succeeded boolean, p_risk_level text, p_risk_score integer,
  p_network_status text, p_outcome text, p_reason text, p_card text, p_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.charge (id, payment, order_id, succeeded, risk_level, risk_score, network_status, outcome, reason, card, at)
    VALUES (p_id, p_payment, p_order, p_succeeded, p_risk_level, p_risk_score, p_network_status, p_outcome, p_reason, p_card, p_at)
    ON CONFLICT (id) DO UPDATE SET order_id = coalesce(charge.order_id, excluded.order_id), succeeded = excluded.succeeded,
      risk_level = excluded.risk_level, risk_score = excluded.risk_score, network_status = excluded.network_status, outcome = excluded.outcome, reason = excluded.reason
$$;
