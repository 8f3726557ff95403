-- Adds an entry to the audit list of an account. `p_actor`: the id of a person (`mem_`), whose address is written, or any other name.
CREATE OR REPLACE FUNCTION shop.add_account_event(p_account text, p_actor text, p_act text, p_subject text, p_detail jsonb DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.account_event (account_id, who, act, subject, detail)
    VALUES (p_account, coalesce((SELECT m.email FROM shop.member m WHERE m.id = p_actor), p_actor), p_act, p_subject, p_detail)
$$;

-- The address to which mails about an account go: that of the person whose own account it is, or of the owner who joined first.
CREATE OR REPLACE FUNCTION shop.contact_of(p_account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(a.email, (SELECT m.email FROM shop.member m WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.joined_at, m.id LIMIT 1))
    FROM shop.account a WHERE a.id = p_account
$$;

-- Returns true when a person has claimed the account, or was invited to it. No other person can claim it then.
CREATE OR REPLACE FUNCTION shop.has_person(p_account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM shop.account WHERE id = p_account AND email IS NOT NULL) OR EXISTS (SELECT FROM shop.member WHERE account_id = p_account)
$$;

-- Returns true for the roles that include calls: those with the right `call` in src/identity/team/role.ts.
CREATE OR REPLACE FUNCTION shop.role_calls(p_role text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_role IN ('owner', 'admin', 'developer')
$$;

-- Returns the person `p_email` of an account. Makes them an owner if it is their own account and they are not in it yet.
CREATE OR REPLACE FUNCTION shop.own_member(p_account text, p_email text) RETURNS SETOF shop.member LANGUAGE plpgsql AS $$
BEGIN
  -- A removal that runs meanwhile ends first: otherwise the person whom it removes would be added again, as an owner.
  PERFORM shop.lock_team(p_account, NULL);
  INSERT INTO shop.member (id, account_id, email, role)
    SELECT 'mem_' || replace(gen_random_uuid()::text, '-', ''), p_account, p_email, 'owner'
      FROM shop.account a WHERE a.email = p_email AND coalesce(a.joined_to, a.id) = p_account
    ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT * FROM shop.member WHERE account_id = p_account AND email = p_email;
END $$;

-- Returns the account that sign-in opens for an address: the person's own, otherwise the one that they used last.
CREATE OR REPLACE FUNCTION shop.home_of(p_email text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT coalesce(a.joined_to, a.id) FROM shop.account a WHERE a.email = p_email),
    (SELECT m.account_id FROM shop.member m WHERE m.email = p_email ORDER BY m.used_at DESC, m.id LIMIT 1))
$$;

-- Locks the persons of an account until the end of the transaction, so that changes follow each other, and returns the role of the one who asks.
CREATE OR REPLACE FUNCTION shop.lock_team(p_account text, p_by text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM shop.account WHERE id = p_account FOR UPDATE;
  RETURN (SELECT m.role FROM shop.member m WHERE m.id = p_by AND m.account_id = p_account);
END $$;

-- Invites an address, or sends the open invitation of that address again with another token and role. `p_team` and `p_owners`: the roles that may
-- invite, and that may invite owners. `state`: `invited` (`is_mailed`: a mail may be sent), `member`, `declined`, `forbidden`, `full`, or `limited` (wait).
-- The last fifth of the mails of a day is reserved for accounts that have bought something.
CREATE OR REPLACE FUNCTION shop.invite(p_id text, p_account text, p_by text, p_email text, p_role text, p_digest text, p_expires timestamptz, p_members_max integer,
  p_blocks text[], p_seconds integer[], p_max integer[], p_quiet text, p_quiet_max integer, p_all_max integer, p_team text[], p_owners text[])
RETURNS TABLE (state text, id text, is_mailed boolean, inviter text, wait_seconds integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_role text := shop.lock_team(p_account, p_by);
  v_open shop.invitation;
BEGIN
  is_mailed := false;
  IF NOT coalesce(v_role = ANY (p_team), false) OR (p_role = ANY (p_owners) AND v_role <> ALL (p_owners)) THEN
    state := 'forbidden'; RETURN NEXT; RETURN;
  END IF;
  IF EXISTS (SELECT FROM shop.member m WHERE m.account_id = p_account AND m.email = p_email) THEN
    state := 'member'; RETURN NEXT; RETURN;
  END IF;
  SELECT * INTO v_open FROM shop.invitation i WHERE i.account_id = p_account AND i.email = p_email AND i.state = 'open';
  -- An owner's invitation can be changed by owners only.
  IF v_open.role = ANY (p_owners) AND v_role <> ALL (p_owners) THEN state := 'forbidden'; RETURN NEXT; RETURN; END IF;
  IF v_open.id IS NULL AND EXISTS (SELECT FROM shop.invitation i WHERE i.account_id = p_account AND i.email = p_email AND i.state = 'declined'
      AND i.expires_at > clock_timestamp()) THEN
    state := 'declined'; RETURN NEXT; RETURN;
  END IF;
  IF v_open.id IS NULL AND (SELECT count(*) FROM shop.member m WHERE m.account_id = p_account)
      + (SELECT count(*) FROM shop.invitation i WHERE i.account_id = p_account AND i.state = 'open' AND i.expires_at > clock_timestamp()) >= p_members_max THEN
    state := 'full'; RETURN NEXT; RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('shop.invite'));
  wait_seconds := shop.block_wait('invitation', array_append(p_blocks, ''), array_append(p_seconds, 86400), array_append(p_max,
    CASE WHEN EXISTS (SELECT FROM shop.purchase o WHERE o.account_id = p_account AND o.state = 'granted') THEN p_all_max ELSE p_all_max * 4 / 5 END));
  IF wait_seconds IS NOT NULL THEN state := 'limited'; RETURN NEXT; RETURN; END IF;
  is_mailed := shop.block_wait('invitation', ARRAY[p_quiet], ARRAY[86400], ARRAY[p_quiet_max]) IS NULL;
  PERFORM shop.use_blocks('invitation', p_blocks || CASE WHEN is_mailed THEN ARRAY[p_quiet] ELSE '{}'::text[] END);
  state := 'invited';
  id := coalesce(v_open.id, p_id);
  INSERT INTO shop.invitation AS i (id, account_id, email, role, digest, invited_by, expires_at) VALUES (id, p_account, p_email, p_role, p_digest, p_by, p_expires)
    ON CONFLICT (id) DO UPDATE SET role = p_role, digest = p_digest, invited_by = p_by, sent_at = clock_timestamp(), expires_at = p_expires;
  PERFORM shop.add_account_event(p_account, p_by, 'person_invited', p_email, jsonb_build_object('role', p_role));
  SELECT m.email INTO inviter FROM shop.member m WHERE m.id = p_by;
  RETURN NEXT;
END $$;

-- Accepts an invitation for the person who has proved `p_email`, once. Nothing is joined: an account that the person has stays as it is. A repetition
-- has the same result while the person is in the account. `state`: `accepted`, `gone`, `other_address`, or `full`.
CREATE OR REPLACE FUNCTION shop.accept_invitation(p_digest text, p_id text, p_email text, p_members_max integer)
RETURNS TABLE (state text, account text, member text, role text, epoch integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_invitation shop.invitation;
BEGIN
  SELECT i.account_id INTO account FROM shop.invitation i WHERE i.digest = p_digest OR i.id = p_id;
  -- The account is locked before the invitation, as in every change of a team.
  PERFORM shop.lock_team(account, NULL);
  SELECT * INTO v_invitation FROM shop.invitation i WHERE i.digest = p_digest OR i.id = p_id FOR UPDATE;
  state := 'gone';
  IF v_invitation.id IS NULL OR v_invitation.expires_at <= clock_timestamp() OR v_invitation.state NOT IN ('open', 'accepted')
      OR EXISTS (SELECT FROM shop.account a WHERE a.id = account AND a.frozen_at IS NOT NULL) THEN
    RETURN NEXT; RETURN;
  END IF;
  IF v_invitation.email <> p_email THEN state := 'other_address'; RETURN NEXT; RETURN; END IF;
  IF v_invitation.state = 'open' THEN
    IF (SELECT count(*) FROM shop.member m WHERE m.account_id = account) >= p_members_max THEN state := 'full'; RETURN NEXT; RETURN; END IF;
    INSERT INTO shop.member (id, account_id, email, role) VALUES ('mem_' || replace(gen_random_uuid()::text, '-', ''), account, p_email, v_invitation.role)
      ON CONFLICT DO NOTHING;
    UPDATE shop.invitation i SET state = 'accepted' WHERE i.id = v_invitation.id;
    PERFORM shop.add_account_event(account, p_email, 'invitation_accepted', p_email, jsonb_build_object('role', v_invitation.role));
  END IF;
  SELECT 'accepted', m.id, m.role, m.epoch INTO state, member, role, epoch FROM shop.member m WHERE m.account_id = account AND m.email = p_email;
  IF member IS NULL THEN state := 'gone'; END IF;
  RETURN NEXT;
END $$;

-- Declines an open invitation for the person who has proved `p_email`: `declined`, `gone`, or `other_address`. A repetition has the same result.
CREATE OR REPLACE FUNCTION shop.decline_invitation(p_digest text, p_email text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_invitation shop.invitation;
BEGIN
  SELECT * INTO v_invitation FROM shop.invitation WHERE digest = p_digest FOR UPDATE;
  IF v_invitation.id IS NULL OR v_invitation.state NOT IN ('open', 'declined') OR v_invitation.expires_at <= clock_timestamp() THEN RETURN 'gone'; END IF;
  IF v_invitation.email <> p_email THEN RETURN 'other_address'; END IF;
  IF v_invitation.state = 'declined' THEN RETURN 'declined'; END IF;
  UPDATE shop.invitation SET state = 'declined' WHERE id = v_invitation.id;
  PERFORM shop.add_account_event(v_invitation.account_id, v_invitation.email, 'invitation_declined', v_invitation.email);
  RETURN 'declined';
END $$;

-- Withdraws an open invitation, or removes a declined one, so that the person can be invited again: `done`, `unknown`, or `forbidden`.
CREATE OR REPLACE FUNCTION shop.withdraw_invitation(p_account text, p_id text, p_by text, p_team text[], p_owners text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_role text := shop.lock_team(p_account, p_by);
  v_invitation shop.invitation;
BEGIN
  SELECT * INTO v_invitation FROM shop.invitation WHERE id = p_id AND account_id = p_account FOR UPDATE;
  IF NOT coalesce(v_role = ANY (p_team), false) OR (v_invitation.role = ANY (p_owners) AND v_role <> ALL (p_owners)) THEN RETURN 'forbidden'; END IF;
  IF v_invitation.state = 'withdrawn' THEN RETURN 'done'; END IF;
  IF v_invitation.id IS NULL OR v_invitation.state NOT IN ('open', 'declined') THEN RETURN 'unknown'; END IF;
  UPDATE shop.invitation SET state = 'withdrawn' WHERE id = p_id;
  PERFORM shop.add_account_event(p_account, p_by, 'invitation_withdrawn', v_invitation.email);
  RETURN 'done';
END $$;

-- Refuses tokens and sessions by their ids from now on, in every process.
CREATE OR REPLACE FUNCTION shop.revoke_ids(p_ids text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.revocation (id, expires_at) SELECT i, clock_timestamp() + interval '92 days' FROM unnest(p_ids) AS i ON CONFLICT DO NOTHING;
  SELECT ledger.announce('revocations', 'revoked ' || i) FROM unnest(p_ids) AS i;
$$;

-- Ends that an account is the own account of a person, whose address then neither opens it nor joins other accounts to it.
CREATE OR REPLACE FUNCTION shop.disown(p_account text, p_email text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.account a SET email = NULL WHERE coalesce(a.joined_to, a.id) = p_account AND a.email = p_email
$$;

-- Changes the role of a person. Access tokens with the old role are refused: their ids are in `revoked`. Invitations that the person sent end, because
-- they may give more than the new role allows. A former owner has no account of their own here: accounts that they claim later must not be joined to it,
-- because the tokens of a joined account have rights that their role may lack. `state`: `done`, `unknown`, `forbidden`, or `last_owner`.
CREATE OR REPLACE FUNCTION shop.set_member_role(p_account text, p_member text, p_role text, p_by text, p_team text[], p_owners text[])
RETURNS TABLE (state text, revoked text[]) LANGUAGE plpgsql AS $$
DECLARE
  v_role text := shop.lock_team(p_account, p_by);
  v_member shop.member;
BEGIN
  revoked := '{}';
  SELECT * INTO v_member FROM shop.member m WHERE m.id = p_member AND m.account_id = p_account;
  IF v_member.id IS NULL THEN
    state := 'unknown';
  ELSIF NOT coalesce(v_role = ANY (p_team), false) OR (v_role <> ALL (p_owners) AND (v_member.role = ANY (p_owners) OR p_role = ANY (p_owners))) THEN
    state := 'forbidden';
  ELSIF v_member.role = p_role THEN
    state := 'done';
  ELSIF v_member.role = 'owner' AND NOT EXISTS (SELECT FROM shop.member m WHERE m.account_id = p_account AND m.role = 'owner' AND m.id <> p_member) THEN
    state := 'last_owner';
  ELSE
    state := 'done';
    revoked := ARRAY[p_member || '.' || v_member.epoch];
    UPDATE shop.member m SET role = p_role, epoch = m.epoch + 1 WHERE m.id = p_member;
    IF v_member.role = 'owner' THEN PERFORM shop.disown(p_account, v_member.email); END IF;
    UPDATE shop.invitation i SET state = 'withdrawn' WHERE i.account_id = p_account AND i.invited_by = p_member AND i.state = 'open';
    PERFORM shop.revoke_ids(revoked);
    PERFORM shop.add_account_event(p_account, p_by, 'role_changed', v_member.email, jsonb_build_object('before', v_member.role, 'after', p_role));
  END IF;
  RETURN NEXT;
END $$;

-- Makes another person an owner, and the owner who asks an admin.
CREATE OR REPLACE FUNCTION shop.transfer_account(p_account text, p_member text, p_by text, p_team text[], p_owners text[])
RETURNS TABLE (state text, revoked text[]) LANGUAGE plpgsql AS $$
DECLARE
  v_given record;
  v_left record;
BEGIN
  revoked := '{}';
  IF NOT coalesce(shop.lock_team(p_account, p_by) = ANY (p_owners), false) OR p_member = p_by THEN state := 'forbidden'; RETURN NEXT; RETURN; END IF;
  SELECT * INTO v_given FROM shop.set_member_role(p_account, p_member, 'owner', p_by, p_team, p_owners);
  state := v_given.state;
  IF state = 'done' THEN
    SELECT * INTO v_left FROM shop.set_member_role(p_account, p_by, 'admin', p_by, p_team, p_owners);
    revoked := v_given.revoked || v_left.revoked;
  END IF;
  RETURN NEXT;
END $$;

-- Ends what gives access to an account and belongs to no person: sessions, applications, wallets. Returns the ids to refuse.
CREATE OR REPLACE FUNCTION shop.end_own_tokens(p_account text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_all text[];
  v_revoked text[];
BEGIN
  SELECT array_agg(a) INTO v_all FROM shop.accounts_of(p_account) AS a;
  SELECT array_agg(a.id || '.' || a.token_epoch) INTO v_revoked FROM shop.account a WHERE a.id = ANY (v_all);
  UPDATE shop.account a SET token_epoch = a.token_epoch + 1 WHERE a.id = ANY (v_all);
  DELETE FROM shop.oauth_grant g WHERE g.account_id = ANY (v_all) AND g.member_id IS NULL;
  DELETE FROM shop.wallet w WHERE w.account_id = ANY (v_all);
  RETURN v_revoked;
END $$;

-- Removes a person, or lets one leave. Their sessions and applications end, and so do the invitations that they sent. With `p_keys`, the keys that they
-- created end too; with `p_tokens`, which only owners may ask for, everything that gives access and belongs to no person, because they may know it.
-- `state`: `done`, `unknown`, `forbidden`, or `last_owner`.
CREATE OR REPLACE FUNCTION shop.remove_member(p_account text, p_member text, p_by text, p_keys boolean, p_tokens boolean, p_team text[], p_owners text[])
RETURNS TABLE (state text, revoked text[]) LANGUAGE plpgsql AS $$
DECLARE
  v_role text := shop.lock_team(p_account, p_by);
  v_member shop.member;
  v_keys text[];
  v_key text;
BEGIN
  revoked := '{}';
  SELECT * INTO v_member FROM shop.member m WHERE m.id = p_member AND m.account_id = p_account;
  IF v_member.id IS NULL THEN state := 'unknown'; RETURN NEXT; RETURN; END IF;
  IF p_member <> p_by AND (NOT coalesce(v_role = ANY (p_team), false) OR (v_member.role = ANY (p_owners) AND v_role <> ALL (p_owners)))
    OR p_tokens AND v_role <> ALL (p_owners) OR v_role IS NULL THEN state := 'forbidden'; RETURN NEXT; RETURN; END IF;
  IF v_member.role = 'owner' AND NOT EXISTS (SELECT FROM shop.member m WHERE m.account_id = p_account AND m.role = 'owner' AND m.id <> p_member) THEN
    state := 'last_owner'; RETURN NEXT; RETURN;
  END IF;
  -- A key that stays can call. A person whose keys are paused must not make them call again by leaving.
  p_keys := p_keys OR p_member = p_by AND NOT shop.role_calls(v_member.role);
  PERFORM shop.add_account_event(p_account, p_by, CASE WHEN p_member = p_by THEN 'person_left' ELSE 'person_removed' END, v_member.email,
    jsonb_build_object('role', v_member.role, 'keys_revoked', p_keys));
  DELETE FROM shop.member m WHERE m.id = p_member;
  UPDATE shop.invitation i SET state = 'withdrawn' WHERE i.account_id = p_account AND i.invited_by = p_member AND i.state = 'open';
  DELETE FROM shop.oauth_grant g WHERE g.member_id = p_member;
  PERFORM shop.disown(p_account, v_member.email);
  IF p_keys THEN
    SELECT array_agg(k.id) INTO v_keys FROM shop.key k WHERE k.member_id = p_member AND k.revoked_at IS NULL;
    FOREACH v_key IN ARRAY coalesce(v_keys, '{}'::text[]) LOOP PERFORM shop.end_key(p_account, v_key); END LOOP;
  END IF;
  revoked := ARRAY[p_member || '.' || v_member.epoch] || coalesce(v_keys, '{}'::text[]) || CASE WHEN p_tokens THEN shop.end_own_tokens(p_account) ELSE '{}'::text[] END;
  PERFORM shop.revoke_ids(revoked);
  state := 'done';
  RETURN NEXT;
END $$;

-- Ends the sessions, applications and wallets that belong to no person, at the wish of an owner.
CREATE OR REPLACE FUNCTION shop.end_account_tokens(p_account text, p_by text, p_owners text[]) RETURNS TABLE (state text, revoked text[]) LANGUAGE plpgsql AS $$
BEGIN
  revoked := '{}';
  state := 'forbidden';
  IF coalesce(shop.lock_team(p_account, p_by) = ANY (p_owners), false) THEN
    state := 'done';
    revoked := shop.end_own_tokens(p_account);
    PERFORM shop.revoke_ids(revoked);
    PERFORM shop.add_account_event(p_account, p_by, 'account_tokens_ended', p_account);
  END IF;
  RETURN NEXT;
END $$;
