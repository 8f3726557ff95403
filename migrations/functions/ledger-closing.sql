-- Closing a day of usage: its rows are archived in a file, summed up, and removed. docs/operations.md, "Keeping usage".

-- Returns the usage rows of a day (UTC) as lines of JSON. An archive holds these lines in the order of `call_id` and `draw`.
CREATE OR REPLACE FUNCTION ledger.usage_lines(p_day date) RETURNS TABLE (call_id uuid, draw smallint, line text) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, u.draw, row_to_json(u)::text FROM ledger.usage u
    WHERE u.call_id >= ledger.uuid_at(p_day::timestamp AT TIME ZONE 'UTC') AND u.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC')
$$;

-- Returns the number of rows and calls of a day, and the digest of its lines: SHA-256 over the SHA-256 of each block of lines. A block is 4 seconds of calls (the
-- first ten characters of the id), so that neither side of a comparison needs the whole day in memory. src/ledger/usage-archive.ts computes the same of a file.
CREATE OR REPLACE FUNCTION ledger.usage_digest(p_day date, OUT rows bigint, OUT calls bigint, OUT digest bytea) LANGUAGE sql STABLE SET jit = off AS $$
  SELECT coalesce(sum(b.rows), 0)::bigint, coalesce(sum(b.calls), 0)::bigint, sha256(coalesce(string_agg(b.digest, ''::bytea ORDER BY b.block), ''::bytea)) FROM (
    SELECT left(l.call_id::text, 10) COLLATE "C" AS block, count(*) AS rows, count(*) FILTER (WHERE l.draw = 0) AS calls,
        sha256(convert_to(string_agg(l.line, E'\n' ORDER BY l.call_id, l.draw), 'UTF8')) AS digest
      FROM ledger.usage_lines(p_day) l GROUP BY 1
  ) b
$$;

-- Returns the sums that closing a day writes to `ledger.closing`.
CREATE OR REPLACE FUNCTION ledger.day_by_lot(p_day date) RETURNS TABLE (account_id text, lot_id bigint, amount bigint, returned bigint) LANGUAGE sql STABLE AS $$
  SELECT u.account_id, u.lot_id, sum(u.amount)::bigint, coalesce(sum(p.amount), 0)::bigint
    FROM ledger.usage u LEFT JOIN ledger.posting p ON p.account_id = u.account_id AND p.lot_id = u.lot_id AND p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.amount > 0 AND u.call_id >= ledger.uuid_at(p_day::timestamp AT TIME ZONE 'UTC') AND u.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC')
    GROUP BY 1, 2
$$;

-- Returns the sums that closing a day writes to `ledger.closed_usage`.
CREATE OR REPLACE FUNCTION ledger.day_by_account(p_day date)
RETURNS TABLE (account_id text, service text, operation text, plan_id text, key_id text, price_key text, calls bigint, plan_calls bigint, units bigint, included bigint, cost bigint, quantities jsonb) LANGUAGE sql STABLE AS $$
  WITH used AS MATERIALIZED (
    SELECT u.*, p.key IS NOT NULL AS is_returned, k.asset FROM ledger.usage u
        LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
        LEFT JOIN ledger.posting p ON p.account_id = u.account_id AND p.lot_id = u.lot_id AND p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw
      WHERE u.plan_id IS DISTINCT FROM '#budget'
        AND u.call_id >= ledger.uuid_at(p_day::timestamp AT TIME ZONE 'UTC') AND u.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC')
  ), summed AS (
    SELECT account_id, service, operation, plan_id, key_id, price_key, count(*) FILTER (WHERE draw = 0) AS calls, count(DISTINCT call_id) AS plan_calls,
        coalesce(sum(units) FILTER (WHERE NOT is_returned AND quantities IS NULL), 0)::bigint AS units,
        coalesce(sum(amount) FILTER (WHERE NOT is_returned AND asset = 'unit'), 0)::bigint AS included,
        coalesce(sum(amount) FILTER (WHERE NOT is_returned AND asset = 'usd'), 0)::bigint AS cost
      FROM used GROUP BY 1, 2, 3, 4, 5, 6
  ), metered AS (
    SELECT m.account_id, m.service, m.operation, m.plan_id, m.key_id, m.price_key, jsonb_object_agg(m.meter, m.quantity) AS quantities FROM (
      SELECT u.account_id, u.service, u.operation, u.plan_id, u.key_id, u.price_key, q.key AS meter, sum(q.value::numeric) AS quantity
        FROM used u, jsonb_each_text(u.quantities) q WHERE u.quantities IS NOT NULL AND NOT u.is_returned GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) m GROUP BY 1, 2, 3, 4, 5, 6
  )
  SELECT s.*, m.quantities FROM summed s LEFT JOIN metered m
    ON (m.account_id, m.service, m.operation) = (s.account_id, s.service, s.operation) AND (m.plan_id, m.key_id, m.price_key) IS NOT DISTINCT FROM (s.plan_id, s.key_id, s.price_key)
