-- The accounts of a person: one account, and those that were joined to it.
CREATE OR REPLACE FUNCTION shop.accounts_of(p_account text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT id FROM shop.account WHERE id = shop.joined_account(p_account) OR joined_to = shop.joined_account(p_account)
$$;

-- The account that an account was joined to, and why it cannot be erased now; null if it can. `subscription`: the processor will or may charge
-- for one. `payment`: a payment is in progress. `request`: a refund request has no answer. `last_owner`: another account has no other owner. `balance`: paid credit is unspent.
CREATE OR REPLACE FUNCTION shop.erasure_obstacle(p_account text, p_forfeits boolean) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM shop.subscription WHERE account_id = p_account AND processor_id IS NOT NULL AND status IN ('active', 'past_due') AND ended_at IS NULL)
      THEN 'subscription'
    WHEN EXISTS (SELECT FROM shop.purchase WHERE account_id = p_account AND (state = 'claimed' OR claimed_by IS NOT NULL)) THEN 'payment'
    WHEN EXISTS (SELECT FROM shop.refund_request r JOIN shop.purchase o ON o.id = r.purchase_id WHERE o.account_id = p_account AND r.declined_at IS NULL
      AND NOT EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.is_effective)) THEN 'request'
    -- Another account of the person would be left without an owner.
    WHEN EXISTS (SELECT FROM shop.account a JOIN shop.member m ON m.email = a.email WHERE a.id = p_account AND m.account_id <> p_account AND m.role = 'owner'
      AND NOT EXISTS (SELECT FROM shop.member o WHERE o.account_id = m.account_id AND o.role = 'owner' AND o.id <> m.id)) THEN 'last_owner'
    WHEN NOT p_forfeits AND EXISTS (SELECT FROM ledger.statement(p_account) k WHERE k.kind IN ('credit', 'allowance') AND k.remaining > 0
      AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())) THEN 'balance'
  END
$$;

-- Erases what identifies the owner of an account, and freezes it. Orders, payments, lots and usage stay, under the account's id. Repeating it
-- erases what was added since. `state`: `done`, `unknown_account`, or an obstacle.
CREATE OR REPLACE FUNCTION shop.erase_account(p_account text, p_forfeits boolean, p_reason text, p_who text) RETURNS TABLE (state text, account text)
LANGUAGE plpgsql AS $$
DECLARE
  v_all text[];
  v_emails text[];
  v_own text;
BEGIN
  account := shop.joined_account(p_account);
  PERFORM 1 FROM shop.purchase o WHERE o.account_id = account ORDER BY o.id FOR UPDATE;
  PERFORM 1 FROM shop.account a WHERE a.id = account FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_account'; RETURN NEXT; RETURN; END IF;
  state := shop.erasure_obstacle(account, p_forfeits);
  -- The caller has closed the card pages. One that was opened since could still be paid.
  IF state IS NULL AND EXISTS (SELECT FROM shop.purchase o WHERE o.account_id = account AND o.state IN ('offered', 'declined') AND o.checkout_session IS NOT NULL) THEN
    state := 'payment';
  END IF;
  IF state IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
  SELECT array_agg(a) INTO v_all FROM shop.accounts_of(account) AS a;
  SELECT array_agg(DISTINCT e.email) INTO v_emails FROM (
    SELECT a.email FROM shop.account a WHERE a.id = ANY (v_all)
    UNION SELECT c.email FROM shop.claim c WHERE c.account_id = ANY (v_all) AND c.done_at IS NOT NULL
    UNION SELECT s.payer_email FROM shop.subscription s WHERE s.account_id = account
    UNION SELECT t.email FROM shop.top_up_consent t WHERE t.account_id = ANY (v_all)) e WHERE e.email IS NOT NULL;
  SELECT a.email INTO v_own FROM shop.account a WHERE a.id = account;
  IF v_own IS NOT NULL AND shop.forget_person(v_own) IS NULL THEN state := 'last_owner'; RETURN NEXT; RETURN; END IF;
  UPDATE shop.mail m SET state = 'expired', recipient = '', subject = '', body = '' FROM shop.invitation i
    WHERE i.account_id = ANY (v_all) AND m.state = 'waiting' AND m.key LIKE 'invitation:' || i.id || ':%';
  DELETE FROM shop.member m WHERE m.account_id = ANY (v_all);
  DELETE FROM shop.invitation i WHERE i.account_id = ANY (v_all);
  DELETE FROM shop.account_event e WHERE e.account_id = ANY (v_all);
  UPDATE shop.account a SET email = NULL, frozen_at = coalesce(a.frozen_at, clock_timestamp()) WHERE a.id = ANY (v_all);
  PERFORM shop.end_key(account, k.id) FROM shop.key k WHERE k.account_id = ANY (v_all) AND k.revoked_at IS NULL;
  UPDATE shop.key k SET name = 'erased', hint = '' WHERE k.account_id = ANY (v_all);
  DELETE FROM shop.billing_details b WHERE b.account_id = ANY (v_all);
  DELETE FROM shop.oauth_grant g WHERE g.account_id = ANY (v_all);
  DELETE FROM shop.wallet w WHERE w.account_id = ANY (v_all);
  DELETE FROM shop.claim c WHERE c.account_id = ANY (v_all) OR c.email = ANY (v_emails);
  DELETE FROM shop.sign_in s WHERE s.email = ANY (v_emails);
  UPDATE shop.mail m SET state = 'expired', recipient = '', subject = '', body = '' WHERE m.state = 'waiting' AND m.recipient = ANY (v_emails);
  UPDATE shop.subscription s SET payer_email = NULL, pay_url = NULL, manage_key = DEFAULT WHERE s.account_id = account;
  UPDATE shop.top_up t SET state = 'off', saved_card = shop.no_card() WHERE t.account_id = ANY (v_all);
  UPDATE shop.top_up_consent t SET state = 'ended', ended_at = coalesce(t.ended_at, clock_timestamp()), email = NULL,
    saved_card = CASE WHEN t.saved_card IS NOT NULL THEN shop.no_card() END WHERE t.account_id = ANY (v_all);
  DELETE FROM shop.card_setup s WHERE s.account_id = ANY (v_all);
  UPDATE shop.charge c SET card = NULL FROM shop.purchase o WHERE o.account_id = account AND (c.order_id = o.id OR c.payment = o.payment) AND c.card IS NOT NULL;
  UPDATE shop.purchase o SET return_url = NULL, page_address = NULL, saved_card = CASE WHEN o.saved_card IS NOT NULL THEN shop.no_card() END WHERE o.account_id = account;
  UPDATE shop.refund_request r SET reason = 'erased', answer = CASE WHEN r.answer IS NOT NULL THEN 'erased' END
    FROM shop.purchase o WHERE o.id = r.purchase_id AND o.account_id = account;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'erased', account, NULL, jsonb_build_object('accounts', v_all, 'reason', p_reason));
  PERFORM shop.add_event('account.erased', account, account, jsonb_build_object('accounts', v_all));
  PERFORM ledger.announce('revocations', 'frozen ' || a) FROM unnest(v_all) AS a;
  state := 'done';
  RETURN NEXT;
