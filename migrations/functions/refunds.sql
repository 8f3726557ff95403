-- Returns the unspent worth of an order's payment in micro-dollars; included units count at the price of a unit. If another plan replaced
-- the order's period, the units credited for it count, up to the number that plan has left.
CREATE OR REPLACE FUNCTION shop.unspent_value(p_order shop.purchase) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_last shop.purchase := p_order;
  v_next shop.replacement;
  v_mine numeric := p_order.units - coalesce((SELECT units_credited FROM shop.replacement WHERE purchase_id = p_order.id), 0);
  v_left bigint;
BEGIN
  LOOP
    SELECT * INTO v_next FROM shop.replacement WHERE replaced_id = v_last.id;
    EXIT WHEN NOT FOUND;
    v_mine := v_mine * v_next.units_credited / v_last.units;
    SELECT * INTO v_last FROM shop.purchase WHERE id = v_next.purchase_id;
  END LOOP;
  SELECT coalesce(sum(t.remaining), 0) INTO v_left
    FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
      JOIN ledger.statement(v_last.account_id) t ON t.lot_id = c.id
    WHERE p.key = 'purchase:' || v_last.id AND c.account_id = v_last.account_id AND c.moved_to IS NULL
      AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp());
  IF p_order.units IS NULL THEN RETURN v_left; END IF;
  RETURN least(p_order.amount, floor(least(v_left, v_mine) * (v_last.terms ->> 'price')::numeric / (v_last.terms ->> 'units')::numeric));
END $$;

-- Lists refund requests with their purchases. `refunded`: the amount refunded since the request. `unspent`: what is left of the purchase, in
-- micro-dollars.
CREATE OR REPLACE VIEW shop.refund_request_status AS
  SELECT r.purchase_id, o.account_id, o.plan_id, o.amount AS paid, r.amount, r.reason, r.asked_at, r.declined_at, r.answer, v.refunded, shop.unspent_value(o) AS unspent,
      CASE WHEN v.refunded > 0 THEN 'refunded' WHEN r.declined_at IS NOT NULL THEN 'declined' ELSE 'open' END AS state
    FROM shop.refund_request r JOIN shop.purchase o ON o.id = r.purchase_id
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(w.amount), 0)::bigint AS refunded FROM shop.reversal w
          WHERE w.purchase_id = o.id AND w.kind = 'refund' AND w.is_effective AND w.created_at >= r.asked_at
      ) v;

-- Declines a request with a reason for the buyer, together with its audit entry. Returns false if the request is not open.
CREATE OR REPLACE FUNCTION shop.decline_refund_request(p_purchase text, p_answer text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM shop.refund_request WHERE purchase_id = p_purchase FOR UPDATE;
  IF NOT EXISTS (SELECT FROM shop.refund_request_status WHERE purchase_id = p_purchase AND state = 'open') THEN RETURN false; END IF;
  UPDATE shop.refund_request SET declined_at = clock_timestamp(), answer = p_answer WHERE purchase_id = p_purchase;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'refund_declined', p_purchase, NULL, jsonb_build_object('answer', p_answer));
  RETURN true;
END $$;

-- Records that the seller has refunded a coin payment from their own wallet, together with its audit entry, once per key. Takes the credit for
-- the amount (null: everything not refunded yet), which also answers an open refund request. `state`: `recorded`, `unknown_order`, `not_paid`,
-- `not_coin` (the processor makes the refund), `too_much`, `mismatch` (the key recorded a different `amount`), `changed` (another sum than `p_returned`
-- is returned by now; null: whatever was returned). `remaining`: what can still be refunded.
CREATE OR REPLACE FUNCTION shop.record_sent_by_hand(p_order text, p_amount bigint, p_key text, p_reference text, p_who text, p_returned bigint DEFAULT NULL)
RETURNS TABLE (state text, reversal text, amount bigint, remaining bigint) LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  -- The orders that replaced one another are locked too, as in `shop.apply_reversals`.
  PERFORM shop.lock_chain(p_order);
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_order FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_order'; RETURN NEXT; RETURN; END IF;
  IF v_order.state <> 'granted' THEN state := 'not_paid'; RETURN NEXT; RETURN; END IF;
  IF v_order.rail <> 'x402' THEN state := 'not_coin'; RETURN NEXT; RETURN; END IF;
  reversal := 'hand_' || p_order || '_' || coalesce('key_' || p_key, (SELECT count(*)::text FROM shop.reversal r WHERE r.purchase_id = p_order));
  remaining := greatest(0, v_order.amount - (SELECT coalesce(sum(r.amount), 0) FROM shop.reversal r WHERE r.purchase_id = p_order AND r.is_effective));
  SELECT r.amount INTO amount FROM shop.reversal r WHERE r.id = reversal;
  IF FOUND THEN
    state := CASE WHEN p_amount <> amount THEN 'mismatch' ELSE 'recorded' END;
    RETURN NEXT;
    RETURN;
  END IF;
  IF p_returned <> v_order.amount - remaining THEN state := 'changed'; RETURN NEXT; RETURN; END IF;
  amount := coalesce(p_amount, remaining);
  IF amount <= 0 OR amount > remaining THEN state := 'too_much'; RETURN NEXT; RETURN; END IF;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'refund_by_hand', p_order, jsonb_build_object('left', remaining),
    jsonb_build_object('id', reversal, 'amount', amount, 'key', p_key, 'reference', p_reference));
  PERFORM shop.apply_reversals(p_order, shop.begin_reversal_sync(p_order), jsonb_build_array(jsonb_build_object(
    'id', reversal, 'kind', 'refund', 'amount', amount, 'status', 'sent_by_hand', 'is_effective', true, 'reason', p_reference)));
  remaining := remaining - amount;
  state := 'recorded';
  RETURN NEXT;
END $$;
