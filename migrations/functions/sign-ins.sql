-- Records a sign-in link that will be sent by email. `state`: `begun` or `limited` (wait), regardless of whether the email has an account. Only the mail
-- may mention that (`known`). With `p_invitation`, opening the link accepts that invitation. Calls follow each other over all processes, so that the daily limits hold.
-- A browser that has opened a link of the mailbox (`p_known`) has an allowance of its own, which requests of others do not use. All others share that
-- of the mailbox; beyond it (`is_late`) a link lives until `p_late_expires`, and an address gets the next one when the last has expired: the person who
-- reads the mailbox can always request a link, or has one that works. An email without an account is then `skipped`, or addresses of one mailbox
-- would get mail without end: it looks the same to the caller, and no mail is sent. So is one in the last fifth of the daily maximum.
CREATE OR REPLACE FUNCTION shop.begin_sign_in(p_id text, p_email text, p_mailbox text, p_blocks text[], p_seconds integer[], p_max integer[],
  p_token text, p_browser text, p_known text, p_expires timestamptz, p_late_expires timestamptz,
  p_mailbox_max integer, p_known_max integer, p_known_mailbox_max integer, p_all_max integer, p_invitation text)
RETURNS TABLE (state text, wait_seconds integer, known boolean, is_late boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz := clock_timestamp() - interval '1 day';
  v_known text;
  v_sent integer;
  v_total integer;
BEGIN
  LOCK TABLE shop.sign_in IN SHARE ROW EXCLUSIVE MODE;
  SELECT p_known INTO v_known FROM shop.sign_in s WHERE s.mailbox = p_mailbox AND s.known_digest IS NOT NULL AND s.created_at > v_day
    HAVING count(*) < p_known_mailbox_max AND count(*) FILTER (WHERE s.known_digest = p_known) < p_known_max;
  SELECT count(*) INTO v_sent FROM shop.sign_in s WHERE s.mailbox = p_mailbox AND s.known_digest IS NULL AND s.created_at > v_day;
  SELECT count(*) INTO v_total FROM shop.sign_in s WHERE s.created_at > v_day AND (s.known_digest IS NULL) = (v_known IS NULL);
  known := p_invitation IS NOT NULL OR shop.home_of(p_email) IS NOT NULL;
  is_late := v_known IS NULL AND v_sent >= p_mailbox_max - 1;
  SELECT ceil(max(extract(epoch FROM w.until - clock_timestamp()))) INTO wait_seconds FROM (
    SELECT s.expires_at AS until FROM shop.sign_in s WHERE v_known IS NULL AND v_sent >= p_mailbox_max AND s.email = p_email AND s.known_digest IS NULL
      AND s.invitation_id IS NOT DISTINCT FROM p_invitation AND s.expires_at > clock_timestamp()
    UNION ALL (SELECT s.created_at + interval '1 day' FROM shop.sign_in s WHERE s.created_at > v_day AND (s.known_digest IS NULL) = (v_known IS NULL)
      ORDER BY s.created_at DESC OFFSET p_all_max - 1 LIMIT 1)
  ) w;
  wait_seconds := greatest(wait_seconds, shop.block_wait('sign_in', p_blocks, p_seconds, p_max));
  IF wait_seconds IS NOT NULL THEN
    state := 'limited'; RETURN NEXT; RETURN;
  END IF;
  PERFORM shop.use_blocks('sign_in', p_blocks);
  state := CASE WHEN NOT known AND (v_total >= p_all_max * 4 / 5 OR is_late AND v_sent >= p_mailbox_max) THEN 'skipped' ELSE 'begun' END;
  -- In the last fifth, skipped requests do not count for the daily maximum.
  IF state = 'begun' OR v_total < p_all_max * 4 / 5 THEN
    INSERT INTO shop.sign_in (id, email, mailbox, token_digest, browser_digest, known_digest, expires_at, invitation_id)
      VALUES (p_id, p_email, p_mailbox, p_token, p_browser, v_known, CASE WHEN is_late THEN p_late_expires ELSE p_expires END, p_invitation);
  END IF;
  RETURN NEXT;
END $$;

-- Accepts a sign-in link, once. `state`: `signed_in` with the account and the person in it, `gone` (used, expired, tried too often, or unknown),
-- `elsewhere`: the link was opened in a different browser, and the person did not enter the address that the mail was sent to; or `full`: the
-- account that the link invites to has `p_members_max` persons.
CREATE OR REPLACE FUNCTION shop.complete_sign_in(p_token text, p_browser text, p_email text, p_tries_max integer, p_members_max integer,
  p_device text)
RETURNS TABLE (state text, account text, member text, role text, epoch integer, email text, session text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_link shop.sign_in;
  v_account text;
BEGIN
  SELECT * INTO v_link FROM shop.sign_in s WHERE s.token_digest = p_token FOR UPDATE;
  IF v_link.id IS NULL OR v_link.used_at IS NOT NULL OR v_link.expires_at <= clock_timestamp() OR v_link.tries >= p_tries_max THEN
    state := 'gone'; RETURN NEXT; RETURN;
  END IF;
  IF v_link.browser_digest IS DISTINCT FROM p_browser AND v_link.email IS DISTINCT FROM p_email THEN
    UPDATE shop.sign_in SET tries = tries + 1 WHERE id = v_link.id;
    state := 'elsewhere'; RETURN NEXT; RETURN;
  END IF;
  IF v_link.invitation_id IS NOT NULL THEN
    SELECT CASE WHEN i.state = 'other_address' THEN 'gone' ELSE i.state END, i.account, i.member, i.role, i.epoch INTO state, account, member, role, epoch
      FROM shop.accept_invitation(NULL, v_link.invitation_id, v_link.email, p_members_max) i;
    IF state <> 'accepted' THEN RETURN NEXT; RETURN; END IF;
  ELSE
    v_account := shop.home_of(v_link.email);
    SELECT m.account_id, m.id, m.role, m.epoch INTO account, member, role, epoch FROM shop.own_member(v_account, v_link.email) m;
    IF member IS NULL THEN state := 'gone'; RETURN NEXT; RETURN; END IF;
  END IF;
  state := 'signed_in'; email := v_link.email;
  UPDATE shop.sign_in SET used_at = clock_timestamp() WHERE id = v_link.id;
  UPDATE shop.member m SET used_at = clock_timestamp() WHERE m.id = member;
  session := 'ses_' || substr(account, 5, 2) || left(replace(gen_random_uuid()::text, '-', ''), 30);
  PERFORM shop.keep_session(session, member, p_device);
  PERFORM shop.add_account_event(account, member, 'signed_in', v_link.email, jsonb_build_object('device', p_device, 'session', session));
  RETURN NEXT;
END $$;

-- Adds a session of a person to the list, shows that it is now in the account of `p_member`, or prolongs it for the life of an assertion
-- (src/identity/assertion.ts), at most once a day.
CREATE OR REPLACE FUNCTION shop.keep_session(p_id text, p_member text, p_device text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.member_session AS s (id, member_id, device, expires_at)
    SELECT p_id, m.id, p_device, clock_timestamp() + interval '90 days' FROM shop.member m
      WHERE m.id = p_member AND NOT EXISTS (SELECT FROM shop.member_session k
        WHERE k.id = p_id AND k.member_id = p_member AND k.expires_at > clock_timestamp() + interval '89 days')
      FOR KEY SHARE
    ON CONFLICT (id) DO UPDATE SET member_id = excluded.member_id, expires_at = excluded.expires_at;
$$;
