-- Returns the end of the hours that are summed up. Later calls are not summed yet.
CREATE OR REPLACE FUNCTION ledger.usage_summed_until() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(hour) + interval '1 hour', to_timestamp(0)) FROM ledger.usage_hour
$$;

-- Returns true if neither an included unit nor an included dollar of a subscription paid for the call of a usage row. Both are drawn before
-- credit, so a first row of credit is enough.
CREATE OR REPLACE FUNCTION ledger.is_paid_in_money(p_call uuid, p_draw smallint, p_asset text, p_kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_asset = 'unit' OR p_kind = 'allowance' THEN false WHEN p_draw = 0 AND p_kind IS DISTINCT FROM 'trial' THEN true ELSE NOT EXISTS (
    SELECT FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
      WHERE u.call_id = p_call AND (k.asset = 'unit' OR k.kind = 'allowance')) END
$$;

-- Returns the usage rows between two moments without those of budgets, which are caps. `cost` is in micro-dollars; units of a plan count as
-- `included` and cost nothing; a metered call has quantities and no units.
--
-- `is_costed`: the margin of the call is known, because its upstream cost is known and nothing that a subscription includes paid for it (the money for that
-- was paid with the plan). `revenue` is what was paid for such a call; credit from grants and trials was not paid.
CREATE OR REPLACE FUNCTION ledger.usage_between(p_from timestamptz, p_to timestamptz)
RETURNS TABLE (call_id uuid, is_call boolean, account_id text, service text, units bigint, included bigint, cost bigint,
  price_key text, quantities jsonb, is_costed boolean, revenue bigint, upstream_cost bigint) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, u.draw = 0, u.account_id, u.service, CASE WHEN u.quantities IS NULL THEN u.units ELSE 0 END,
      CASE k.asset WHEN 'unit' THEN u.amount ELSE 0 END, CASE k.asset WHEN 'usd' THEN u.amount ELSE 0 END, coalesce(u.price_key, ''), u.quantities, c.is_costed,
      CASE WHEN c.is_costed AND k.asset = 'usd' AND k.kind = 'credit' THEN u.amount ELSE 0 END, CASE WHEN c.is_costed THEN u.upstream_cost ELSE 0 END
    FROM ledger.usage u LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
      CROSS JOIN LATERAL (SELECT u.upstream_cost IS NOT NULL AND ledger.is_paid_in_money(u.call_id, u.draw, k.asset, k.kind) AS is_costed) c
    WHERE u.call_id >= ledger.uuid_at(p_from) AND u.call_id < ledger.uuid_at(p_to) AND u.plan_id IS DISTINCT FROM '#budget'
$$;

-- Sums up hours that have ended, a day at a time. Returns true while there may be more. Safe to repeat and to run in several processes.
CREATE OR REPLACE FUNCTION ledger.sum_usage() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_from timestamptz := ledger.usage_summed_until();
  v_to timestamptz := date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour';
BEGIN
  SELECT date_trunc('hour', ledger.time_of(call_id), 'UTC') INTO v_from FROM ledger.usage WHERE call_id >= ledger.uuid_at(v_from) ORDER BY call_id LIMIT 1;
  v_to := least(v_to, v_from + interval '1 day');
  IF v_from IS NULL OR v_from >= v_to THEN RETURN false; END IF;
  WITH used AS MATERIALIZED (
    SELECT date_trunc('hour', ledger.time_of(call_id), 'UTC') AS hour, u.* FROM ledger.usage_between(v_from, v_to) u
  ), summed AS (
    INSERT INTO ledger.usage_hour (hour, service, price_key, calls, units, included, cost, costed_calls, revenue, upstream_cost, quantities)
      SELECT s.*, m.quantities FROM (
        SELECT hour, service, price_key, count(*) FILTER (WHERE is_call), sum(units), sum(included), sum(cost), count(*) FILTER (WHERE is_call AND is_costed), sum(revenue), sum(upstream_cost)
          FROM used GROUP BY 1, 2, 3
      ) s LEFT JOIN (
        SELECT q.hour, q.service, q.price_key, jsonb_object_agg(q.meter, q.quantity) AS quantities FROM (
          SELECT u.hour, u.service, u.price_key, m.key AS meter, sum(m.value::numeric) AS quantity FROM used u, jsonb_each_text(u.quantities) m
            WHERE u.quantities IS NOT NULL GROUP BY 1, 2, 3, 4
        ) q GROUP BY 1, 2, 3
      ) m USING (hour, service, price_key) ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING
  )
  INSERT INTO ledger.account_last_hour AS c (account_id, hour) SELECT account_id, max(hour) FROM used GROUP BY 1 ORDER BY 1
    ON CONFLICT (account_id) DO UPDATE SET hour = greatest(c.hour, excluded.hour);
  RETURN true;
END $$;

-- Returns the usage of each service and price key since the start of an hour, less what was credited back since. The upstream charges for a call
-- that was credited back too, so `upstream_cost` includes it.
CREATE OR REPLACE FUNCTION ledger.usage_by_model(p_from timestamptz)
RETURNS TABLE (service text, price_key text, calls bigint, units bigint, included bigint, cost bigint, costed_calls bigint, revenue bigint, upstream_cost bigint, quantities jsonb) LANGUAGE sql STABLE AS $$
  WITH live AS MATERIALIZED (
    SELECT u.service, u.price_key, count(*) FILTER (WHERE u.is_call) AS calls, sum(u.units) AS units, sum(u.included) AS included, sum(u.cost) AS cost,
        count(*) FILTER (WHERE u.is_call AND u.is_costed) AS costed_calls, sum(u.revenue) AS revenue, sum(u.upstream_cost) AS upstream_cost, count(u.quantities) AS metered
      FROM ledger.usage_between(greatest(p_from, ledger.usage_summed_until()), now() + interval '1 day') u GROUP BY 1, 2
  ), returned AS MATERIALIZED (
    SELECT u.service, coalesce(u.price_key, '') AS price_key, CASE WHEN u.quantities IS NULL THEN u.units ELSE 0 END AS units,
        CASE k.asset WHEN 'unit' THEN u.amount ELSE 0 END AS included, CASE k.asset WHEN 'usd' THEN u.amount ELSE 0 END AS cost,
        CASE WHEN k.asset = 'usd' AND k.kind = 'credit' AND u.upstream_cost IS NOT NULL AND ledger.is_paid_in_money(u.call_id, u.draw, k.asset, k.kind) THEN u.amount ELSE 0 END AS revenue, u.quantities
      FROM ledger.posting p JOIN ledger.usage u ON u.call_id = split_part(p.key, ':', 2)::uuid AND u.draw = split_part(p.key, ':', 3)::smallint
        JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id AND k.kind <> 'budget'
      WHERE p.kind = 'undelivered' AND p.at >= p_from
  ), summed AS (
    SELECT a.service, a.price_key, sum(a.calls)::bigint AS calls, sum(a.units)::bigint AS units, sum(a.included)::bigint AS included, sum(a.cost)::bigint AS cost,
        sum(a.costed_calls)::bigint AS costed_calls, sum(a.revenue)::bigint AS revenue, sum(a.upstream_cost)::bigint AS upstream_cost
      FROM (
        SELECT h.service, h.price_key, h.calls, h.units, h.included, h.cost, h.costed_calls, h.revenue, h.upstream_cost FROM ledger.usage_hour h WHERE h.hour >= p_from
        UNION ALL SELECT l.service, l.price_key, l.calls, l.units, l.included, l.cost, l.costed_calls, l.revenue, l.upstream_cost FROM live l
        UNION ALL SELECT r.service, r.price_key, 0, -r.units, -r.included, -r.cost, 0, -r.revenue, 0 FROM returned r
      ) a GROUP BY 1, 2
  ), metered AS (
    SELECT m.service, m.price_key, jsonb_object_agg(m.meter, m.quantity) AS quantities FROM (
      SELECT a.service, a.price_key, q.key AS meter, sum(a.sign * q.value::numeric) AS quantity FROM (
        SELECT h.service, h.price_key, h.quantities, 1 AS sign FROM ledger.usage_hour h WHERE h.hour >= p_from AND h.quantities IS NOT NULL
        UNION ALL
        -- Read a second time only if there is a metered call.
        SELECT u.service, coalesce(u.price_key, ''), u.quantities, 1 FROM ledger.usage u
          WHERE EXISTS (SELECT FROM live WHERE live.metered > 0) AND u.quantities IS NOT NULL
            AND u.call_id >= ledger.uuid_at(greatest(p_from, ledger.usage_summed_until())) AND u.call_id < ledger.uuid_at(now() + interval '1 day')
        UNION ALL SELECT r.service, r.price_key, r.quantities, -1 FROM returned r WHERE r.quantities IS NOT NULL
      ) a, jsonb_each_text(a.quantities) q GROUP BY 1, 2, 3
    ) m GROUP BY 1, 2
  )
  SELECT s.*, m.quantities FROM summed s LEFT JOIN metered m USING (service, price_key) ORDER BY s.cost DESC, s.units DESC, s.service, s.price_key
$$;

-- Returns the number of accounts with calls since the start of an hour. Joined accounts count once.
CREATE OR REPLACE FUNCTION ledger.callers_since(p_from timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(DISTINCT coalesce(a.joined_to, c.account_id)) FROM (
    SELECT account_id FROM ledger.account_last_hour WHERE hour >= p_from
    UNION SELECT account_id FROM ledger.usage_between(greatest(p_from, ledger.usage_summed_until()), now() + interval '1 day')
  ) c LEFT JOIN shop.account a ON a.id = c.account_id
$$;

-- Returns the outstanding balance of all accounts, over all processes, paid and granted apart.
CREATE OR REPLACE FUNCTION ledger.unspent() RETURNS TABLE (asset text, is_paid boolean, amount bigint) LANGUAGE sql STABLE AS $$
  WITH uncheckpointed AS MATERIALIZED (
    SELECT s.account_id, s.lot_id, sum(s.amount)::bigint AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s WHERE n.open GROUP BY 1, 2
  ), leased AS MATERIALIZED (
    SELECT l.account_id, l.lot_id, sum(l.amount)::bigint AS amount FROM ledger.lease l GROUP BY 1, 2
  )
  SELECT k.asset, k.kind IN ('credit', 'allowance'), sum(greatest(0, k.avail + coalesce(l.amount, 0) - coalesce(s.amount, 0) - k.clawback_due))::bigint
    FROM ledger.lot k LEFT JOIN leased l ON l.account_id = k.account_id AND l.lot_id = k.id LEFT JOIN uncheckpointed s ON s.account_id = k.account_id AND s.lot_id = k.id
    WHERE k.kind <> 'budget' AND (k.avail > 0 OR l.amount > 0) AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    GROUP BY 1, 2
$$;

-- Returns the totals of the shop for each asset: paid in + granted - spent - reversed - expired = balance. `held` is the part of the balance that
-- is leased. `lost`: reversed payments whose units were already spent.
CREATE OR REPLACE FUNCTION ledger.totals() RETURNS TABLE (
  asset text, accounts bigint, lots bigint, paid_in bigint, granted bigint, spent bigint, reversed bigint, expired bigint, balance bigint, held bigint, lost bigint
) LANGUAGE sql STABLE AS $$
  WITH lot AS (
    SELECT k.asset, k.account_id, k.id, k.avail, k.clawback_due,
        coalesce((SELECT sum(l.amount) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id), 0) AS leased
      FROM ledger.lot k WHERE k.kind <> 'budget'
  ), posted AS (
    SELECT k.asset, p.kind, sum(p.amount) AS amount FROM ledger.posting p JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id WHERE k.kind <> 'budget' GROUP BY 1, 2
  ), used AS (
    SELECT k.asset, sum(u.amount) AS amount
      FROM (SELECT account_id, lot_id, amount FROM ledger.usage UNION ALL SELECT account_id, lot_id, amount FROM ledger.closing) u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id WHERE k.kind <> 'budget' GROUP BY 1
  ), uncheckpointed AS (
    SELECT k.asset, sum(s.amount) AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s
      JOIN ledger.lot k ON k.account_id = s.account_id AND k.id = s.lot_id WHERE n.open AND k.kind <> 'budget' GROUP BY 1
  )
  SELECT lot.asset, count(DISTINCT lot.account_id), count(*),
      coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'purchase'), 0)::bigint,
      coalesce((SELECT sum(amount) FROM posted WHERE posted.asset = lot.asset AND kind IN ('trial', 'grant')), 0)::bigint,
      (coalesce((SELECT amount FROM used WHERE used.asset = lot.asset), 0)
        - coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'undelivered'), 0))::bigint,
      (-coalesce((SELECT sum(amount) FROM posted WHERE posted.asset = lot.asset AND kind IN ('reversed', 'reinstated')), 0))::bigint,
      (-coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'expiry'), 0))::bigint,
      (sum(lot.avail + lot.leased) - coalesce((SELECT amount FROM uncheckpointed WHERE uncheckpointed.asset = lot.asset), 0))::bigint,
      (sum(lot.leased) - coalesce((SELECT amount FROM uncheckpointed WHERE uncheckpointed.asset = lot.asset), 0))::bigint, sum(lot.clawback_due)::bigint
    FROM lot GROUP BY lot.asset
