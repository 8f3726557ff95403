-- Returns the sum of an account's automatic charges in this calendar month (UTC), including charges in doubt.
CREATE OR REPLACE FUNCTION shop.topped_up_this_month(p_account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(amount), 0)::bigint FROM shop.purchase
    WHERE account_id = p_account AND rail = 'top_up' AND state IN ('claimed', 'granted')
      AND created_at >= date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;

-- Returns true if an account may be charged again: top-up is on, the card holder agreed to this amount, no charge is open, the monthly limit
-- allows it, and the account is not frozen.
CREATE OR REPLACE FUNCTION shop.may_top_up(p_top_up shop.top_up) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_top_up.state = 'on'
    AND EXISTS (SELECT FROM shop.top_up_consent c WHERE c.id = p_top_up.consent_id AND c.state = 'agreed' AND c.account_id = p_top_up.account_id
      AND c.below >= p_top_up.below AND c.amount >= p_top_up.amount AND c.monthly_max >= p_top_up.monthly_max)
    AND NOT EXISTS (SELECT FROM shop.purchase WHERE account_id = p_top_up.account_id AND rail = 'top_up' AND state = 'claimed')
    AND EXISTS (SELECT FROM shop.account WHERE id = p_top_up.account_id AND frozen_at IS NULL)
    AND shop.topped_up_this_month(p_top_up.account_id) + p_top_up.amount <= p_top_up.monthly_max
$$;

-- Returns an account's credit by its leases, without the dollars that a trial or subscription includes. The latest spending of processes is not subtracted yet.
CREATE OR REPLACE FUNCTION shop.top_up_balance(p_account text) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(greatest(0, k.avail - k.clawback_due + coalesce(
      (SELECT sum(l.amount) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id), 0))), 0)
    FROM ledger.lot k WHERE k.account_id = p_account AND k.asset = 'usd' AND k.kind NOT IN ('trial', 'allowance') AND NOT k.closed AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
$$;

-- Marks the agreements of accounts that have just spent something as `low` if they look due, so that finding due agreements does not read all of
-- them. Agreements locked by another transaction are left to `sweep_top_ups`.
CREATE OR REPLACE FUNCTION shop.mark_low_top_ups(p_accounts text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.top_up t SET low = true FROM (
    SELECT c.account_id FROM shop.top_up c
      WHERE c.account_id = ANY (p_accounts) AND c.state = 'on' AND NOT c.low AND c.below > shop.top_up_balance(c.account_id)
      FOR UPDATE SKIP LOCKED
  ) due WHERE t.account_id = due.account_id
$$;

-- Marks a new or changed agreement, so that it is checked.
CREATE OR REPLACE FUNCTION shop.mark_changed_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.low := NEW.state = 'on';
  RETURN NEW;
END $$;

-- Marks due agreements that no spending marked: credit expired, a month began, an account was unfrozen, or a charge ended. Checks the next `p_max`
-- agreements after `p_after`, and returns the last of them, or null after the end of the list.
CREATE OR REPLACE FUNCTION shop.sweep_top_ups(p_after text, p_max integer) RETURNS text LANGUAGE sql AS $$
  WITH next AS MATERIALIZED (
    SELECT t.* FROM shop.top_up t WHERE t.state = 'on' AND (p_after IS NULL OR t.account_id > p_after) ORDER BY t.account_id LIMIT p_max
  ), marked AS (
    UPDATE shop.top_up t SET low = true FROM (
      SELECT c.account_id FROM shop.top_up c JOIN next n USING (account_id)
        WHERE NOT c.low AND c.below > shop.top_up_balance(c.account_id) AND shop.may_top_up(c)
        FOR UPDATE OF c SKIP LOCKED
    ) due WHERE t.account_id = due.account_id
  )
  SELECT CASE WHEN count(*) = p_max THEN max(account_id) END FROM next
$$;

-- Returns at most `p_max` accounts that seem to need a top-up; `begin_top_up` checks exactly. Removes marks that are no longer due, or that cannot
-- be charged now.
CREATE OR REPLACE FUNCTION shop.due_top_ups(p_max integer) RETURNS TABLE (account_id text) LANGUAGE sql AS $$
  WITH looked AS MATERIALIZED (
    SELECT t.account_id, t.below > shop.top_up_balance(t.account_id) AND shop.may_top_up(t) AS is_due
      FROM shop.top_up t WHERE t.state = 'on' AND t.low LIMIT p_max FOR UPDATE SKIP LOCKED
  ), done AS (
    UPDATE shop.top_up t SET low = false FROM looked l WHERE t.account_id = l.account_id AND NOT l.is_due
  )
  SELECT l.account_id FROM looked l WHERE l.is_due
$$;

-- Creates the order of a top-up, claimed by the process of `p_writer`, if the account needs one; otherwise returns no row. Calls for one account follow
-- each other, so that one need is charged once and the monthly maximum holds. A join waits until this has ended.
CREATE OR REPLACE FUNCTION shop.begin_top_up(p_account text, p_order text, p_writer text) RETURNS SETOF shop.purchase LANGUAGE plpgsql AS $$
DECLARE
  v_top_up shop.top_up;
  v_balance bigint;
  v_name text;
BEGIN
  IF shop.resolve_account(p_account) <> p_account THEN RETURN; END IF;
  SELECT * INTO v_top_up FROM shop.top_up WHERE account_id = p_account FOR UPDATE;
  -- The charge is checked before the balance: the credit of a charge that has ended is visible then.
  IF NOT FOUND OR NOT shop.may_top_up(v_top_up) THEN RETURN; END IF;
  SELECT coalesce(sum(remaining), 0) INTO v_balance FROM ledger.statement(p_account)
    WHERE asset = 'usd' AND kind NOT IN ('trial', 'allowance') AND (expires_at IS NULL OR expires_at > clock_timestamp());
  IF v_balance >= v_top_up.below THEN RETURN; END IF;
  UPDATE shop.top_up SET sequence = sequence + 1 WHERE account_id = p_account RETURNING * INTO v_top_up;
  v_name := 'topup_' || p_account || '_' || v_top_up.sequence;
  RETURN QUERY INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, rail, saved_card, challenge_id, credential_digest, created_at, expires_at,
      claimed_at, claimed_by)
    VALUES (p_order, 'claimed', p_account, v_top_up.plan_id, v_top_up.amount, 'top_up', v_top_up.saved_card, v_name, v_name, clock_timestamp(),
      clock_timestamp(), clock_timestamp(), shop.claimant(p_writer))
    RETURNING *;
