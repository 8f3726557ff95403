-- Returns true for an account that has bought something.
CREATE OR REPLACE FUNCTION shop.has_bought(p_account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM shop.purchase o WHERE o.account_id = p_account AND o.state = 'granted')
$$;

-- Records a code that will be sent by email; earlier codes of the account stop working. `state`: `begun`, `limited` (wait), or `claimed`: a person
-- has the account. `known`: an account has this email. Only the mail may mention it. Calls follow each other over all processes, so that the
-- limits hold. The last fifth of the daily maximum is reserved for accounts that have bought something.
CREATE OR REPLACE FUNCTION shop.begin_claim(p_id text, p_account text, p_email text, p_mailbox text, p_blocks text[], p_seconds integer[], p_max integer[],
  p_digest text, p_expires timestamptz, p_account_max integer, p_email_max integer, p_all_max integer)
RETURNS TABLE (state text, wait_seconds integer, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := clock_timestamp() - interval '1 day';
  v_paid boolean := shop.has_bought(p_account);
BEGIN
  LOCK TABLE shop.claim IN SHARE ROW EXCLUSIVE MODE;
  SELECT ceil(max(extract(epoch FROM c.created_at - v_day))) INTO wait_seconds FROM (
    (SELECT created_at FROM shop.claim WHERE account_id = p_account AND created_at > v_day ORDER BY created_at DESC OFFSET p_account_max - 1 LIMIT 1)
    -- Codes for accounts that have bought something count apart, so that a stranger with free accounts cannot use them up.
    UNION ALL (SELECT created_at FROM shop.claim WHERE mailbox = p_mailbox AND shop.has_bought(account_id) = v_paid AND created_at > v_day ORDER BY created_at DESC OFFSET p_email_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.claim WHERE created_at > v_day ORDER BY created_at DESC OFFSET
      CASE WHEN v_paid THEN p_all_max ELSE p_all_max * 4 / 5 END - 1 LIMIT 1)
  ) c;
  wait_seconds := greatest(wait_seconds, shop.block_wait('claim', p_blocks, p_seconds, p_max));
  known := EXISTS (SELECT FROM shop.account WHERE email = p_email);
  IF shop.has_person(shop.resolve_account(p_account)) THEN
    state := 'claimed';
  ELSIF wait_seconds IS NOT NULL THEN
    state := 'limited';
  ELSE
    state := 'begun';
    INSERT INTO shop.claim (id, account_id, email, mailbox, code_digest, created_at, expires_at)
      VALUES (p_id, p_account, p_email, p_mailbox, p_digest, clock_timestamp(), p_expires);
    PERFORM shop.use_blocks('claim', p_blocks);
  END IF;
  RETURN NEXT;
END $$;

-- Accepts a code. The account gets the email of its person, or is joined to the account that this person has, and the units for a claim are granted
-- once per mailbox, as is a trial that needs an email address (`p_trial` of units, `p_once`). The right code sent again gets the same result. `state`: `claimed`, `wrong` (with the remaining tries), `none` (no code is
-- waiting), `taken` (another person has the account by now; `member` is the person who claimed, in `remaining`), or `frozen` (the seller froze one of both). Calls follow each other over all processes.
CREATE OR REPLACE FUNCTION shop.complete_claim(p_account text, p_digest text, p_tries_max integer, p_plan text, p_units bigint, p_asset text DEFAULT 'unit',
  p_trial bigint DEFAULT 0, p_once text[] DEFAULT '{}', p_address text DEFAULT NULL)
RETURNS TABLE (state text, remaining text, joined boolean, tries_left integer, trial text, member text, role text, epoch integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_claim shop.claim;
  v_email text;
  v_owner text;
BEGIN
  LOCK TABLE shop.claim IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO v_claim FROM shop.claim c WHERE c.account_id = p_account ORDER BY c.created_at DESC LIMIT 1;
  IF NOT FOUND OR v_claim.expires_at <= clock_timestamp() OR v_claim.tries >= p_tries_max THEN
    state := 'none'; RETURN NEXT; RETURN;
  END IF;
  IF v_claim.code_digest <> p_digest THEN
    UPDATE shop.claim SET tries = tries + 1 WHERE id = v_claim.id;
    state := 'wrong'; tries_left := p_tries_max - v_claim.tries - 1; RETURN NEXT; RETURN;
  END IF;
  state := 'claimed';
  SELECT coalesce(a.joined_to, a.id), a.email INTO remaining, v_email FROM shop.account a WHERE a.id = p_account;
  joined := remaining <> p_account;
  trial := 'none';
  IF v_claim.done_at IS NOT NULL THEN
    SELECT m.id, m.role, m.epoch INTO member, role, epoch FROM shop.member m WHERE m.account_id = remaining AND m.email = v_claim.email;
    PERFORM ledger.await_standby();
    RETURN NEXT; RETURN;
  END IF;
  SELECT coalesce(a.joined_to, a.id) INTO v_owner FROM shop.account a WHERE a.email = v_claim.email;
  IF joined OR v_email IS NOT NULL OR shop.has_person(p_account) THEN
    state := 'taken'; RETURN NEXT; RETURN;
  END IF;
  -- A join would unfreeze it.
  IF EXISTS (SELECT FROM shop.account a WHERE a.id IN (remaining, v_owner) AND a.frozen_at IS NOT NULL) THEN
    state := 'frozen'; RETURN NEXT; RETURN;
  END IF;
  IF v_owner IS NULL THEN
    UPDATE shop.account SET email = v_claim.email, claimed_at = clock_timestamp() WHERE id = remaining;
  ELSE
    -- The person's existing account stays: they know its id, and renewals and refunds refer to it.
    joined := shop.join_accounts(remaining, v_owner);
    IF NOT joined THEN RAISE EXCEPTION 'account % cannot join %', remaining, v_owner; END IF;
    remaining := v_owner;
  END IF;
  SELECT m.id, m.role, m.epoch INTO member, role, epoch FROM shop.own_member(remaining, v_claim.email) m;
  PERFORM shop.add_account_event(remaining, member, 'claimed', p_account);
  trial := CASE WHEN 'email' = ANY (p_once) THEN shop.give_trial(remaining, p_plan, p_trial, p_asset, p_once, 'email', v_claim.mailbox, p_address) ELSE 'none' END;
  IF p_units > 0 THEN
    PERFORM ledger.grant_lot('claimed:' || v_claim.mailbox, remaining, 'trial', 'seller:claimed', 'trial', p_asset, p_plan, p_units, NULL);
  END IF;
  UPDATE shop.claim SET done_at = clock_timestamp() WHERE id = v_claim.id;
  -- A person who bought before they had an address gets the mails about the last day's payments now.
  PERFORM shop.add_account_mail('paid_' || o.id, remaining, 'paid', o.id) FROM shop.purchase o
    WHERE o.account_id = remaining AND o.state = 'granted' AND o.rail <> 'top_up' AND o.granted_at > clock_timestamp() - interval '1 day'
      AND NOT EXISTS (SELECT FROM shop.reversal r WHERE r.purchase_id = o.id AND r.is_effective);
  RETURN NEXT;
END $$;
