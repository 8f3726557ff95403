-- Returns the account's open offer for these terms if it can be accepted for a while, otherwise a new one. Deletes old offers that were not accepted.
CREATE OR REPLACE FUNCTION shop.offer_consent(p_id text, p_account text, p_plan text, p_below bigint, p_amount bigint, p_max bigint, p_expires timestamptz)
RETURNS shop.top_up_consent LANGUAGE plpgsql AS $$
DECLARE
  v_consent shop.top_up_consent;
BEGIN
  DELETE FROM shop.top_up_consent WHERE account_id = p_account AND state = 'offered' AND expires_at < clock_timestamp() - interval '2 days';
  SELECT * INTO v_consent FROM shop.top_up_consent WHERE account_id = p_account AND state = 'offered' AND plan_id = p_plan AND below = p_below
    AND amount = p_amount AND monthly_max = p_max AND expires_at > p_expires - interval '12 hours' LIMIT 1;
  IF NOT FOUND THEN
    INSERT INTO shop.top_up_consent (id, account_id, plan_id, below, amount, monthly_max, expires_at)
      VALUES (p_id, p_account, p_plan, p_below, p_amount, p_max, p_expires) RETURNING * INTO v_consent;
  ELSE
    PERFORM ledger.await_standby();
  END IF;
  RETURN v_consent;
END $$;

-- Records that the card holder agreed on the card page, also in the audit list of the account. Top-ups are on by these terms, and earlier consents of the
-- account end. Safe to repeat.
CREATE OR REPLACE FUNCTION shop.accept_consent(p_id text, p_card jsonb, p_email text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_consent shop.top_up_consent;
BEGIN
  UPDATE shop.top_up_consent SET state = 'agreed', saved_card = p_card, email = p_email, agreed_at = clock_timestamp(), account_id = shop.resolve_account(account_id)
    WHERE id = p_id AND state = 'offered' RETURNING * INTO v_consent;
  IF NOT FOUND THEN
    PERFORM ledger.await_standby();
    RETURN;
  END IF;
  UPDATE shop.top_up_consent SET state = 'ended', ended_at = clock_timestamp() WHERE account_id = v_consent.account_id AND state = 'agreed' AND id <> p_id;
  PERFORM shop.enable_top_ups(v_consent.account_id, v_consent.plan_id, v_consent.below, v_consent.amount, v_consent.monthly_max, p_id);
  PERFORM shop.add_account_event(v_consent.account_id, 'cardholder', 'top_up_agreed', v_consent.account_id,
    jsonb_build_object('amount_micro_usd', v_consent.amount, 'brand', p_card ->> 'brand', 'last4', p_card ->> 'last4'));
END $$;

-- Ends a consent: no further charges are made on it. Safe to repeat.
CREATE OR REPLACE FUNCTION shop.end_consent(p_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.top_up_consent SET state = 'ended', ended_at = clock_timestamp() WHERE id = p_id AND state <> 'ended';
  UPDATE shop.top_up SET state = 'stopped', reason = 'The holder of the card has ended its automatic charges.', updated_at = clock_timestamp()
    WHERE consent_id = p_id AND state = 'on';
  SELECT ledger.await_standby();
$$;