END $$;

-- Switches top-ups on by a consent, also if they were off or had stopped.
CREATE OR REPLACE FUNCTION shop.enable_top_ups(p_account text, p_plan text, p_below bigint, p_amount bigint, p_max bigint, p_consent text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.top_up AS t (account_id, state, plan_id, below, amount, monthly_max, saved_card, consent_id)
    SELECT p_account, 'on', p_plan, p_below, p_amount, p_max, c.saved_card, c.id FROM shop.top_up_consent c WHERE c.id = p_consent
    ON CONFLICT (account_id) DO UPDATE SET state = 'on', plan_id = excluded.plan_id, below = excluded.below, amount = excluded.amount,
      monthly_max = excluded.monthly_max, saved_card = excluded.saved_card, consent_id = excluded.consent_id, reason = NULL, updated_at = clock_timestamp()
$$;

-- Switches top-ups on by terms that a card holder has agreed to, or by lower ones. Returns false if no consent covers them.
CREATE OR REPLACE FUNCTION shop.set_top_ups(p_account text, p_plan text, p_below bigint, p_amount bigint, p_max bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_consent text;
BEGIN
  SELECT id INTO v_consent FROM shop.top_up_consent WHERE account_id = p_account AND state = 'agreed' AND below >= p_below AND amount >= p_amount
    AND monthly_max >= p_max ORDER BY agreed_at DESC LIMIT 1;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM shop.enable_top_ups(p_account, p_plan, p_below, p_amount, p_max, v_consent);
  RETURN true;
END $$;

-- Ends the top-ups and consents of an account, because one of its payments was reversed.
CREATE OR REPLACE FUNCTION shop.end_top_ups(p_account text, p_reason text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.top_up_consent SET state = 'ended', ended_at = clock_timestamp() WHERE account_id = p_account AND state = 'agreed';
  UPDATE shop.top_up SET state = 'stopped', reason = p_reason, updated_at = clock_timestamp() WHERE account_id = p_account AND state = 'on';
$$;

-- Stops the top-ups of an account until it switches them on again, because its card was declined.
CREATE OR REPLACE FUNCTION shop.stop_top_ups(p_account text, p_reason text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.top_up SET state = 'stopped', reason = p_reason, updated_at = clock_timestamp() WHERE account_id = p_account AND state = 'on'
$$;

-- Moves an account's top-up agreement to the account it joins, unless that one has its own. Charges are numbered by the remaining account.
CREATE OR REPLACE FUNCTION shop.move_top_ups(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_top_up shop.top_up;
BEGIN
  UPDATE shop.top_up_consent SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.top_up t SET state = 'off', updated_at = clock_timestamp() FROM (SELECT * FROM shop.top_up WHERE account_id = p_from AND state = 'on' FOR UPDATE) was
    WHERE t.account_id = was.account_id RETURNING was.* INTO v_top_up;
  IF NOT FOUND OR EXISTS (SELECT FROM shop.top_up WHERE account_id = p_to AND state <> 'off') THEN RETURN; END IF;
  PERFORM shop.enable_top_ups(p_to, v_top_up.plan_id, v_top_up.below, v_top_up.amount, v_top_up.monthly_max, v_top_up.consent_id);
END $$;
