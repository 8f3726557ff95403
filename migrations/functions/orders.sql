-- Returns the name stored with a claim: the ledger writer of the charging process, and its epoch.
CREATE OR REPLACE FUNCTION shop.claimant(p_writer text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT p_writer || '#' || coalesce((SELECT epoch FROM ledger.writer WHERE id = p_writer), 0)
$$;

-- Returns true if the process that claimed an order may still be charging for it. A charge ends within a minute, and a process that ended
-- or stopped its heartbeat has lost the epoch of its ledger writer. A wrong result costs nothing: the processor charges once for a challenge.
CREATE OR REPLACE FUNCTION shop.is_being_charged(p_order shop.purchase) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_order.claimed_at > clock_timestamp() - interval '1 minute'
    AND EXISTS (SELECT FROM ledger.writer n WHERE n.open AND n.id || '#' || n.epoch = p_order.claimed_by)
$$;

-- Returns true if certainly nothing was charged for an open order: no charge was started, or it waits to be started again.
CREATE OR REPLACE FUNCTION shop.is_uncharged(p_order shop.purchase) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_order.state = 'offered' OR (p_order.state = 'claimed' AND p_order.claimed_by IS NOT DISTINCT FROM 'queued' AND NOT p_order.maybe_charged)
$$;

-- Claims an order before it is charged. `outcome`: `claimed` for the one process that may charge, otherwise `busy` (another process charges),
-- `in_doubt` (a charge was started and no process continues it), `granted`, `declined`, `expired`, `frozen` (its account) or `unknown`. The first credential owns the order,
-- and takes over a claim in doubt. An order claimed by its hosted page (a slow payment) is `in_doubt` too, and no credential is charged for it.
-- `is_first`: no request has claimed the order before. `p_expires`: end of the challenge; an order that is not claimed by then is never charged.
CREATE OR REPLACE FUNCTION shop.claim_purchase(p_id text, p_challenge text, p_credential text, p_writer text, p_expires timestamptz DEFAULT NULL)
RETURNS TABLE (outcome text, is_first boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', false; RETURN; END IF;
  IF v_order.state = 'offered' AND p_expires <= clock_timestamp() THEN RETURN QUERY SELECT 'expired', false; RETURN; END IF;
  IF shop.is_uncharged(v_order) AND shop.is_frozen(v_order.account_id) THEN RETURN QUERY SELECT 'frozen', false; RETURN; END IF;
  IF v_order.credential_digest IS NULL THEN
    UPDATE shop.purchase SET challenge_id = coalesce(challenge_id, p_challenge), credential_digest = p_credential WHERE id = p_id RETURNING * INTO v_order;
  END IF;
  is_first := v_order.state = 'offered';
  outcome := CASE WHEN v_order.state <> 'claimed' THEN v_order.state WHEN shop.is_being_charged(v_order) THEN 'busy' ELSE 'in_doubt' END;
  -- The processor forgets an idempotency key after a day, so an older claim is never charged again.
  IF outcome = 'offered' OR (outcome = 'in_doubt' AND v_order.credential_digest = p_credential AND v_order.claimed_by IS NOT NULL AND v_order.created_at > clock_timestamp() - interval '20 hours') THEN
    UPDATE shop.purchase SET state = 'claimed', maybe_charged = maybe_charged OR (outcome = 'in_doubt' AND claimed_by IS DISTINCT FROM 'queued'), claimed_at = clock_timestamp(),
        claimed_by = shop.claimant(p_writer)
      WHERE id = p_id;
    outcome := 'claimed';
  END IF;
  RETURN NEXT;
END $$;

-- Releases a claim whose charge is in doubt, so that another process can continue it. The claim is identified by its time in milliseconds, which is
-- the precision of callers; other claims are not changed.
CREATE OR REPLACE FUNCTION shop.release_purchase(p_id text, p_claimed timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.purchase SET claimed_by = 'released' WHERE id = p_id AND claimed_by <> 'queued' AND date_trunc('milliseconds', claimed_at) = p_claimed
$$;

-- Ends a claim whose attempt certainly charged nothing, through no fault of the buyer. With `p_retries` the order stays claimed as `queued`, and
-- reconciliation retries the charge. Otherwise it is offered again, and only the buyer can retry. Returns false and changes nothing if an earlier
-- attempt is in doubt, or if the claim belongs to another process.
CREATE OR REPLACE FUNCTION shop.undo_claim(p_id text, p_claimed timestamptz, p_retries boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.purchase SET state = CASE WHEN p_retries THEN state ELSE 'offered' END, claimed_by = CASE WHEN p_retries THEN 'queued' END
    WHERE id = p_id AND state = 'claimed' AND NOT maybe_charged AND claimed_by IS NOT NULL AND date_trunc('milliseconds', claimed_at) = p_claimed;
  RETURN FOUND;
END $$;

-- Claims an order that is queued or in doubt, to charge it again without its buyer. Returns false if a process works on it, if it has ended, or if
-- its account is frozen and nothing was charged: such an order ends with the signed payment.
CREATE OR REPLACE FUNCTION shop.resume_purchase(p_id text, p_writer text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.purchase p SET maybe_charged = maybe_charged OR claimed_by <> 'queued', claimed_at = clock_timestamp(), claimed_by = shop.claimant(p_writer)
    WHERE id = p_id AND state = 'claimed' AND claimed_by IS NOT NULL AND NOT shop.is_being_charged(p)
      AND NOT (shop.is_uncharged(p) AND shop.is_frozen(account_id));
  RETURN FOUND;
END $$;

-- Declines an order whose charge certainly did not happen, unless its hosted page was paid meanwhile. Returns false if this call did not decline
-- the order: it is granted, or the claim belongs to another process.
CREATE OR REPLACE FUNCTION shop.decline_purchase(p_id text, p_claimed timestamptz, p_failure text, p_subjects text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  UPDATE shop.purchase SET claimed_by = NULL, failure = CASE state WHEN 'claimed' THEN p_failure END,
      state = CASE state WHEN 'claimed' THEN 'declined' ELSE state END
    WHERE id = p_id AND claimed_by IS NOT NULL AND date_trunc('milliseconds', claimed_at) = p_claimed
    RETURNING * INTO v_order;
  IF NOT FOUND THEN RETURN false; END IF;
  IF v_order.challenge_id IS NOT NULL THEN PERFORM shop.decline_card_attempt(v_order.challenge_id, v_order.account_id, p_subjects); END IF;
  IF v_order.rail = 'top_up' AND v_order.state = 'declined' THEN PERFORM shop.stop_top_ups(v_order.account_id, p_failure); END IF;
  RETURN v_order.state = 'declined';
END $$;

-- Grants what a payment bought, once, and creates the order's account if the buyer had none. Safe to repeat, in any order of webhook events. An order
-- that was paid twice becomes two. Each payment buys its worth: the second one buys the share of a period that its amount is of the price, because
-- the period that the order replaces counts once (docs/decisions/0016-each-payment-buys-its-worth.md). Returns the account, or null if there is no
-- such order. `p_challenge`: the challenge whose charge made the payment. `p_transaction`: the blockchain transaction, which can contain several
-- payments. `p_tax`: tax that was paid in addition to the amount. `p_invoiced`: the processor made an invoice.
CREATE OR REPLACE FUNCTION shop.grant_purchase(p_id text, p_payment text, p_new_account text, p_challenge text DEFAULT NULL, p_transaction text DEFAULT NULL,
  p_tax bigint DEFAULT 0, p_invoiced boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_key text := 'purchase:' || p_id;
BEGIN
  -- The replaced order is locked too, and both by id, in the same order as in `shop.apply_reversals` and `shop.join_accounts`.
  PERFORM 1 FROM shop.purchase WHERE id IN (p_id, (SELECT terms -> 'replaces' ->> 'order' FROM shop.purchase WHERE id = p_id)) ORDER BY id FOR UPDATE;
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_order.account_id IS NULL THEN
    INSERT INTO shop.account (id, origin) VALUES (p_new_account, 'purchase');
    v_order.account_id := p_new_account;
    -- The wallet that paid can sign in to the account that its payment created. A payment on the hosted page does not come from the wallet.
    INSERT INTO shop.wallet (address, account_id) SELECT v_order.payer, p_new_account
      WHERE v_order.payer IS NOT NULL AND p_challenge = v_order.challenge_id ON CONFLICT DO NOTHING;
  END IF;
  v_order.account_id := shop.resolve_account(v_order.account_id);
  IF v_order.state <> 'granted' THEN
    UPDATE shop.purchase SET state = 'granted', account_id = v_order.account_id, payment = p_payment, transaction = p_transaction, tax = p_tax, invoiced = p_invoiced,
        granted_at = clock_timestamp(), granted_challenge = p_challenge, failure = NULL
      WHERE id = p_id;
  ELSIF v_order.payment <> p_payment THEN
    v_key := v_key || ':' || p_payment;
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, tax, invoiced, units, terms, rail, payment, expires_at, granted_at)
      VALUES (p_id || ':' || p_payment, 'granted', v_order.account_id, v_order.plan_id, v_order.amount, p_tax, p_invoiced,
        coalesce((v_order.terms ->> 'units')::bigint, v_order.units), v_order.terms - 'replaces', v_order.rail, p_payment, v_order.expires_at, clock_timestamp())
      ON CONFLICT DO NOTHING;
  END IF;
  IF v_order.units IS NULL THEN
    PERFORM ledger.grant_lot(v_key, v_order.account_id, 'purchase', 'processor', 'credit', 'usd', v_order.plan_id, v_order.amount, NULL);
  ELSE
    PERFORM shop.begin_period(substr(v_key, 10));
  END IF;
  UPDATE shop.purchase SET claimed_by = NULL WHERE id = p_id AND challenge_id = p_challenge AND claimed_by IS NOT NULL;
  RETURN v_order.account_id;
END $$;

-- Decides if a request gets the tokens of the account that a granted order created, and records it: once per order. The answer is false if the order
-- was offered to an existing account, if its own account (`p_own_account`) was joined or claimed, or if one of its sessions was revoked. The request
-- proves that it paid:
--   with a coin, it is the first request that claimed the order (`p_is_first_claim`), because settled payments are public on the chain;
--   with a card token, by its credential (`p_credential`), which is not public, so also after a response that brought no tokens;
--   on the hosted page, by the cookie of the browser that it was opened for (`p_browser`), within `p_page_window` of the payment, or within
--     `p_slow_page_window` if the payment took days.
CREATE OR REPLACE FUNCTION shop.issue_tokens(p_id text, p_own_account text, p_credential text, p_is_first_claim boolean, p_browser text, p_page_window interval, p_slow_page_window interval)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF v_order.state IS DISTINCT FROM 'granted' OR v_order.tokens_issued_at IS NOT NULL OR v_order.account_id IS DISTINCT FROM p_own_account THEN RETURN false; END IF;
  IF (CASE
    WHEN v_order.granted_challenge IS NULL THEN
      v_order.page_browser = p_browser AND v_order.granted_at > clock_timestamp() - CASE WHEN v_order.page_read_at IS NULL THEN p_page_window ELSE p_slow_page_window END
    ELSE v_order.granted_challenge = v_order.challenge_id AND v_order.credential_digest = p_credential AND (v_order.rail <> 'x402' OR p_is_first_claim)
  END) IS NOT TRUE THEN RETURN false; END IF;
  PERFORM 1 FROM shop.account WHERE id = p_own_account AND email IS NULL AND claimed_at IS NULL AND joined_to IS NULL FOR SHARE;
  IF NOT FOUND OR EXISTS (SELECT FROM shop.revocation WHERE account_id = p_own_account) THEN RETURN false; END IF;
  UPDATE shop.purchase SET tokens_issued_at = clock_timestamp() WHERE id = p_id;
  RETURN true;
END $$;
