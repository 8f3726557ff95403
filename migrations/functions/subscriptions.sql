-- Books a paid invoice: a period of a renewing plan. The first invoice pays the order that started the subscription; each later one becomes an
-- order of its own. Invoices may come in any order and repeatedly. Returns the account.
CREATE OR REPLACE FUNCTION shop.grant_invoice(p_order text, p_invoice text, p_is_first boolean, p_subscription text, p_payment text, p_amount bigint,
  p_plan text, p_units bigint, p_terms jsonb, p_start timestamptz, p_end timestamptz, p_new_account text, p_change text DEFAULT NULL, p_tax bigint DEFAULT 0)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_account text;
  v_replaces jsonb;
BEGIN
  -- The period that a change replaces is locked too, and both by id, in the same order as in `shop.apply_reversals` and `shop.join_accounts`.
  PERFORM 1 FROM shop.purchase WHERE id IN (p_order, (SELECT replaces ->> 'order' FROM shop.plan_change WHERE id = p_change AND subscription_id = p_subscription))
    ORDER BY id FOR UPDATE;
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_order;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_account := v_order.account_id;
  IF v_account IS NULL THEN
    v_account := p_new_account;
    INSERT INTO shop.account (id, origin) VALUES (v_account, 'purchase') ON CONFLICT DO NOTHING;
  END IF;
  v_account := shop.resolve_account(v_account);
  UPDATE shop.purchase SET account_id = v_account WHERE id = p_order AND account_id IS DISTINCT FROM v_account;
  IF p_is_first AND v_order.state <> 'granted' THEN
    UPDATE shop.purchase SET state = 'granted', payment = p_payment, tax = p_tax, subscription_id = p_subscription, period_start = p_start, period_end = p_end,
        granted_at = clock_timestamp(), failure = NULL, claimed_by = NULL
      WHERE id = p_order;
    PERFORM shop.begin_period(p_order);
  ELSIF v_order.payment IS DISTINCT FROM p_payment THEN
    -- The period of a change replaces another one, whose units end with it.
    UPDATE shop.plan_change SET state = 'made', ended_at = clock_timestamp() WHERE id = p_change AND subscription_id = p_subscription RETURNING replaces INTO v_replaces;
    IF v_replaces IS NOT NULL THEN p_terms := p_terms || jsonb_build_object('replaces', v_replaces); END IF;
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, tax, units, terms, rail, subscription_id, period_start, period_end, payment, expires_at, granted_at)
      VALUES (p_invoice, 'granted', v_account, p_plan, p_amount, p_tax, p_units, p_terms, 'invoice', p_subscription, p_start, p_end, p_payment, p_end, clock_timestamp())
      ON CONFLICT DO NOTHING;
    PERFORM shop.begin_period(p_invoice);
  END IF;
  UPDATE shop.subscription SET processor_id = p_subscription WHERE id = p_subscription AND processor_id IS NULL;
  PERFORM shop.update_allowance_ends(p_subscription);
  RETURN v_account;
END $$;

-- Numbers a reading of a subscription, before the processor is asked. Returns null if no period of it has been paid yet.
CREATE OR REPLACE FUNCTION shop.begin_subscription_sync(p_id text) RETURNS integer LANGUAGE sql AS $$
  UPDATE shop.subscription SET sync_seq = sync_seq + 1 WHERE id = p_id RETURNING sync_seq
$$;

-- Writes the state of a subscription at the processor. A reading that began before one that is already written is discarded.
CREATE OR REPLACE FUNCTION shop.apply_subscription(p_id text, p_sync_seq integer, p_status text, p_cancel boolean, p_next_plan text, p_ended timestamptz,
  p_pay_url text, p_payer text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_one shop.subscription;
BEGIN
  UPDATE shop.subscription SET applied_seq = p_sync_seq, status = p_status, cancel_at_period_end = p_cancel,
      next_plan_id = nullif(p_next_plan, plan_id), ended_at = p_ended, pay_url = p_pay_url, payer_email = coalesce(p_payer, payer_email)
    WHERE id = p_id AND applied_seq < p_sync_seq RETURNING * INTO v_one;
  IF NOT FOUND THEN
    PERFORM ledger.await_standby();
    RETURN false;
  END IF;
  PERFORM shop.update_allowance_ends(p_id);
  -- One mail for each period whose renewal failed, however often the card is tried.
  IF v_one.status = 'past_due' AND v_one.ended_at IS NULL THEN
    PERFORM shop.add_account_mail('unpaid_' || p_id || '_' || extract(epoch FROM v_one.period_end)::bigint, v_one.account_id, 'unpaid', p_id);
  END IF;
  RETURN true;
END $$;

-- Records a change of plan before it is requested from the processor, so that a retry, whatever happened meanwhile, requests the same change under
-- the same name. Each subscription has at most one open change, and a period is replaced once: a request that read the period before it was replaced
-- gets the change that replaced it, so that it charges nothing more.
CREATE OR REPLACE FUNCTION shop.begin_plan_change(p_id text, p_change text, p_plan text, p_replaces jsonb) RETURNS shop.plan_change LANGUAGE plpgsql AS $$
DECLARE
  v_change shop.plan_change;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('plan change of ' || p_id, 0));
  SELECT * INTO v_change FROM shop.plan_change
    WHERE subscription_id = p_id AND replaces ->> 'order' = p_replaces ->> 'order' AND state <> 'failed' FOR UPDATE;
  IF v_change.state = 'made' THEN
    PERFORM ledger.await_standby();
    RETURN v_change;
  END IF;
  INSERT INTO shop.plan_change AS c (id, subscription_id, plan_id, replaces) VALUES (p_change, p_id, p_plan, p_replaces)
    ON CONFLICT (subscription_id) WHERE state = 'open' DO UPDATE SET asked_at = clock_timestamp()
    RETURNING * INTO v_change;
  RETURN v_change;
END $$;

-- Records the outcome of a change. Safe to repeat. A change that an invoice has confirmed stays `made`.
CREATE OR REPLACE FUNCTION shop.end_plan_change(p_change text, p_outcome text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.plan_change SET state = p_outcome, ended_at = clock_timestamp() WHERE id = p_change AND state <> 'made';
  SELECT ledger.await_standby();
$$;

-- Returns the units that writers hold of the period that a plan change replaces, and asks the writers to return those that no running call needs.
CREATE OR REPLACE FUNCTION shop.recall_changed_plan(p_change text) RETURNS bigint LANGUAGE sql AS $$
  WITH leased AS (
    SELECT l.account_id, sum(l.amount) AS amount FROM shop.plan_change h JOIN ledger.posting p ON p.key = 'purchase:' || (h.replaces ->> 'order')
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
        JOIN ledger.lease l ON l.account_id = c.account_id AND l.lot_id = c.id
      WHERE h.id = p_change AND h.state <> 'made' AND l.amount > 0 GROUP BY l.account_id
  ), asked AS (SELECT amount, ledger.announce('ledger', 'recall:' || account_id) FROM leased)
  SELECT coalesce(sum(amount), 0)::bigint FROM asked
$$;