$$;

-- Returns the digest of the sums of a day, of those that closing it would write or, for a closed day, of those that were written.
CREATE OR REPLACE FUNCTION ledger.closing_digest(p_day date, p_is_closed boolean) RETURNS bytea LANGUAGE sql STABLE SET jit = off AS $$
  SELECT sha256(
    (SELECT sha256(convert_to(coalesce(string_agg(jsonb_build_array(l.account_id, l.lot_id, l.amount, l.returned)::text, E'\n' ORDER BY l.account_id COLLATE "C", l.lot_id), ''), 'UTF8')) FROM (
      SELECT d.* FROM ledger.day_by_lot(p_day) d WHERE NOT p_is_closed
      UNION ALL SELECT c.account_id, c.lot_id, c.amount, c.returned FROM ledger.closing c WHERE c.day = p_day AND p_is_closed
    ) l)
    || (SELECT sha256(convert_to(coalesce(string_agg(a.line, E'\n' ORDER BY a.line COLLATE "C"), ''), 'UTF8')) FROM (
      SELECT to_jsonb(d)::text AS line FROM ledger.day_by_account(p_day) d WHERE NOT p_is_closed
      UNION ALL SELECT (to_jsonb(c) - 'day')::text FROM ledger.closed_usage c WHERE c.day = p_day AND p_is_closed
    ) a))
$$;

-- Returns the first day (UTC) with usage that is not closed; null if there is none.
CREATE OR REPLACE FUNCTION ledger.next_day_to_close() RETURNS date LANGUAGE sql STABLE AS $$
  SELECT min(d.day) FROM (
    SELECT to_date(right(c.relname, 8), 'YYYYMMDD') AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'ledger.usage'::regclass AND c.relname ~ '^usage_\d{8}$'
    UNION ALL (SELECT (ledger.time_of(o.call_id) AT TIME ZONE 'UTC')::date FROM ledger.usage_other o ORDER BY o.call_id LIMIT 1)
  ) d
$$;

