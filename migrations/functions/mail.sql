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
