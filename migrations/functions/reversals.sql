-- Takes the clawback due from what is left in a lot. Leased units are taken when they return (`ledger.collect_clawbacks`).
CREATE OR REPLACE FUNCTION ledger.clawback(p_account text, p_lot bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_take bigint;
BEGIN
  SELECT least(avail, clawback_due) INTO v_take FROM ledger.lot WHERE account_id = p_account AND id = p_lot FOR UPDATE;
  IF v_take IS NULL OR v_take = 0 THEN RETURN; END IF;
  INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
    SELECT 'reversed:' || p_lot || ':' || count(*), p_account, p_lot, 'reversed', 'processor', -v_take
      FROM ledger.posting WHERE account_id = p_account AND lot_id = p_lot AND kind = 'reversed';
  UPDATE ledger.lot SET avail = avail - v_take, clawback_due = clawback_due - v_take WHERE account_id = p_account AND id = p_lot;
END $$;

-- Makes the total taken back from the lot of posting `p_key` equal to `p_target`, by taking more or by returning the excess. The target is a state
-- and not a change, so that calls may come in any order and be repeated.
CREATE OR REPLACE FUNCTION ledger.reverse(p_key text, p_target bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_paid ledger.posting;
  v_last ledger.lot;
  v_delta bigint;
  v_back bigint;
BEGIN
  SELECT * INTO v_paid FROM ledger.posting WHERE key = p_key;
  IF NOT FOUND THEN RETURN; END IF;
  LOOP
    PERFORM 1 FROM ledger.lot k WHERE (k.account_id, k.id) IN (SELECT c.account_id, c.id FROM ledger.lot_chain(v_paid.account_id, v_paid.lot_id) c)
      ORDER BY k.id FOR UPDATE;
    SELECT k.* INTO v_last FROM ledger.lot k JOIN ledger.lot_chain(v_paid.account_id, v_paid.lot_id) c USING (account_id, id)
      WHERE k.moved_to IS NULL FOR UPDATE OF k;
    EXIT WHEN FOUND; -- the lot may have moved on before it was locked
  END LOOP;
  v_delta := least(p_target, v_paid.amount) - v_last.clawback_due + coalesce((
    SELECT sum(p.amount) FROM ledger.posting p JOIN ledger.lot_chain(v_paid.account_id, v_paid.lot_id) c ON c.account_id = p.account_id AND c.id = p.lot_id
      WHERE p.kind IN ('reversed', 'reinstated')), 0);
  IF v_delta > 0 THEN
    UPDATE ledger.lot SET clawback_due = clawback_due + v_delta, closed = false WHERE account_id = v_last.account_id AND id = v_last.id;
    PERFORM ledger.clawback(v_last.account_id, v_last.id);
    PERFORM ledger.announce('ledger', 'recall:' || v_last.account_id);
  ELSIF v_delta < 0 THEN
    v_back := greatest(0, -v_delta - v_last.clawback_due);
    UPDATE ledger.lot SET clawback_due = clawback_due - least(clawback_due, -v_delta), avail = avail + v_back, closed = closed AND v_back = 0 WHERE account_id = v_last.account_id AND id = v_last.id;
    IF v_back > 0 THEN
      INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
        SELECT 'reinstated:' || v_last.id || ':' || count(*), v_last.account_id, v_last.id, 'reinstated', 'processor', v_back
          FROM ledger.posting WHERE account_id = v_last.account_id AND lot_id = v_last.id AND kind = 'reinstated';
      PERFORM ledger.announce('ledger', 'granted:' || v_last.account_id);
    END IF;
  END IF;
END $$;

-- Takes returned units of at most `p_max` lots that owe them. Returns the number of lots; if it is `p_max`, there may be more.
CREATE OR REPLACE FUNCTION ledger.collect_clawbacks(p_max integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_lot record;
  v_count integer := 0;
BEGIN
  FOR v_lot IN SELECT account_id, id FROM ledger.lot WHERE clawback_due > 0 AND avail > 0 ORDER BY id LIMIT p_max FOR UPDATE SKIP LOCKED LOOP
    PERFORM ledger.clawback(v_lot.account_id, v_lot.id);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;

-- Returns the units or micro-dollars of an order's lot that refunds and disputes of its own payment take back. For included units it is their share
-- of the payment, rounded down in the buyer's favour. Units credited for a replaced period were paid by another payment and do not count.
-- `p_more`: counts as if this much more was returned, or less when it is negative.
CREATE OR REPLACE FUNCTION shop.reversed_own_with(p_order shop.purchase, p_more bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_order.units IS NULL THEN r.amount
      ELSE coalesce(floor((p_order.units - coalesce(c.units_credited, 0))::numeric * r.amount / nullif(p_order.amount, 0)), 0)::bigint END
    FROM (SELECT greatest(0, least(p_order.amount, coalesce(sum(amount), 0)) + p_more)::bigint AS amount FROM shop.reversal WHERE purchase_id = p_order.id AND is_effective) r
      LEFT JOIN shop.replacement c ON c.purchase_id = p_order.id
$$;

-- Returns the same for the present reversals.
CREATE OR REPLACE FUNCTION shop.reversed_own(p_order shop.purchase) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT shop.reversed_own_with(p_order, 0)
$$;

-- Returns the orders that replaced one another, the oldest first, with the reversals to take from each lot in its own units. `claim`: reversals of
-- its own payment plus those carried over from the period before. `carried`: the part passed to the next period, where the units are now; negative
-- if money was returned whose units had been taken before the replacement. `target`: the part taken from this lot. `p_more`: counts as if this much
-- more of the payment of `p_id` was returned, or less when it is negative.
CREATE OR REPLACE FUNCTION shop.reversal_chain_with(p_id text, p_more bigint)
RETURNS TABLE (id text, own bigint, claim bigint, carried bigint, target bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_id text;
  v_older text := p_id;
  v_order shop.purchase;
  v_next shop.replacement;
  v_rate numeric;
  v_inherited bigint := 0;
BEGIN
  WHILE v_older IS NOT NULL LOOP
    v_id := v_older;
    SELECT r.replaced_id INTO v_older FROM shop.replacement r WHERE r.purchase_id = v_id;
  END LOOP;
  WHILE v_id IS NOT NULL LOOP
    SELECT * INTO v_order FROM shop.purchase o WHERE o.id = v_id;
    EXIT WHEN NOT FOUND;
    SELECT * INTO v_next FROM shop.replacement r WHERE r.replaced_id = v_id;
    id := v_id;
    own := shop.reversed_own_with(v_order, CASE WHEN v_id = p_id THEN p_more ELSE 0 END);
    claim := own + v_inherited;
    carried := coalesce(least(claim - v_next.units_reversed, v_next.units_left), 0);
    target := claim - carried;
    RETURN NEXT;
    v_id := v_next.purchase_id;
    -- The exchange rate of units between the two periods: as they were credited, or by price if none were left to credit.
    SELECT CASE WHEN v_next.units_left > 0 THEN v_next.units_credited::numeric / v_next.units_left
        ELSE (v_order.terms ->> 'price')::numeric / (v_order.terms ->> 'units')::numeric / ((o.terms ->> 'price')::numeric / (o.terms ->> 'units')::numeric) END
      INTO v_rate FROM shop.purchase o WHERE o.id = v_id;
    v_inherited := coalesce(floor(abs(carried) * v_rate) * sign(carried), 0)::bigint;
  END LOOP;
END $$;

-- Returns the same for the present reversals.
CREATE OR REPLACE FUNCTION shop.reversal_chain(p_id text)
RETURNS TABLE (id text, own bigint, claim bigint, carried bigint, target bigint) LANGUAGE sql STABLE AS $$
  SELECT * FROM shop.reversal_chain_with(p_id, 0)
$$;

-- Returns what a refund of `p_more` of an order's payment takes from the lot of each order of its chain, the oldest first; with a negative `p_more`,
-- what reversals of that much have taken. `due`: in the units of the lot. `remaining`: what is left in it. `unpaid`: what earlier reversals did not find.
CREATE OR REPLACE FUNCTION shop.refund_takes(p_id text, p_more bigint)
RETURNS TABLE (id text, plan text, asset text, due bigint, remaining bigint, unpaid bigint) LANGUAGE sql STABLE AS $$
  SELECT o.id, o.plan_id, coalesce(o.terms ->> 'asset', 'unit'), abs(w.target - c.target), l.remaining, l.unpaid
    FROM shop.reversal_chain_with(p_id, p_more) WITH ORDINALITY AS w (id, own, claim, carried, target, n) JOIN shop.reversal_chain(p_id) c ON c.id = w.id
      JOIN shop.purchase o ON o.id = w.id
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(s.remaining), 0)::bigint AS remaining, coalesce(sum(k.clawback_due), 0)::bigint AS unpaid
          FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) h JOIN ledger.lot k ON k.account_id = h.account_id AND k.id = h.id
            LEFT JOIN ledger.statement(h.account_id) s ON s.lot_id = h.id AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
          WHERE p.key = 'purchase:' || o.id
      ) l
    ORDER BY w.n
$$;

-- Returns the amount that the current reversals take from an order's lot, in the lot's asset. It is negative if units return to the period
-- that replaced the one they were taken from.
CREATE OR REPLACE FUNCTION shop.reversed_amount(p_order shop.purchase) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM shop.replacement r WHERE r.replaced_id = p_order.id OR r.purchase_id = p_order.id)
    THEN (SELECT c.target FROM shop.reversal_chain(p_order.id) c WHERE c.id = p_order.id) ELSE shop.reversed_own(p_order) END
$$;

-- Numbers a reading of an order's refunds and disputes, before the processor is asked. Returns null if there is no such granted order.
CREATE OR REPLACE FUNCTION shop.begin_reversal_sync(p_id text) RETURNS integer LANGUAGE sql AS $$
  UPDATE shop.purchase SET sync_seq = sync_seq + 1 WHERE id = p_id AND state = 'granted' RETURNING sync_seq
$$;

-- Locks the orders that replaced one another, so that concurrent readings and grants see each other's reversals.
CREATE OR REPLACE FUNCTION shop.lock_chain(p_id text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_chain text[] := ARRAY[p_id];
  v_locked text[];
BEGIN
  LOOP
    PERFORM 1 FROM shop.purchase WHERE id = ANY (v_chain) ORDER BY id FOR UPDATE;
    v_locked := v_chain;
    SELECT array_agg(c.id) INTO v_chain FROM shop.reversal_chain(p_id) c;
    -- Another order may have replaced one of them before they were locked.
    EXIT WHEN v_chain IS NULL OR v_chain <@ v_locked;
  END LOOP;
END $$;

-- Writes the result of a reading and moves the credit accordingly. A reading that began before one that is already written is discarded, because
-- each change at the processor causes a webhook event and thereby a later reading. Safe to repeat. Returns false if nothing was written.
CREATE OR REPLACE FUNCTION shop.apply_reversals(p_id text, p_sync_seq integer, p_found jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_before bigint;
BEGIN
  PERFORM shop.lock_chain(p_id);
  UPDATE shop.purchase SET applied_seq = p_sync_seq WHERE id = p_id AND state = 'granted' AND applied_seq < p_sync_seq RETURNING * INTO v_order;
  IF NOT FOUND THEN RETURN false; END IF;
  v_before := shop.reversed_own(v_order);
  INSERT INTO shop.reversal AS v (id, purchase_id, kind, amount, tax, status, is_effective, reason, due_at)
    SELECT r.id, p_id, r.kind, r.amount, coalesce(r.tax, 0), r.status, r.is_effective, r.reason, to_timestamp(r.due_ms / 1000.0)
      FROM jsonb_to_recordset(p_found) AS r (id text, kind text, amount bigint, tax bigint, status text, is_effective boolean, reason text, due_ms bigint)
    ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, tax = excluded.tax, status = excluded.status, is_effective = excluded.is_effective, reason = excluded.reason, due_at = excluded.due_at,
      updated_at = CASE WHEN (v.amount, v.tax, v.status, v.is_effective) = (excluded.amount, excluded.tax, excluded.status, excluded.is_effective) THEN v.updated_at ELSE clock_timestamp() END;
  PERFORM shop.add_account_mail('refunded_' || r.id, v_order.account_id, 'refunded', r.id)
    FROM shop.reversal r WHERE r.purchase_id = p_id AND r.kind = 'refund' AND r.is_effective;
  -- Units that were credited to another period are reversed together with the payment that bought them.
  PERFORM ledger.reverse('purchase:' || c.id, c.target) FROM shop.reversal_chain(p_id) c;
  IF shop.reversed_own(v_order) > v_before THEN PERFORM shop.restrain_top_ups(v_order); END IF;
  RETURN true;
END $$;

-- Keeps automatic top-ups from charging a card for money that was just returned to it. A dispute, and a refund of a whole payment, end the agreement of
-- the card's holder. A refund in part, such as a goodwill refund, leaves it, and stops the charges only if the credit that is left would cause one
-- at once: otherwise the calls of a buyer who has done nothing would end with the credit.
CREATE OR REPLACE FUNCTION shop.restrain_top_ups(p_order shop.purchase) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(r.amount) >= p_order.amount OR bool_or(r.kind = 'dispute') FROM shop.reversal r WHERE r.purchase_id = p_order.id AND r.is_effective) THEN
    PERFORM shop.end_top_ups(p_order.account_id, 'A payment of this account was refunded or disputed.');
  ELSIF p_order.units IS NULL
    AND EXISTS (SELECT FROM shop.top_up t WHERE t.account_id = p_order.account_id AND t.state = 'on' AND t.below > shop.top_up_balance(t.account_id)) THEN
    PERFORM shop.stop_top_ups(p_order.account_id, 'A payment of this account was refunded in part, and too little credit was left.');
  END IF;
END $$;

-- Returns the amount of an order's reversed payment, in micro-dollars, whose units or credit could not be taken because they were spent. `pending`:
-- running calls or leases still hold this much; what they do not use will be taken.
CREATE OR REPLACE FUNCTION shop.reversal_losses(p_id text, OUT loss bigint, OUT pending bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_one record;
  v_lot record;
  v_unit_price numeric;
  v_lost numeric := 0;
  v_held numeric := 0;
  -- The share of a lot's claim caused by this order's payment; null until the loop reaches the order's own lot.
  v_mine numeric;
BEGIN
  FOR v_one IN SELECT * FROM shop.reversal_chain(p_id) LOOP
    IF v_one.id = p_id THEN v_mine := coalesce(v_one.own::numeric / nullif(v_one.claim, 0), 0);
    ELSIF v_mine IS NOT NULL THEN v_mine := coalesce(v_mine * (v_one.claim - v_one.own) / nullif(v_one.claim, 0), 0);
    END IF;
    CONTINUE WHEN coalesce(v_mine, 0) = 0;
    SELECT CASE WHEN o.units IS NULL THEN 1 ELSE (o.terms ->> 'price')::numeric / (o.terms ->> 'units')::numeric END INTO v_unit_price
      FROM shop.purchase o WHERE o.id = v_one.id;
    FOR v_lot IN
      SELECT k.account_id, k.id, k.clawback_due, k.avail FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) b
        JOIN ledger.lot k ON k.account_id = b.account_id AND k.id = b.id WHERE p.key = 'purchase:' || v_one.id AND k.clawback_due > 0
    LOOP
      v_lot.avail := least(v_lot.clawback_due, v_lot.avail + coalesce((SELECT sum(e.amount) FROM ledger.lease e WHERE e.account_id = v_lot.account_id AND e.lot_id = v_lot.id), 0)
        - coalesce((SELECT sum(u.amount) FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) u
            WHERE n.open AND u.account_id = v_lot.account_id AND u.lot_id = v_lot.id), 0));
      v_lost := v_lost + (v_lot.clawback_due - v_lot.avail) * v_unit_price * v_mine;
      v_held := v_held + v_lot.avail * v_unit_price * v_mine;
    END LOOP;
  END LOOP;
  loss := ceil(v_lost);
  pending := ceil(v_held);
END $$;

-- Returns only the certain part of the loss.
CREATE OR REPLACE FUNCTION shop.reversal_loss(p_id text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT loss FROM shop.reversal_losses(p_id)
$$;
