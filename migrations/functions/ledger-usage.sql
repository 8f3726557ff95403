-- Returns the smallest UUIDv7 of a moment.
CREATE OR REPLACE FUNCTION ledger.uuid_at(p_at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Returns the moment of a UUIDv7.
CREATE OR REPLACE FUNCTION ledger.time_of(p_call uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || left(replace(p_call::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- Creates the partitions of calls for today (UTC) and the `p_days` after it, with the rights of the tables' owner. Safe to repeat and to run in
-- several processes. A partition takes a lock that calls wait for: when a report or an export holds the table, a later run creates the partition of a day to come.
CREATE OR REPLACE FUNCTION ledger.prepare_usage(p_days integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '200ms' AS $$
DECLARE
  v_day date;
  v_table text;
  v_name text;
BEGIN
  FOR v_table, v_day IN
    SELECT t, (clock_timestamp() AT TIME ZONE 'UTC')::date + d FROM unnest(ARRAY['usage', 'stored_response']) t, generate_series(0, p_days) d
  LOOP
    v_name := v_table || '_' || to_char(v_day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('ledger.' || v_name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE ledger.%I PARTITION OF ledger.%I FOR VALUES FROM (%L) TO (%L)', v_name, v_table,
        ledger.uuid_at(v_day::timestamp AT TIME ZONE 'UTC'), ledger.uuid_at((v_day + 1)::timestamp AT TIME ZONE 'UTC'));
      IF v_table = 'usage' THEN
        EXECUTE format('CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.%I FOR EACH STATEMENT EXECUTE FUNCTION shop.refuse_change()', v_name);
      END IF;
    EXCEPTION
      WHEN duplicate_table OR unique_violation THEN NULL; -- another process created it
      WHEN lock_not_available THEN
        IF v_day <= (clock_timestamp() AT TIME ZONE 'UTC')::date THEN RAISE; END IF;
        RETURN;
      WHEN check_violation THEN NULL; -- the default partition already has rows of that day, and keeps them
    END;
  END LOOP;
END $$;

-- Indexes days of usage that have ended, so that the usage of one account can be read without that of all others. Nothing is written to those
-- days any more; an index on the current day would cost a third of the hot path. Indexes one day per call, and returns true while there are more.
CREATE OR REPLACE FUNCTION ledger.index_usage() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  v_name text;
BEGIN
  SELECT c.relname INTO v_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'ledger.usage'::regclass AND c.relname ~ '^usage_\d{8}$'
      AND c.relname < 'usage_' || to_char((clock_timestamp() - interval '1 hour') AT TIME ZONE 'UTC', 'YYYYMMDD')
      AND to_regclass('ledger.' || c.relname || '_account') IS NULL
    ORDER BY 1 LIMIT 1;
  IF v_name IS NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON ledger.%I (account_id, call_id)', v_name || '_account', v_name);
  RETURN true;
END $$;

-- Returns the calls of an account, and of accounts joined to it, between two moments: one row per lot drawn, less what was credited back. `cost` is
-- in micro-dollars; units of a plan count as `included` and cost nothing. A metered call has quantities, on one row, and no units. The
-- upstream cost is the seller's own figure, so it is not returned.
CREATE OR REPLACE FUNCTION ledger.account_usage(p_account text, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (call_id uuid, service text, operation text, plan_id text, key_id text, status smallint, units bigint, included bigint, cost bigint, is_returned boolean,
  quantities jsonb, price_key text) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, u.service, u.operation, u.plan_id, u.key_id, u.status, CASE WHEN p.key IS NULL AND u.quantities IS NULL THEN u.units ELSE 0 END,
      CASE WHEN p.key IS NULL AND k.asset = 'unit' THEN u.amount ELSE 0 END, CASE WHEN p.key IS NULL AND k.asset = 'usd' THEN u.amount ELSE 0 END, p.key IS NOT NULL,
      u.quantities, u.price_key
    FROM ledger.usage u
      LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
      LEFT JOIN ledger.posting p ON p.account_id = u.account_id AND p.lot_id = u.lot_id AND p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.account_id IN (SELECT a.id FROM shop.account a WHERE a.id = p_account OR a.joined_to = p_account)
      AND u.call_id >= ledger.uuid_at(p_from) AND u.call_id < ledger.uuid_at(p_to)
$$;

-- Returns the usage of an account, and of accounts joined to it, on closed days that begin before `p_to` and end after `p_from`: a closed day counts as a whole.
CREATE OR REPLACE FUNCTION ledger.closed_account_usage(p_account text, p_from timestamptz, p_to timestamptz) RETURNS SETOF ledger.closed_usage LANGUAGE sql STABLE AS $$
  SELECT u.* FROM ledger.closed_usage u
    WHERE u.account_id IN (SELECT a.id FROM shop.account a WHERE a.id = p_account OR a.joined_to = p_account)
      AND u.day > (p_from AT TIME ZONE 'UTC')::date - 1 AND u.day::timestamp AT TIME ZONE 'UTC' < p_to
$$;

-- Returns the same as sums, grouped by service, operation, plan, key, model (price key) or day (UTC), with closed days. A call drawn from several plans
-- counts once for each plan. `quantities` is the sum of each meter, without calls that were credited back. `p_service`, `p_key` and `p_model` select
-- calls; null selects all, and an empty text those without a key or model.
CREATE OR REPLACE FUNCTION ledger.account_usage_by(p_account text, p_from timestamptz, p_to timestamptz, p_group text, p_service text, p_key text, p_model text)
RETURNS TABLE (name text, calls bigint, units bigint, included bigint, cost bigint, quantities jsonb) LANGUAGE sql STABLE AS $$
  WITH used AS MATERIALIZED (
    SELECT CASE p_group WHEN 'service' THEN u.service WHEN 'operation' THEN u.operation WHEN 'plan' THEN u.plan_id WHEN 'key' THEN u.key_id WHEN 'model' THEN u.price_key
        ELSE to_char(ledger.time_of(u.call_id) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS name, u.call_id, u.units, u.included, u.cost, u.quantities, u.is_returned
      FROM ledger.account_usage(p_account, p_from, p_to) u
      WHERE (p_service IS NULL OR u.service = p_service) AND (p_key IS NULL OR coalesce(u.key_id, '') = p_key) AND (p_model IS NULL OR coalesce(u.price_key, '') = p_model)
  ), closed AS MATERIALIZED (
    SELECT CASE p_group WHEN 'service' THEN u.service WHEN 'operation' THEN u.operation WHEN 'plan' THEN u.plan_id WHEN 'key' THEN u.key_id WHEN 'model' THEN u.price_key
        ELSE to_char(u.day, 'YYYY-MM-DD') END AS name, CASE p_group WHEN 'plan' THEN u.plan_calls ELSE u.calls END AS calls, u.units, u.included, u.cost, u.quantities
      FROM ledger.closed_account_usage(p_account, p_from, p_to) u
      WHERE (p_service IS NULL OR u.service = p_service) AND (p_key IS NULL OR coalesce(u.key_id, '') = p_key) AND (p_model IS NULL OR coalesce(u.price_key, '') = p_model)
  ), summed AS (
    SELECT s.name, sum(s.calls)::bigint AS calls, sum(s.units)::bigint AS units, sum(s.included)::bigint AS included, sum(s.cost)::bigint AS cost FROM (
      SELECT u.name, count(DISTINCT u.call_id) AS calls, sum(u.units) AS units, sum(u.included) AS included, sum(u.cost) AS cost FROM used u GROUP BY 1
      UNION ALL SELECT c.name, c.calls, c.units, c.included, c.cost FROM closed c
    ) s GROUP BY 1
  ), metered AS (
    SELECT m.name, jsonb_object_agg(m.meter, m.quantity) AS quantities FROM (
      SELECT a.name, q.key AS meter, sum(q.value::numeric) AS quantity FROM (
        SELECT u.name, u.quantities FROM used u WHERE u.quantities IS NOT NULL AND NOT u.is_returned
        UNION ALL SELECT c.name, c.quantities FROM closed c WHERE c.quantities IS NOT NULL
      ) a, jsonb_each_text(a.quantities) q GROUP BY 1, 2
    ) m GROUP BY 1
  )
  SELECT s.name, s.calls, s.units, s.included, s.cost, m.quantities FROM summed s LEFT JOIN metered m ON m.name IS NOT DISTINCT FROM s.name ORDER BY 1 NULLS LAST
$$;
