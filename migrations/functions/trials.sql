-- Gives an account the trial: `p_units` of units, or of micro-dollars (`p_asset`). `p_once`: the facts by which it is given once; `p_kind` and `p_digest`:
-- the fact that this step proves, or null. A person has one trial, also after their accounts are joined. Result: `given`, `needs_proof`, `used`, `none`.
-- Of concurrent steps with one fact, the second waits for the first. A fact that is not needed, because the account had a trial, is not used up.
CREATE OR REPLACE FUNCTION shop.give_trial(p_account text, p_plan text, p_units bigint, p_asset text, p_once text[], p_kind text, p_digest text, p_address text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_account text := p_account;
  v_joined text;
  v_proofs text[] := array_remove(p_once, 'address');
BEGIN
  IF p_units <= 0 THEN RETURN 'none'; END IF;
  IF cardinality(v_proofs) > 0 AND (p_kind IS NULL OR p_kind <> ALL (v_proofs)) THEN RETURN 'needs_proof'; END IF;
  -- The account cannot be joined to another one until the trial is booked. A join is one step long.
  LOOP
    SELECT joined_to INTO v_joined FROM shop.account WHERE id = v_account FOR UPDATE;
    EXIT WHEN v_joined IS NULL;
    v_account := v_joined;
  END LOOP;
  IF EXISTS (SELECT FROM shop.account a JOIN ledger.posting p ON p.key = 'trial:' || a.id WHERE a.id = v_account OR a.joined_to = v_account) THEN RETURN 'used'; END IF;
  IF 'address' = ANY (p_once) AND p_address IS NOT NULL THEN
    INSERT INTO shop.trial_proof AS t (kind, digest) VALUES ('address', p_address)
      ON CONFLICT (kind, digest) DO UPDATE SET at = clock_timestamp() WHERE t.at < clock_timestamp() - interval '30 days';
    IF NOT FOUND THEN RETURN 'used'; END IF;
  END IF;
  IF cardinality(v_proofs) > 0 THEN
    INSERT INTO shop.trial_proof (kind, digest) VALUES (p_kind, p_digest) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'used'; END IF;
  END IF;
  PERFORM ledger.grant_lot('trial:' || v_account, v_account, 'trial', 'seller:trial', 'trial', p_asset, p_plan, p_units, NULL);
  RETURN 'given';
END $$;

-- Gives the trial for cards that have paid in the last week, at most `p_max` charges at a time. Each charge is decided once. Returns their number.
CREATE OR REPLACE FUNCTION shop.give_card_trials(p_plan text, p_units bigint, p_asset text, p_once text[], p_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_charge record;
  v_count integer := 0;
BEGIN
  FOR v_charge IN
    SELECT c.id, c.card, o.account_id FROM shop.charge c JOIN shop.purchase o ON o.payment = c.payment
      WHERE c.succeeded AND c.card IS NOT NULL AND c.trial IS NULL AND c.at > clock_timestamp() - interval '7 days' AND o.state = 'granted' AND o.account_id IS NOT NULL
      ORDER BY c.at LIMIT p_max FOR UPDATE OF c SKIP LOCKED
  LOOP
    UPDATE shop.charge SET trial = shop.give_trial(v_charge.account_id, p_plan, p_units, p_asset, p_once, 'card', v_charge.card, NULL) WHERE id = v_charge.id;
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
