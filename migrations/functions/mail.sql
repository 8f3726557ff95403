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

-- Decides on the mail about a low balance: less than a tenth of the last purchase of credit is left, and no automatic top-up pays for more. It is sent
-- once for each purchase. Checks the next `p_max` accounts after the address `p_after`, and returns the last address, or null after the end of the list.
-- The first step also checks accounts whose first owner is gone.
CREATE OR REPLACE FUNCTION shop.add_low_balance_mails(p_after text, p_max integer) RETURNS text LANGUAGE sql AS $$
  WITH next AS MATERIALIZED (
    SELECT id, email FROM shop.account WHERE email IS NOT NULL AND (p_after IS NULL OR email > p_after) ORDER BY email LIMIT p_max
  ), low AS MATERIALIZED (
    SELECT n.id, o.id AS purchase FROM (SELECT id FROM next UNION
        SELECT m.account_id FROM shop.member m JOIN shop.account a ON a.id = m.account_id WHERE p_after IS NULL AND m.role = 'owner' AND a.email IS NULL) n JOIN shop.account a ON a.id = n.id AND a.frozen_at IS NULL
      CROSS JOIN LATERAL (SELECT p.id, p.amount FROM shop.purchase p
        WHERE p.account_id = n.id AND p.state = 'granted' AND p.units IS NULL ORDER BY p.granted_at DESC LIMIT 1) o
      WHERE NOT EXISTS (SELECT FROM shop.account_mail m WHERE m.key = 'low_' || o.id)
        AND NOT EXISTS (SELECT FROM shop.top_up t WHERE t.account_id = n.id AND t.state = 'on')
        AND NOT EXISTS (SELECT FROM shop.reversal r WHERE r.purchase_id = o.id AND r.is_effective)
        AND shop.top_up_balance(n.id) * 10 < o.amount
  ), added AS (
    INSERT INTO shop.account_mail (key, account_id, kind, subject) SELECT 'low_' || purchase, id, 'low', purchase FROM low ON CONFLICT DO NOTHING
  )
  SELECT CASE WHEN count(*) = p_max THEN max(email) END FROM next
$$;
