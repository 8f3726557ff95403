-- Automatic top-ups: orders that are made here, claimed from their first moment, and charged to a card that is kept at the processor.

-- What an account was charged by itself in this calendar month (UTC), or may have been.
CREATE FUNCTION shop.topped_up(p_account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(amount), 0)::bigint FROM shop.purchase
    WHERE account_id = p_account AND rail = 'top_up' AND state IN ('claimed', 'granted')
      AND created_at >= date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint

-- Whether an account may be charged once more: it wants to be, no charge is open, the month has room, and nobody has frozen it.
CREATE FUNCTION shop.may_top_up(p_top_up shop.top_up) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_top_up.state = 'on'
    AND NOT EXISTS (SELECT FROM shop.purchase WHERE account_id = p_top_up.account_id AND rail = 'top_up' AND state = 'claimed')
    AND EXISTS (SELECT FROM shop.account WHERE id = p_top_up.account_id AND frozen_at IS NULL)
    AND shop.topped_up(p_top_up.account_id) + p_top_up.amount <= p_top_up.monthly_max
$$;
--> statement-breakpoint

-- Accounts that seem to need a top-up, at most so many. What lanes spent in the last moments still counts as there: begin_top_up looks exactly.
CREATE FUNCTION shop.due_top_ups(p_max integer) RETURNS TABLE (account_id text) LANGUAGE sql STABLE AS $$
  SELECT t.account_id FROM shop.top_up t
    WHERE t.state = 'on'
      AND t.below > (
        SELECT coalesce(sum(greatest(0, k.avail - k.owed + coalesce(
            (SELECT sum(l.amount) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.bucket_id = k.id), 0))), 0)
          FROM ledger.bucket k WHERE k.account_id = t.account_id AND k.asset = 'usd' AND NOT k.closed AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))
      AND shop.may_top_up(t)
    ORDER BY random() LIMIT p_max
$$;
--> statement-breakpoint

-- Makes the order of a top-up, claimed by the process of `p_lane`, where the account needs one; no row where it does not, or not any more.
-- One at a time for each account, so that one need is charged once, and a month never more than was agreed. A join waits until this has ended.
CREATE FUNCTION shop.begin_top_up(p_account text, p_order text, p_lane text) RETURNS SETOF shop.purchase LANGUAGE plpgsql AS $$
DECLARE
  v_top_up shop.top_up;
  v_balance bigint;
  v_name text;
BEGIN
  IF shop.standing(p_account) <> p_account THEN RETURN; END IF;
  SELECT * INTO v_top_up FROM shop.top_up WHERE account_id = p_account FOR UPDATE;
  -- In this order: a charge that is seen to have ended has left its credit to be seen.
  IF NOT FOUND OR NOT shop.may_top_up(v_top_up) THEN RETURN; END IF;
  SELECT coalesce(sum(remaining), 0) INTO v_balance FROM ledger.statement(p_account)
    WHERE asset = 'usd' AND (expires_at IS NULL OR expires_at > clock_timestamp());
  IF v_balance >= v_top_up.below THEN RETURN; END IF;
  UPDATE shop.top_up SET sequence = sequence + 1 WHERE account_id = p_account RETURNING * INTO v_top_up;
  v_name := 'topup_' || p_account || '_' || v_top_up.sequence;
  RETURN QUERY INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, rail, saved_card, challenge_id, credential_digest, created_at, expires_at,
      claimed_at, claimed_by)
    VALUES (p_order, 'claimed', p_account, v_top_up.plan_id, v_top_up.amount, 'top_up', v_top_up.saved_card, v_name, v_name, clock_timestamp(),
      clock_timestamp(), clock_timestamp(), shop.claimant(p_lane))
    RETURNING *;
END $$;
--> statement-breakpoint

-- Agrees to top-ups from now on, anew where they were off or had stopped.
CREATE FUNCTION shop.agree_to_top_ups(p_account text, p_plan text, p_below bigint, p_amount bigint, p_max bigint, p_card jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.top_up AS t (account_id, state, plan_id, below, amount, monthly_max, saved_card) VALUES (p_account, 'on', p_plan, p_below, p_amount, p_max, p_card)
    ON CONFLICT (account_id) DO UPDATE SET state = 'on', plan_id = excluded.plan_id, below = excluded.below, amount = excluded.amount,
      monthly_max = excluded.monthly_max, saved_card = excluded.saved_card, reason = NULL, updated_at = clock_timestamp()
$$;
--> statement-breakpoint

-- Ends the top-ups of an account until it agrees anew: its card was declined, or money of it went back.
CREATE FUNCTION shop.stop_top_ups(p_account text, p_reason text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.top_up SET state = 'stopped', reason = p_reason, updated_at = clock_timestamp() WHERE account_id = p_account AND state = 'on'
$$;
--> statement-breakpoint

-- What an account has agreed to goes along when it joins another one, unless that one has agreed to something itself. Charges are numbered by
-- the account that remains.
CREATE FUNCTION shop.move_top_ups(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_top_up shop.top_up;
BEGIN
  UPDATE shop.top_up t SET state = 'off', updated_at = clock_timestamp() FROM (SELECT * FROM shop.top_up WHERE account_id = p_from AND state = 'on' FOR UPDATE) was
    WHERE t.account_id = was.account_id RETURNING was.* INTO v_top_up;
  IF NOT FOUND OR EXISTS (SELECT FROM shop.top_up WHERE account_id = p_to AND state <> 'off') THEN RETURN; END IF;
  PERFORM shop.agree_to_top_ups(p_to, v_top_up.plan_id, v_top_up.below, v_top_up.amount, v_top_up.monthly_max, v_top_up.saved_card);
END $$;