$$;

-- Returns, for each account that paid or received a grant: payments, reversals, the worth of what it bought by the terms of the time, grants, and
-- the remaining balance, in micro-dollars and units.
CREATE OR REPLACE FUNCTION ledger.account_values() RETURNS TABLE (
  account_id text, paid bigint, reversed bigint, bought bigint, given bigint, given_units bigint, left_usd bigint, left_units bigint
) LANGUAGE sql STABLE AS $$
  WITH orders AS (
    SELECT o.account_id, sum(o.amount) AS paid,
        sum((SELECT least(o.amount, coalesce(sum(v.amount), 0)) FROM shop.reversal v WHERE v.purchase_id = o.id AND v.is_effective)) AS reversed,
        sum(o.amount) FILTER (WHERE o.units IS NULL) AS credit
      FROM shop.purchase o WHERE o.state = 'granted' GROUP BY 1
  ), bought AS (
    SELECT v.account_id, floor(sum(v.worth)) AS worth FROM ledger.order_values() v GROUP BY 1
  ), given AS (
    SELECT shop.joined_account(p.account_id) AS account_id, sum(p.amount) FILTER (WHERE k.asset = 'usd') AS usd, sum(p.amount) FILTER (WHERE k.asset = 'unit') AS units
      FROM ledger.posting p JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id WHERE p.kind IN ('trial', 'grant') GROUP BY 1
  )
  SELECT a.id, coalesce(o.paid, 0)::bigint, coalesce(o.reversed, 0)::bigint, (coalesce(o.credit, 0) + coalesce(b.worth, 0))::bigint, coalesce(g.usd, 0)::bigint, coalesce(g.units, 0)::bigint,
      coalesce(s.usd, 0)::bigint, coalesce(s.units, 0)::bigint
    FROM shop.account a LEFT JOIN orders o ON o.account_id = a.id LEFT JOIN bought b ON b.account_id = a.id LEFT JOIN given g ON g.account_id = a.id
      CROSS JOIN LATERAL (
        SELECT sum(t.remaining) FILTER (WHERE t.asset = 'usd') AS usd, sum(t.remaining) FILTER (WHERE t.asset = 'unit') AS units
          FROM ledger.statement(a.id) t WHERE t.expires_at IS NULL OR t.expires_at > clock_timestamp()
      ) s
    WHERE a.joined_to IS NULL AND (o.paid IS NOT NULL OR g.account_id IS NOT NULL)
$$;
