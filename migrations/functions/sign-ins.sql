-- Records a sign-in link that will be sent by email. `state`: `begun` or `limited` (wait), regardless of whether the email has an account. Only the mail
-- may mention that (`known`). Calls follow each other over all processes, so that the daily limits hold. The last fifth of the daily maximum is
-- reserved for emails with an account: others are `skipped`, which looks the same to the caller, and no mail is sent.
CREATE OR REPLACE FUNCTION shop.begin_sign_in(p_id text, p_email text, p_mailbox text, p_blocks text[], p_seconds integer[], p_max integer[],
  p_token text, p_browser text, p_expires timestamptz, p_mailbox_max integer, p_all_max integer)
RETURNS TABLE (state text, wait_seconds integer, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := clock_timestamp() - interval '1 day';
BEGIN
  LOCK TABLE shop.sign_in IN SHARE ROW EXCLUSIVE MODE;
  SELECT ceil(max(extract(epoch FROM s.created_at - v_day))) INTO wait_seconds FROM (
    (SELECT created_at FROM shop.sign_in WHERE mailbox = p_mailbox AND created_at > v_day ORDER BY created_at DESC OFFSET p_mailbox_max - 1 LIMIT 1)
    UNION ALL (SELECT created_at FROM shop.sign_in WHERE created_at > v_day ORDER BY created_at DESC OFFSET p_all_max - 1 LIMIT 1)
  ) s;
  wait_seconds := greatest(wait_seconds, shop.block_wait('sign_in', p_blocks, p_seconds, p_max));
  known := EXISTS (SELECT FROM shop.account WHERE email = p_email);
  IF wait_seconds IS NOT NULL THEN
    state := 'limited';
  ELSE
    -- Skipped requests count for their block but not for the daily maximum.
    PERFORM shop.use_blocks('sign_in', p_blocks);
    IF NOT known AND (SELECT count(*) FROM shop.sign_in WHERE created_at > v_day) >= p_all_max * 4 / 5 THEN
      state := 'skipped';
    ELSE
      state := 'begun';
      INSERT INTO shop.sign_in (id, email, mailbox, token_digest, browser_digest, expires_at)
        VALUES (p_id, p_email, p_mailbox, p_token, p_browser, p_expires);
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- Accepts a sign-in link, once. `state`: `signed_in` with the account, `gone` (used, expired, tried too often, or unknown), or `elsewhere`: the link
-- was opened in a different browser, and the person did not enter the address that the mail was sent to.
CREATE OR REPLACE FUNCTION shop.complete_sign_in(p_token text, p_browser text, p_email text, p_tries_max integer)
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
