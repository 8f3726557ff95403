-- Leases the next due message to a process for `p_lease`. No two processes get the same message.
CREATE OR REPLACE FUNCTION shop.lease_mail(p_lease interval) RETURNS SETOF shop.mail LANGUAGE sql AS $$
  UPDATE shop.mail SET attempts = attempts + 1, due_at = clock_timestamp() + p_lease
    WHERE id = (SELECT m.id FROM shop.mail m WHERE m.state = 'waiting' AND m.due_at <= clock_timestamp() AND m.expires_at > clock_timestamp()
      ORDER BY m.due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *
$$;

-- Ends a message, and erases its recipient and text.
CREATE OR REPLACE FUNCTION shop.finish_mail(p_id bigint, p_state text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.mail SET state = p_state, recipient = '', subject = '', body = '' WHERE id = p_id AND state = 'waiting'
$$;

-- Decides that the person of an account gets a mail, in the transaction of the event. An account without a proved address gets none, and a key is
-- mailed once.
CREATE OR REPLACE FUNCTION shop.add_account_mail(p_key text, p_account text, p_kind text, p_subject text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.account_mail (key, account_id, kind, subject)
    SELECT p_key, a.id, p_kind, p_subject FROM shop.account a WHERE a.id = shop.joined_account(p_account) AND shop.contact_of(a.id) IS NOT NULL
    ON CONFLICT DO NOTHING
$$;

-- Decides on the mail about a low balance (`shop.lower_credit`), once for each purchase. There is none if an automatic top-up pays for more.
CREATE OR REPLACE FUNCTION shop.add_low_balance_mail(p_account text) RETURNS void LANGUAGE sql AS $$
  SELECT shop.add_account_mail('low_' || o.id, p_account, 'low', o.id)
    FROM shop.account a CROSS JOIN LATERAL (SELECT p.id FROM shop.purchase p
        WHERE p.account_id = a.id AND p.state = 'granted' AND p.units IS NULL ORDER BY p.granted_at DESC LIMIT 1) o
    WHERE a.id = p_account AND a.frozen_at IS NULL
      AND NOT EXISTS (SELECT FROM shop.top_up t WHERE t.account_id = a.id AND t.state = 'on')
      AND NOT EXISTS (SELECT FROM shop.reversal r WHERE r.purchase_id = o.id AND r.is_effective)
$$;