-- Returns the reason why a day cannot be closed yet; null if it can. Nothing may change the usage of the day, or credit a part of it back, afterwards.
CREATE OR REPLACE FUNCTION ledger.open_reason(p_day date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN (p_day + 3)::timestamp AT TIME ZONE 'UTC' > clock_timestamp() THEN format('calls of %s may still be repeated or credited back: a day can be closed two days after its end', p_day)
    WHEN EXISTS (SELECT FROM ledger.usage u WHERE u.call_id >= (SELECT ledger.uuid_at(ledger.usage_summed_until())) AND u.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC'))
      THEN format('the hours of %s are not summed up yet: the maintenance of a running process does so every hour', p_day)
    WHEN EXISTS (SELECT FROM ledger.job j WHERE j.state = 'open' AND j.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC')) THEN format('a job that began on or before %s is still open', p_day)
    WHEN EXISTS (SELECT FROM ledger.batch b WHERE b.at < (p_day + 1)::timestamp AT TIME ZONE 'UTC') THEN format('a batch of calls from before the end of %s is not checkpointed yet', p_day)
  END
$$;

-- Returns the usage of a day by account, whether the day is closed or open, less what was credited back.
CREATE OR REPLACE FUNCTION ledger.account_day(p_day date)
RETURNS TABLE (account_id text, service text, operation text, plan_id text, key_id text, price_key text, calls bigint, plan_calls bigint, units bigint, included bigint, cost bigint, quantities jsonb) LANGUAGE sql STABLE AS $$
  SELECT d.* FROM ledger.day_by_account(p_day) d
  UNION ALL SELECT c.account_id, c.service, c.operation, c.plan_id, c.key_id, c.price_key, c.calls, c.plan_calls, c.units, c.included, c.cost, c.quantities FROM ledger.closed_usage c WHERE c.day = p_day
$$;

-- Returns the days from `p_since` on whose usage is final, without days before the first usage. `until` is the first one whose usage may still change,
-- or `p_since` if that is later.
CREATE OR REPLACE FUNCTION ledger.final_days(p_since date, OUT first date, OUT until date) LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Calls of the last two days may come even where no day is open yet.
  until := greatest(p_since, least(ledger.next_day_to_close(), (clock_timestamp() AT TIME ZONE 'UTC')::date - 2));
  first := greatest(p_since, coalesce((SELECT min(d.day) FROM ledger.closed_day d), until));
  WHILE ledger.open_reason(until) IS NULL LOOP until := until + 1; END LOOP;
END $$;

-- Closes a day whose rows the caller has archived: `p_usage_digest` is the digest of the lines that the caller has read back from the archive, `p_record` the
-- signed record, whose predecessor has the digest `p_previous` (null for the first day). Writes the sums and the record and removes the rows, in one
-- transaction. Raises an exception when the archive is not what the table holds, when an earlier day is open, or when the day cannot be closed yet. Returns
-- false, without a change, if the day is closed. Only the owner of the tables may call it.
--
-- Removing a partition takes a lock that calls wait for. It is requested at the very end, for a fifth of a second at a time, so that a report that reads
-- the usage cannot make calls wait behind this lock.
CREATE OR REPLACE FUNCTION ledger.close_day(p_day date, p_rows bigint, p_usage_digest bytea, p_closing_digest bytea, p_archive text, p_archive_digest bytea, p_archive_bytes bigint,
  p_previous bytea, p_record text, p_public_jwk jsonb) RETURNS boolean LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  v_name text := 'usage_' || to_char(p_day, 'YYYYMMDD');
  v_from uuid := ledger.uuid_at(p_day::timestamp AT TIME ZONE 'UTC');
  v_to uuid := ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC');
  v_previous bytea;
  v_found record;
  v_reason text;
BEGIN
  LOCK TABLE ledger.closed_day IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM ledger.closed_day WHERE day = p_day) THEN
    PERFORM ledger.await_standby();
    RETURN false;
  END IF;
  IF p_day IS DISTINCT FROM ledger.next_day_to_close() THEN RAISE EXCEPTION 'days are closed in order: % is next', coalesce(ledger.next_day_to_close()::text, 'no day'); END IF;
  v_reason := ledger.open_reason(p_day);
  IF v_reason IS NOT NULL THEN RAISE EXCEPTION '%', v_reason; END IF;
  SELECT sha256(convert_to(d.record, 'UTF8')) INTO v_previous FROM ledger.closed_day d ORDER BY d.day DESC LIMIT 1;
  IF v_previous IS DISTINCT FROM p_previous THEN RAISE EXCEPTION 'another day was closed meanwhile'; END IF;
  IF EXISTS (SELECT FROM ledger.usage_other o WHERE o.call_id >= v_from AND o.call_id < v_to) THEN LOCK TABLE ledger.usage_other IN SHARE MODE; END IF;
  IF to_regclass('ledger.' || v_name) IS NOT NULL THEN EXECUTE format('LOCK TABLE ledger.%I IN SHARE MODE', v_name); END IF;
  SELECT * INTO v_found FROM ledger.usage_digest(p_day);
  IF (v_found.rows, v_found.digest) IS DISTINCT FROM (p_rows, p_usage_digest) THEN RAISE EXCEPTION 'the archive of % has % rows and is not equal to the % rows of the table', p_day, p_rows, v_found.rows; END IF;
  INSERT INTO ledger.closing (day, account_id, lot_id, amount, returned) SELECT p_day, d.* FROM ledger.day_by_lot(p_day) d;
  INSERT INTO ledger.closed_usage SELECT p_day, d.* FROM ledger.day_by_account(p_day) d;
  IF ledger.closing_digest(p_day, true) IS DISTINCT FROM p_closing_digest THEN RAISE EXCEPTION 'the sums of % changed while it was archived', p_day; END IF;
  PERFORM ledger.net_hours(p_day);
  INSERT INTO ledger.closed_day (day, rows, calls, usage_digest, closing_digest, archive, archive_digest, archive_bytes, record, public_jwk)
    VALUES (p_day, v_found.rows, v_found.calls, p_usage_digest, p_closing_digest, p_archive, p_archive_digest, p_archive_bytes, p_record, p_public_jwk);
  FOR v_try IN 1..40 LOOP
    BEGIN
      SET LOCAL lock_timeout = '200ms';
      LOCK TABLE ledger.usage IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      IF v_try = 40 THEN RAISE; END IF;
      PERFORM pg_sleep(0.5);
    END;
  END LOOP;
  IF EXISTS (SELECT FROM ledger.usage_other o WHERE o.call_id >= v_from AND o.call_id < v_to) THEN
    ALTER TABLE ledger.usage_other DISABLE TRIGGER append_only;
    DELETE FROM ledger.usage_other o WHERE o.call_id >= v_from AND o.call_id < v_to;
    ALTER TABLE ledger.usage_other ENABLE TRIGGER append_only;
  END IF;
  IF to_regclass('ledger.' || v_name) IS NOT NULL THEN EXECUTE format('DROP TABLE ledger.%I', v_name); END IF;
  RETURN true;
END $$;

-- Subtracts what was credited back of the calls of a day from the sums of its hours: `ledger.usage_by_model` subtracts it as long as the rows exist.
CREATE OR REPLACE FUNCTION ledger.net_hours(p_day date) RETURNS void LANGUAGE sql AS $$
  WITH returned AS MATERIALIZED (
    SELECT date_trunc('hour', ledger.time_of(u.call_id), 'UTC') AS hour, u.service, coalesce(u.price_key, '') AS price_key, CASE WHEN u.quantities IS NULL THEN u.units ELSE 0 END AS units,
        CASE k.asset WHEN 'unit' THEN u.amount ELSE 0 END AS included, CASE k.asset WHEN 'usd' THEN u.amount ELSE 0 END AS cost,
        CASE WHEN k.asset = 'usd' AND k.kind = 'credit' AND u.upstream_cost IS NOT NULL AND ledger.is_paid_in_money(u.call_id, u.draw, k.asset, k.kind) THEN u.amount ELSE 0 END AS revenue, u.quantities
      FROM ledger.usage u JOIN ledger.posting p ON p.account_id = u.account_id AND p.lot_id = u.lot_id AND p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw
        JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id AND k.kind <> 'budget'
      WHERE u.call_id >= ledger.uuid_at(p_day::timestamp AT TIME ZONE 'UTC') AND u.call_id < ledger.uuid_at((p_day + 1)::timestamp AT TIME ZONE 'UTC')
  ), summed AS (
    SELECT hour, service, price_key, sum(units) AS units, sum(included) AS included, sum(cost) AS cost, sum(revenue) AS revenue FROM returned GROUP BY 1, 2, 3
  )
  UPDATE ledger.usage_hour h SET units = h.units - s.units, included = h.included - s.included, cost = h.cost - s.cost, revenue = h.revenue - s.revenue,
      quantities = CASE WHEN h.quantities IS NULL THEN NULL ELSE (
        SELECT jsonb_object_agg(q.key, q.value::numeric - coalesce((
            SELECT sum((r.quantities ->> q.key)::numeric) FROM returned r WHERE (r.hour, r.service, r.price_key) = (h.hour, h.service, h.price_key)), 0))
          FROM jsonb_each_text(h.quantities) q) END
    FROM summed s WHERE (s.hour, s.service, s.price_key) = (h.hour, h.service, h.price_key)
$$;

-- Faults of closed days. Signatures and archives are verified outside of the database (`sluice ledger verify`).
CREATE OR REPLACE FUNCTION ledger.verify_closings() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE AS $$
  SELECT 'the sums of a closed day are those of its record', d.day::text, 'changed since the day was closed' FROM ledger.closed_day d
    WHERE ledger.closing_digest(d.day, true) IS DISTINCT FROM d.closing_digest
  UNION ALL
  SELECT 'sums belong to a closed day', c.day::text, 'has sums and no record' FROM (SELECT day FROM ledger.closing UNION SELECT day FROM ledger.closed_usage) c
    WHERE NOT EXISTS (SELECT FROM ledger.closed_day d WHERE d.day = c.day)
  UNION ALL
  SELECT 'a closed day has no open usage', d.day::text, 'has rows in ledger.usage' FROM ledger.closed_day d
    WHERE EXISTS (SELECT FROM ledger.usage u WHERE u.call_id >= ledger.uuid_at(d.day::timestamp AT TIME ZONE 'UTC') AND u.call_id < ledger.uuid_at((d.day + 1)::timestamp AT TIME ZONE 'UTC'))
  UNION ALL
  SELECT 'a closed day credits back what it did when it was closed', coalesce(c.day, p.day)::text || ' ' || coalesce(c.account_id, p.account_id) || '/' || coalesce(c.lot_id, p.lot_id),
      format('%s when it was closed, %s posted', coalesce(c.returned, 0), coalesce(p.amount, 0))
    FROM (SELECT day, account_id, lot_id, returned FROM ledger.closing WHERE returned > 0) c FULL JOIN (
      SELECT (ledger.time_of(split_part(p.key, ':', 2)::uuid) AT TIME ZONE 'UTC')::date AS day, p.account_id, p.lot_id, sum(p.amount) AS amount
        FROM ledger.posting p JOIN ledger.closed_day d ON d.day = (ledger.time_of(split_part(p.key, ':', 2)::uuid) AT TIME ZONE 'UTC')::date
        WHERE p.kind = 'undelivered' GROUP BY 1, 2, 3
    ) p ON p.day = c.day AND p.account_id = c.account_id AND p.lot_id = c.lot_id
    WHERE coalesce(c.returned, 0) <> coalesce(p.amount, 0)
$$;
