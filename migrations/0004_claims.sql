-- Codes by which a person takes an account over; an account that was taken over before by the same person takes the new one in.

-- Writes a code down that is to go out by email; the one before it is of no more use. `state`: `begun`, `limited` (wait), or `claimed`: the
-- account has its person. `known`: whether the email has an account; for the mail alone to tell.
-- One at a time over all processes, so that the limits hold.
CREATE FUNCTION shop.begin_claim(p_id text, p_account text, p_email text, p_mailbox text, p_block text, p_digest text, p_expires timestamptz,
  p_account_max integer, p_email_max integer, p_block_max integer)
RETURNS TABLE (state text, wait_seconds integer, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := clock_timestamp() - interval '1 day';
BEGIN
  LOCK TABLE shop.claim IN SHARE ROW EXCLUSIVE MODE;
  SELECT ceil(max(extract(epoch FROM c.created_at - v_day))) INTO wait_seconds FROM (
    (SELECT created_at FROM shop.claim WHERE account_id = p_account AND created_at > v_day ORDER BY created_at DESC OFFSET p_account_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.claim WHERE mailbox = p_mailbox AND created_at > v_day ORDER BY created_at DESC OFFSET p_email_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.claim WHERE block = p_block AND created_at > v_day ORDER BY created_at DESC OFFSET p_block_max - 1 LIMIT 1)
  ) c;
  known := EXISTS (SELECT FROM shop.account WHERE email = p_email);
  IF EXISTS (SELECT FROM shop.account WHERE id = shop.standing(p_account) AND email IS NOT NULL) THEN
    state := 'claimed';
  ELSIF wait_seconds IS NOT NULL THEN
    state := 'limited';
  ELSE
    state := 'begun';
    INSERT INTO shop.claim (id, account_id, email, mailbox, block, code_digest, created_at, expires_at)
      VALUES (p_id, p_account, p_email, p_mailbox, p_block, p_digest, clock_timestamp(), p_expires);
  END IF;
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Takes a code: the account gets its person, or becomes a part of the account that this person has, and the further trial units come, once for
-- each mailbox. The right code again says the same again. `state`: `claimed`, `wrong` (with what is left of the tries), `none`: no code is waiting,
-- `taken`: the account has another person by now, or `frozen`: the seller lets one of both do nothing. One at a time over all processes.
CREATE FUNCTION shop.complete_claim(p_account text, p_digest text, p_tries_max integer, p_plan text, p_units bigint)
RETURNS TABLE (state text, remaining text, joined boolean, tries_left integer) LANGUAGE plpgsql AS $$
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
  IF v_claim.done_at IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
  SELECT coalesce(a.joined_to, a.id) INTO v_owner FROM shop.account a WHERE a.email = v_claim.email;
  IF joined OR v_email IS NOT NULL THEN
    state := 'taken'; RETURN NEXT; RETURN;
  END IF;
  -- A join would thaw it.
  IF EXISTS (SELECT FROM shop.account a WHERE a.id IN (remaining, v_owner) AND a.frozen_at IS NOT NULL) THEN
    state := 'frozen'; RETURN NEXT; RETURN;
  END IF;
  IF v_owner IS NULL THEN
    UPDATE shop.account SET email = v_claim.email, claimed_at = clock_timestamp() WHERE id = remaining;
  ELSE
    -- The person's own account stays: its id is what he knows, and what renews and is refunded was bought under it.
    joined := shop.join_accounts(remaining, v_owner);
    IF NOT joined THEN RAISE EXCEPTION 'account % cannot join %', remaining, v_owner; END IF;
    remaining := v_owner;
  END IF;
  IF p_units > 0 THEN
    PERFORM ledger.grant_lot('claimed:' || v_claim.mailbox, remaining, 'trial', 'seller:claimed', 'trial', 'unit', p_plan, p_units, NULL);
  END IF;
  UPDATE shop.claim SET done_at = clock_timestamp() WHERE id = v_claim.id;
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Links by which a person signs in. What opens one is kept as a digest. Addresses without an account count too: no link of theirs is sent.
CREATE TABLE shop.sign_in (
  id text PRIMARY KEY,
  email text NOT NULL,
  mailbox text NOT NULL,
  block text,
  token_digest text NOT NULL UNIQUE,
  -- Of a secret that the browser has which asked for the link.
  browser_digest text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
--> statement-breakpoint
CREATE INDEX sign_in_created_at ON shop.sign_in (created_at);
--> statement-breakpoint

-- Writes a link down that is to go out by email. `state`: `begun` or `limited` (wait), whether or not the email has an account; that (`known`) is for
-- the mail alone to tell. One at a time over all processes, so that the limits of a day hold.
CREATE FUNCTION shop.begin_sign_in(p_id text, p_email text, p_mailbox text, p_block text, p_token text, p_browser text, p_expires timestamptz,
  p_mailbox_max integer, p_block_max integer, p_all_max integer)
RETURNS TABLE (state text, wait_seconds integer, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := clock_timestamp() - interval '1 day';
BEGIN
  LOCK TABLE shop.sign_in IN SHARE ROW EXCLUSIVE MODE;
  SELECT ceil(max(extract(epoch FROM s.created_at - v_day))) INTO wait_seconds FROM (
    (SELECT created_at FROM shop.sign_in WHERE mailbox = p_mailbox AND created_at > v_day ORDER BY created_at DESC OFFSET p_mailbox_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.sign_in WHERE block = p_block AND created_at > v_day ORDER BY created_at DESC OFFSET p_block_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.sign_in WHERE created_at > v_day ORDER BY created_at DESC OFFSET p_all_max - 1 LIMIT 1)
  ) s;
  known := EXISTS (SELECT FROM shop.account WHERE email = p_email);
  state := CASE WHEN wait_seconds IS NULL THEN 'begun' ELSE 'limited' END;
  IF state = 'begun' THEN
    INSERT INTO shop.sign_in (id, email, mailbox, block, token_digest, browser_digest, expires_at)
      VALUES (p_id, p_email, p_mailbox, p_block, p_token, p_browser, p_expires);
  END IF;
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Takes a link, once. `state`: `signed_in` with the account, `gone` (used, too old, tried too often, or none), or `elsewhere`: this is not the
-- browser that asked, and the address that it names instead is not the one of the mail.
CREATE FUNCTION shop.end_sign_in(p_token text, p_browser text, p_email text, p_tries_max integer)
RETURNS TABLE (state text, account text) LANGUAGE plpgsql AS $$
DECLARE
  v_link shop.sign_in;
BEGIN
  SELECT * INTO v_link FROM shop.sign_in s WHERE s.token_digest = p_token FOR UPDATE;
  SELECT coalesce(a.joined_to, a.id) INTO account FROM shop.account a WHERE a.email = v_link.email;
  IF account IS NULL OR v_link.used_at IS NOT NULL OR v_link.expires_at <= clock_timestamp() OR v_link.tries >= p_tries_max THEN
    state := 'gone';
  ELSIF v_link.browser_digest = p_browser OR v_link.email = p_email THEN
    state := 'signed_in';
    UPDATE shop.sign_in SET used_at = clock_timestamp() WHERE id = v_link.id;
  ELSE
    state := 'elsewhere';
    UPDATE shop.sign_in SET tries = tries + 1 WHERE id = v_link.id;
  END IF;
  RETURN NEXT;
END $$;
