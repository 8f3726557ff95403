-- Returns true when a person other than `p_except` can sign in as an owner. `p_oidc`, here and below: the shop accepts OpenID Connect, so that a person
-- who is bound to it can.
CREATE OR REPLACE FUNCTION shop.has_owner(p_except text, p_oidc boolean DEFAULT true) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM shop.operator o WHERE o.role = 'owner' AND o.id IS DISTINCT FROM p_except
    AND (p_oidc AND o.oidc_subject IS NOT NULL OR EXISTS (SELECT FROM shop.operator_passkey p WHERE p.operator_id = o.id)));
$$;

-- Returns true when no other person than `p_id` could sign in as an owner, unless no owner has ever had a way to.
CREATE OR REPLACE FUNCTION shop.is_last_owner(p_id text, p_oidc boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT shop.has_owner(NULL, true) AND NOT shop.has_owner(p_id, p_oidc);
$$;

-- Adds a person and an invitation link. A known person keeps their name and role, and their earlier unused links end.
CREATE OR REPLACE FUNCTION shop.invite_operator(p_id text, p_email text, p_name text, p_role text, p_digest text, p_expires timestamptz, p_who text)
RETURNS TABLE (id text, email text, name text, role text, is_new boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_new boolean;
BEGIN
  LOCK TABLE shop.operator IN SHARE ROW EXCLUSIVE MODE;
  v_new := NOT EXISTS (SELECT FROM shop.operator o WHERE o.email = p_email);
  IF v_new THEN INSERT INTO shop.operator (id, email, name, role) VALUES (p_id, p_email, p_name, p_role); END IF;
  DELETE FROM shop.operator_invitation i USING shop.operator o WHERE o.email = p_email AND i.operator_id = o.id AND i.used_at IS NULL;
  INSERT INTO shop.operator_invitation (digest, operator_id, expires_at) SELECT p_digest, o.id, p_expires FROM shop.operator o WHERE o.email = p_email;
  INSERT INTO shop.audit (who, act, subject, after)
    SELECT p_who, 'operator_invited', o.email, jsonb_build_object('role', o.role, 'new', v_new) FROM shop.operator o WHERE o.email = p_email;
  RETURN QUERY SELECT o.id, o.email, o.name, o.role, v_new FROM shop.operator o WHERE o.email = p_email;
END $$;

-- Changes the role of a person: `done`, `unknown`, or `last_owner`. Changes of owners follow each other, so that two of them cannot remove each other.
CREATE OR REPLACE FUNCTION shop.set_operator_role(p_id text, p_role text, p_who text, p_oidc boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_before shop.operator;
BEGIN
  LOCK TABLE shop.operator IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO v_before FROM shop.operator WHERE id = p_id;
  IF v_before.id IS NULL THEN RETURN 'unknown'; END IF;
  IF v_before.role = p_role THEN
    PERFORM ledger.await_standby();
    RETURN 'done';
  END IF;
  IF p_role <> 'owner' AND v_before.role = 'owner' AND shop.is_last_owner(p_id, p_oidc) THEN RETURN 'last_owner'; END IF;
  UPDATE shop.operator SET role = p_role WHERE id = p_id;
  INSERT INTO shop.audit (who, act, subject, before, after)
    VALUES (p_who, 'operator_role', v_before.email, jsonb_build_object('role', v_before.role), jsonb_build_object('role', p_role));
  RETURN 'done';
END $$;

-- Removes a person with their passkeys, invitations and sessions: `done`, `unknown`, or `last_owner`.
CREATE OR REPLACE FUNCTION shop.remove_operator(p_id text, p_who text, p_oidc boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_before shop.operator;
BEGIN
  LOCK TABLE shop.operator IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO v_before FROM shop.operator WHERE id = p_id;
  IF v_before.id IS NULL THEN RETURN 'unknown'; END IF;
  IF v_before.role = 'owner' AND shop.is_last_owner(p_id, p_oidc) THEN RETURN 'last_owner'; END IF;
  DELETE FROM shop.operator WHERE id = p_id;
  INSERT INTO shop.audit (who, act, subject, before, after)
    VALUES (p_who, 'operator_removed', v_before.email, jsonb_build_object('role', v_before.role), '{}');
  RETURN 'done';
END $$;

-- Stores a passkey. With an invitation, uses it, once. Returns false when the invitation cannot be used, the credential is known, or the person
-- has the maximum of passkeys.
CREATE OR REPLACE FUNCTION shop.add_operator_passkey(p_id text, p_operator text, p_key text, p_counter bigint, p_transports text[], p_name text,
  p_backed_up boolean, p_invitation text, p_max integer, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_email text;
BEGIN
  SELECT email INTO v_email FROM shop.operator WHERE id = p_operator FOR UPDATE;
  IF v_email IS NULL OR (SELECT count(*) FROM shop.operator_passkey WHERE operator_id = p_operator) >= p_max
    OR EXISTS (SELECT FROM shop.operator_passkey WHERE id = p_id) THEN
    RETURN false;
  END IF;
  IF p_invitation IS NOT NULL THEN
    UPDATE shop.operator_invitation SET used_at = clock_timestamp()
      WHERE digest = p_invitation AND operator_id = p_operator AND used_at IS NULL AND expires_at > clock_timestamp();
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO shop.operator_passkey (id, operator_id, public_key, counter, transports, name, is_backed_up)
    VALUES (p_id, p_operator, p_key, p_counter, p_transports, p_name, p_backed_up) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RAISE EXCEPTION 'the passkey was added meanwhile' USING ERRCODE = 'unique_violation'; END IF;
  INSERT INTO shop.audit (who, act, subject, after)
    VALUES (p_who, 'passkey_added', v_email, jsonb_build_object('name', p_name, 'by', CASE WHEN p_invitation IS NULL THEN 'session' ELSE 'invitation' END));
  RETURN true;
END $$;

-- Removes a passkey of a person, and ends their other sessions' ability to come back with it: `done`, `unknown`, or `last_passkey`
-- if the person could not sign in without it.
CREATE OR REPLACE FUNCTION shop.remove_operator_passkey(p_operator text, p_id text, p_who text, p_oidc boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_person shop.operator;
  v_name text;
BEGIN
  LOCK TABLE shop.operator IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO v_person FROM shop.operator WHERE id = p_operator;
  SELECT name INTO v_name FROM shop.operator_passkey WHERE id = p_id AND operator_id = p_operator;
  IF v_name IS NULL THEN RETURN 'unknown'; END IF;
  IF (v_person.oidc_subject IS NULL OR NOT p_oidc) AND (SELECT count(*) FROM shop.operator_passkey WHERE operator_id = p_operator) = 1 THEN
    RETURN 'last_passkey';
  END IF;
  DELETE FROM shop.operator_passkey WHERE id = p_id;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'passkey_removed', v_person.email, jsonb_build_object('name', v_name), '{}');
  RETURN 'done';
END $$;

-- Binds an OpenID Connect subject to the person with this address who has none yet, and returns the person of the subject.
CREATE OR REPLACE FUNCTION shop.bind_operator_subject(p_subject text, p_email text, p_who text) RETURNS SETOF shop.operator LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM shop.operator WHERE oidc_subject = p_subject) THEN
    UPDATE shop.operator SET oidc_subject = p_subject WHERE email = p_email AND oidc_subject IS NULL;
    IF FOUND THEN INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'oidc_linked', p_email, '{}'); END IF;
  END IF;
  RETURN QUERY SELECT * FROM shop.operator WHERE oidc_subject = p_subject;
END $$;

-- Adds or updates the person of an OpenID Connect subject with the role of a claim. No row: the address belongs to another subject.
CREATE OR REPLACE FUNCTION shop.provision_operator(p_id text, p_subject text, p_email text, p_name text, p_role text, p_who text)
RETURNS TABLE (state text, id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_person shop.operator;
BEGIN
  LOCK TABLE shop.operator IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO v_person FROM shop.operator o WHERE o.oidc_subject = p_subject;
  IF v_person.id IS NULL THEN
    SELECT * INTO v_person FROM shop.operator o WHERE o.email = p_email;
    IF v_person.oidc_subject IS NOT NULL THEN RETURN; END IF;
    IF v_person.id IS NULL THEN
      INSERT INTO shop.operator (id, email, name, role, oidc_subject) VALUES (p_id, p_email, p_name, p_role, p_subject);
      INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'operator_added', p_email, jsonb_build_object('role', p_role, 'by', 'claim'));
      RETURN QUERY SELECT 'done', p_id;
      RETURN;
    END IF;
    UPDATE shop.operator o SET oidc_subject = p_subject WHERE o.id = v_person.id;
    INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'oidc_linked', p_email, '{}');
  END IF;
  RETURN QUERY SELECT CASE shop.set_operator_role(v_person.id, p_role, p_who, true) WHEN 'last_owner' THEN 'last_owner' ELSE 'done' END, v_person.id;
END $$;

-- Starts a session, ends the one that the browser had, and writes the audit log.
CREATE OR REPLACE FUNCTION shop.start_operator_session(p_digest text, p_operator text, p_address text, p_expires timestamptz, p_replaces text, p_who text, p_device text)
RETURNS void LANGUAGE sql AS $$
  DELETE FROM shop.operator_session WHERE digest = p_replaces;
  INSERT INTO shop.operator_session (digest, operator_id, address, expires_at, device) VALUES (p_digest, p_operator, p_address, p_expires, p_device);
  INSERT INTO shop.audit (who, act, subject, after) SELECT p_who, 'signed_in', o.email, jsonb_build_object('until', p_expires) FROM shop.operator o WHERE o.id = p_operator;
$$;
