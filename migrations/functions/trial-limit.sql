-- The limit on what the trials of all accounts use together in an hour (UTC). A lease of a trial counts when it is granted, and no more once it
-- returns unused. Leases that exist when an hour begins count in the new hour, so an hour never uses more than its limit. A call that no trial pays
-- for reads and locks none of this.

-- Sets the limit of a plan, and removes those of other plans. `p_per_hour` null: no limit.
CREATE OR REPLACE FUNCTION ledger.limit_trial(p_plan text, p_per_hour bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ledger.trial_limit WHERE plan_id <> p_plan OR p_per_hour IS NULL;
  IF p_per_hour IS NULL THEN RETURN; END IF;
  -- The hour is in the past, so that the first lease counts what is leased already.
  INSERT INTO ledger.trial_limit (plan_id, per_hour, hour, used) VALUES (p_plan, p_per_hour, 'epoch', 0)
    ON CONFLICT (plan_id) DO UPDATE SET per_hour = excluded.per_hour WHERE trial_limit.per_hour <> excluded.per_hour;
END $$;

-- Takes `p_need` of the hour for a lease of a trial. Returns `p_take`, what may be leased: all of it without a limit, only the need within one,
-- nothing above it. The row is locked until the end of the batch. An hour of the future, from before the clock was set back, continues to count.
CREATE OR REPLACE FUNCTION ledger.take_trial(p_plan text, p_need bigint, p_take bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_limit ledger.trial_limit;
  v_hour timestamptz := date_trunc('hour', clock_timestamp(), 'UTC');
BEGIN
  SELECT * INTO v_limit FROM ledger.trial_limit WHERE plan_id = p_plan FOR UPDATE;
  IF NOT FOUND THEN RETURN p_take; END IF;
  IF v_limit.hour < v_hour OR v_limit.hour > v_hour + interval '2 hours' THEN
    -- Spending since the last checkpoint is still part of the leases, and belongs to the hour that has ended.
    SELECT coalesce(sum(l.amount), 0) INTO v_limit.used FROM (
        SELECT account_id, lot_id, amount FROM ledger.lease
        UNION ALL SELECT s.account_id, s.lot_id, -s.amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s WHERE n.open
      ) l JOIN ledger.lot k ON k.account_id = l.account_id AND k.id = l.lot_id
      WHERE k.kind = 'trial' AND k.plan_id = p_plan;
    v_limit.hour := v_hour;
  END IF;
  IF v_limit.used + p_need > v_limit.per_hour THEN p_need := 0; END IF;
  UPDATE ledger.trial_limit SET hour = v_limit.hour, used = v_limit.used + p_need WHERE plan_id = p_plan;
  RETURN p_need;
END $$;

-- Subtracts the unused leases of trials that a writer returns.
CREATE OR REPLACE FUNCTION ledger.return_trial(p_accounts text[], p_lots bigint[], p_amounts bigint[]) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger.trial_limit t SET used = greatest(0, t.used - s.amount) FROM (
    SELECT k.plan_id, sum(r.amount)::bigint AS amount FROM unnest(p_accounts, p_lots, p_amounts) AS r (account_id, lot_id, amount)
      JOIN ledger.lot k ON k.account_id = r.account_id AND k.id = r.lot_id WHERE k.kind = 'trial' GROUP BY k.plan_id) s
    WHERE t.plan_id = s.plan_id
$$;

-- When trials can be used again, in milliseconds since the epoch: the next hour.
CREATE OR REPLACE FUNCTION ledger.next_trial_hour() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (extract(epoch FROM date_trunc('hour', clock_timestamp(), 'UTC') + interval '1 hour') * 1000)::bigint
$$;
