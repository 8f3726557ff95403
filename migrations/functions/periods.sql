-- Returns the end of the period that begins at `p_start`: whole months (or years) after the anchor, in UTC. 31 January is followed by 28 February
-- and 31 March. `p_start` is the anchor or an end returned by this function.
CREATE OR REPLACE FUNCTION shop.period_end(p_anchor timestamptz, p_start timestamptz, p_every text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT (a.at + make_interval(months => ((extract(year FROM a.start) - extract(year FROM a.at)) * 12 + extract(month FROM a.start) - extract(month FROM a.at))::integer
      + CASE p_every WHEN 'year' THEN 12 ELSE 1 END)) AT TIME ZONE 'UTC'
    FROM (SELECT p_anchor AT TIME ZONE 'UTC' AS at, p_start AT TIME ZONE 'UTC' AS start) a
$$;

-- Returns when each allowance of a subscription ends. An allowance replaced by a change of plan ends when the new one begins. Others end when the
-- next period begins, or one period later if the plan lets them roll over. The last one of a renewing plan lasts for the plan's grace days, unless
-- the plan has ended. A period that was paid lasts to its end, also when the subscription ended before it was paid. The result depends on the current
-- rows only, so periods may be granted in any order.
CREATE OR REPLACE FUNCTION shop.allowance_ends(p_subscription text) RETURNS TABLE (account_id text, id bigint, ends timestamptz) LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
  SELECT c.account_id, c.id, o.ends
    FROM (
      -- One row per period. A joined account can have several lots of one period, which do not follow one another.
      SELECT o.id, least(
          CASE WHEN s.ended_at IS NULL OR EXISTS (SELECT FROM shop.replacement r WHERE r.replaced_id = o.id) THEN s.ended_at ELSE greatest(s.ended_at, o.period_end) END,
        CASE
          WHEN n.period_start IS NOT NULL THEN n.period_start
          WHEN (o.terms ->> 'rollover')::boolean THEN shop.period_end(coalesce(s.anchor, o.period_start), o.period_end, o.terms ->> 'every')
          ELSE coalesce(lead(o.period_start) OVER (ORDER BY o.period_start), o.period_end + CASE
            WHEN s.processor_id IS NULL OR s.cancel_at_period_end THEN interval '0' ELSE make_interval(days => (o.terms ->> 'graceDays')::integer) END)
        END) AS ends
        FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id
          CROSS JOIN LATERAL (SELECT min(n.period_start) AS period_start FROM shop.purchase n
            WHERE n.subscription_id = o.subscription_id AND n.state = 'granted' AND n.terms -> 'replaces' ->> 'order' = o.id) n
        WHERE o.subscription_id = p_subscription AND o.state = 'granted'
    ) o JOIN ledger.posting p ON p.key = 'purchase:' || o.id CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
$$;

-- Updates the ends of a subscription's allowances.
CREATE OR REPLACE FUNCTION shop.update_allowance_ends(p_subscription text) RETURNS void LANGUAGE sql AS $$
  WITH changed AS (
    UPDATE ledger.lot k SET expires_at = t.ends
      FROM shop.allowance_ends(p_subscription) t
      WHERE k.account_id = t.account_id AND k.id = t.id AND k.expires_at IS DISTINCT FROM t.ends
      RETURNING k.account_id
  )
  SELECT ledger.announce_terms(account_id) FROM (SELECT DISTINCT account_id FROM changed) c
$$;

-- Returns the units that writers hold of the plan that an order replaces, and asks the writers to return those that no running call needs.
-- Call it before the order is granted: units that are held then count as used.
CREATE OR REPLACE FUNCTION shop.recall_replaced(p_id text) RETURNS bigint LANGUAGE sql AS $$
  WITH leased AS (
    SELECT l.account_id, sum(l.amount) AS amount FROM shop.purchase o JOIN ledger.posting p ON p.key = 'purchase:' || (o.terms -> 'replaces' ->> 'order')
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
        JOIN ledger.lease l ON l.account_id = c.account_id AND l.lot_id = c.id
      WHERE o.id = p_id AND l.amount > 0 GROUP BY l.account_id
  ), asked AS (SELECT amount, ledger.announce('ledger', 'recall:' || account_id) FROM leased)
  SELECT coalesce(sum(amount), 0)::bigint FROM asked
$$;

-- Returns the units that an amount buys by the terms of a period, rounded down.
CREATE OR REPLACE FUNCTION shop.units_for(p_terms jsonb, p_money numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT floor((p_terms ->> 'units')::numeric * p_money / (p_terms ->> 'price')::numeric)::bigint
$$;

-- Returns the worth of a running period in micro-dollars when a more expensive plan replaces it: the smaller of the unused time and the unused
-- units, at the price of a unit of its plan. Time counts from ten minutes ago, so that an offer that is paid promptly gets its quoted credit.
CREATE OR REPLACE FUNCTION shop.remaining_worth(p_order shop.purchase, p_left bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT (p_order.terms ->> 'price')::numeric / (p_order.terms ->> 'units')::numeric * least(p_left, p_order.units * least(1, greatest(0,
    extract(epoch FROM p_order.period_end - (clock_timestamp() - interval '10 minutes')) / extract(epoch FROM p_order.period_end - p_order.period_start))))
$$;

-- Returns the units of the period that an order pays, and ends the period that it replaces. They are never more than the order's money buys together
-- with the current worth of the replaced period, which the offer limits. A period that has ended, was replaced before, or is not of a cheaper plan
-- adds nothing. The credited units are recorded in shop.replacement. Call it once, with the order locked.
CREATE OR REPLACE FUNCTION shop.replace_period(p_order shop.purchase) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_old shop.purchase;
  v_lot record;
  v_left bigint;
  v_reversed bigint;
  v_own bigint;
  v_units bigint;
BEGIN
  -- The processor sets the amount of an invoice, which includes the seller's credits and coupons.
  IF p_order.rail = 'invoice' AND p_order.terms -> 'replaces' IS NULL THEN RETURN p_order.units; END IF;
  IF p_order.terms ->> 'units' IS NULL THEN RAISE EXCEPTION 'the terms of order % do not say how many units their price buys', p_order.id; END IF;
  v_own := least((p_order.terms ->> 'units')::bigint, shop.units_for(p_order.terms, p_order.amount));
  SELECT o.* INTO v_old FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id
    WHERE o.id = p_order.terms -> 'replaces' ->> 'order' AND o.state = 'granted' AND o.account_id = p_order.account_id AND s.ended_at IS NULL
      AND o.period_start <= clock_timestamp() AND o.period_end > clock_timestamp()
      AND (o.terms ->> 'price')::bigint < (p_order.terms ->> 'price')::bigint
      AND NOT EXISTS (SELECT FROM shop.replacement r WHERE r.replaced_id = o.id)
    FOR UPDATE OF o;
  IF NOT FOUND THEN RETURN greatest(1, v_own); END IF;
  FOR v_lot IN
    SELECT k.account_id, k.id FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
      JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.id WHERE p.key = 'purchase:' || v_old.id ORDER BY k.id FOR UPDATE OF k
  LOOP
    PERFORM ledger.clawback(v_lot.account_id, v_lot.id);
  END LOOP;
  SELECT coalesce(sum(k.avail) FILTER (WHERE k.expires_at IS NULL OR k.expires_at > clock_timestamp()), 0), coalesce(-sum(r.amount), 0) INTO v_left, v_reversed
    FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
      JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.id
      LEFT JOIN LATERAL (SELECT sum(x.amount) AS amount FROM ledger.posting x
        WHERE x.account_id = c.account_id AND x.lot_id = c.id AND x.kind IN ('reversed', 'reinstated')) r ON true
    WHERE p.key = 'purchase:' || v_old.id;
  v_units := least((p_order.terms ->> 'units')::bigint,
    shop.units_for(p_order.terms, p_order.amount + least((p_order.terms -> 'replaces' ->> 'credit')::numeric, shop.remaining_worth(v_old, v_left))));
  INSERT INTO shop.replacement (replaced_id, purchase_id, units_left, units_reversed, units_credited)
    VALUES (v_old.id, p_order.id, v_left, v_reversed, greatest(0, v_units - v_own));
  PERFORM ledger.end_lot('purchase:' || v_old.id);
  IF v_old.subscription_id IS DISTINCT FROM p_order.subscription_id THEN
    UPDATE shop.subscription SET status = 'expired', ended_at = coalesce(ended_at, clock_timestamp()) WHERE id = v_old.subscription_id;
    -- The lot ends at the moment that its subscription ended.
    PERFORM shop.update_allowance_ends(v_old.subscription_id);
  END IF;
  PERFORM ledger.expire_lot(c.account_id, c.id) FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
    WHERE p.key = 'purchase:' || v_old.id;
  RETURN greatest(1, v_units);
END $$;

-- Returns what an order's period includes: `unit`, or `usd` for dollars. Its `units` are then micro-dollars, and every rule for units applies to them.
CREATE OR REPLACE FUNCTION shop.included_asset(p_order shop.purchase) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_order.terms ->> 'asset', 'unit')
$$;

-- Begins the period that a granted order pays: its allowance and its subscription. Prepaid periods of one plan follow one another, counted in whole
-- months from the beginning of the first; their units can be used immediately. Safe to repeat.
CREATE OR REPLACE FUNCTION shop.begin_period(p_id text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_last shop.subscription;
  v_anchor timestamptz;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF EXISTS (SELECT FROM ledger.posting WHERE key = 'purchase:' || p_id) THEN RETURN; END IF;
  -- Concurrent periods of one account begin one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended('periods of ' || v_order.account_id, 0));
  v_order.subscription_id := coalesce(v_order.subscription_id, 'sub_' || p_id);
  v_order.units := shop.replace_period(v_order);
  IF v_order.period_start IS NULL THEN
    SELECT * INTO v_last FROM shop.subscription
      WHERE account_id = v_order.account_id AND plan_id = v_order.plan_id AND processor_id IS NULL AND status = 'active' AND period_end > clock_timestamp()
      ORDER BY period_end DESC LIMIT 1;
    v_order.period_start := coalesce(v_last.period_end, clock_timestamp());
    v_anchor := coalesce(v_last.anchor, v_order.period_start);
  END IF;
  v_anchor := coalesce(v_anchor, v_order.period_start);
  v_order.period_end := coalesce(v_order.period_end, shop.period_end(v_anchor, v_order.period_start, v_order.terms ->> 'every'));
  UPDATE shop.purchase SET subscription_id = v_order.subscription_id, units = v_order.units, period_start = v_order.period_start, period_end = v_order.period_end
    WHERE id = p_id;
  INSERT INTO shop.subscription AS s (id, account_id, plan_id, status, period_start, period_end, anchor)
    VALUES (v_order.subscription_id, v_order.account_id, v_order.plan_id, 'active', v_order.period_start, v_order.period_end, v_anchor)
    ON CONFLICT (id) DO UPDATE SET
      -- If the plan changed in the second in which the period began, both periods end together, and the new plan counts.
      plan_id = CASE WHEN excluded.period_end > s.period_end OR excluded.period_end = s.period_end AND v_order.terms -> 'replaces' IS NOT NULL
        THEN excluded.plan_id ELSE s.plan_id END,
      period_start = CASE WHEN excluded.period_end > s.period_end THEN excluded.period_start ELSE s.period_start END,
      -- A change of plan begins a period immediately, and the next ones are counted from it.
      anchor = CASE WHEN excluded.period_end > s.period_end AND excluded.period_start <> s.period_end THEN excluded.anchor ELSE s.anchor END,
      period_end = greatest(s.period_end, excluded.period_end);
  PERFORM ledger.grant_lot('purchase:' || p_id, v_order.account_id, 'purchase', 'processor', 'allowance', shop.included_asset(v_order), v_order.plan_id, v_order.units,
    v_order.period_end, v_order.period_end);
  PERFORM shop.update_allowance_ends(v_order.subscription_id);
END $$;