END $$;

-- Replaces an erased card.
CREATE OR REPLACE FUNCTION shop.no_card() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT '{"customer": "erased", "method": "erased", "brand": "", "last4": ""}'::jsonb
$$;

-- Removes a person from the accounts of others, with their sessions, applications and invitations, and their address from the audit lists there. Keys that
-- they created stay: they belong to the accounts. Keys that are paused, because their role includes no calls, are revoked. Returns the accounts, or null if one of them would be left without an owner.
CREATE OR REPLACE FUNCTION shop.forget_person(p_email text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_accounts text[];
  v_member shop.member;
  v_key text;
BEGIN
  PERFORM 1 FROM shop.account a WHERE a.id IN (SELECT m.account_id FROM shop.member m WHERE m.email = p_email) ORDER BY a.id FOR UPDATE;
  IF EXISTS (SELECT FROM shop.member m WHERE m.email = p_email AND m.role = 'owner'
      AND NOT EXISTS (SELECT FROM shop.account a WHERE a.email = p_email AND coalesce(a.joined_to, a.id) = m.account_id)
      AND NOT EXISTS (SELECT FROM shop.member o WHERE o.account_id = m.account_id AND o.role = 'owner' AND o.id <> m.id)) THEN
    RETURN NULL;
  END IF;
  SELECT coalesce(array_agg(m.account_id), '{}') INTO v_accounts FROM shop.member m WHERE m.email = p_email;
  FOR v_member IN DELETE FROM shop.member m WHERE m.email = p_email RETURNING * LOOP
    PERFORM shop.revoke_ids(ARRAY[v_member.id || '.' || v_member.epoch]);
    DELETE FROM shop.oauth_grant g WHERE g.member_id = v_member.id;
    UPDATE shop.invitation i SET state = 'withdrawn' WHERE i.invited_by = v_member.id AND i.state = 'open';
    FOR v_key IN SELECT k.id FROM shop.key k WHERE k.member_id = v_member.id AND k.revoked_at IS NULL AND NOT shop.role_calls(v_member.role) LOOP
      PERFORM shop.end_key(v_member.account_id, v_key);
      PERFORM shop.revoke_ids(ARRAY[v_key]);
    END LOOP;
  END LOOP;
  DELETE FROM shop.invitation i WHERE i.email = p_email;
  UPDATE shop.account_event e SET who = CASE WHEN e.who = p_email THEN 'erased' ELSE e.who END, subject = CASE WHEN e.subject = p_email THEN 'erased' ELSE e.subject END,
      detail = CASE WHEN e.who = p_email THEN e.detail - ARRAY['device', 'session'] ELSE e.detail END
    WHERE p_email IN (e.who, e.subject);
  DELETE FROM shop.sign_in s WHERE s.email = p_email;
  UPDATE shop.mail m SET state = 'expired', recipient = '', subject = '', body = '' WHERE m.state = 'waiting' AND m.recipient = p_email;
  PERFORM ledger.await_standby();
  RETURN v_accounts;
END $$;
