-- Faults in the sums of the ledger. No row means that they are correct.
CREATE OR REPLACE FUNCTION ledger.verify_sums() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE chain AS (
    SELECT p.key, p.account_id, p.lot_id FROM ledger.posting p WHERE p.kind = 'purchase'
    UNION
    SELECT c.key, k.moved_account, k.moved_to FROM chain c JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.lot_id WHERE k.moved_to IS NOT NULL
  ), returned AS MATERIALIZED (
    SELECT account_id, lot_id, sum(amount)::bigint AS amount FROM ledger.posting WHERE kind IN ('reversed', 'reinstated') GROUP BY 1, 2
  ), uncheckpointed AS MATERIALIZED (
    SELECT s.account_id, s.lot_id, sum(s.amount)::bigint AS amount
      FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s WHERE n.open GROUP BY 1, 2
  ), used AS MATERIALIZED (
    SELECT account_id, lot_id, sum(amount)::bigint AS amount
      FROM (SELECT account_id, lot_id, amount FROM ledger.usage WHERE amount > 0 UNION ALL SELECT account_id, lot_id, amount FROM ledger.closing) u
      GROUP BY 1, 2
  ), posted AS MATERIALIZED (
    SELECT account_id, lot_id, sum(amount)::bigint AS amount FROM ledger.posting GROUP BY 1, 2
  ), leased AS MATERIALIZED (
    SELECT account_id, lot_id, sum(amount)::bigint AS amount FROM ledger.lease GROUP BY 1, 2
  ), booked AS MATERIALIZED (
    SELECT writer_id, epoch, seq, account_id, lot_id, sum(amount)::bigint AS amount FROM ledger.usage WHERE amount > 0 GROUP BY 1, 2, 3, 4, 5
  ), claimed AS MATERIALIZED (
    SELECT b.writer_id, b.epoch, b.seq, s.account_id, s.lot_id, s.amount
      FROM ledger.batch b, LATERAL unnest(b.account_ids, b.lot_ids, b.spent) AS s (account_id, lot_id, amount)
  )
  SELECT 'postings = available + leased + used - not yet checkpointed', k.account_id || '/' || k.id,
      format('%s posted, %s available, %s leased, %s used, %s not yet checkpointed', coalesce(p.amount, 0), k.avail, coalesce(l.amount, 0), coalesce(u.amount, 0), coalesce(f.amount, 0))
    FROM ledger.lot k
      LEFT JOIN posted p ON p.account_id = k.account_id AND p.lot_id = k.id
      LEFT JOIN leased l ON l.account_id = k.account_id AND l.lot_id = k.id
      LEFT JOIN used u ON u.account_id = k.account_id AND u.lot_id = k.id
      LEFT JOIN uncheckpointed f ON f.account_id = k.account_id AND f.lot_id = k.id
    WHERE coalesce(p.amount, 0) <> k.avail + coalesce(l.amount, 0) + coalesce(u.amount, 0) - coalesce(f.amount, 0)
  UNION ALL
  SELECT 'nothing is used, posted or leased without its lot', x.account_id || '/' || x.lot_id, x.what
    FROM (SELECT account_id, lot_id, 'used' AS what FROM used UNION ALL SELECT account_id, lot_id, 'posted' FROM posted UNION ALL SELECT account_id, lot_id, 'leased' FROM leased) x
    WHERE NOT EXISTS (SELECT 1 FROM ledger.lot k WHERE k.account_id = x.account_id AND k.id = x.lot_id)
  UNION ALL
  SELECT 'nothing is negative', k.account_id || '/' || k.id, format('%s available', k.avail) FROM ledger.lot k WHERE k.avail < 0
  UNION ALL
  SELECT 'nothing is negative', l.writer_id || ' ' || l.account_id || '/' || l.lot_id, format('%s leased', l.amount) FROM ledger.lease l WHERE l.amount < 0
  UNION ALL
  SELECT 'a call costs its units at its price', u.call_id::text, format('%s micro-dollars for %s units at %s', sum(u.amount), sum(u.units), max(u.price))
    FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id AND k.asset = 'usd'
    GROUP BY u.call_id HAVING sum(u.amount) <> sum(u.units) * max(u.price) OR min(u.price) <> max(u.price)
  UNION ALL
  SELECT 'a unit of an allowance is a unit of a result', u.call_id::text, format('%s drawn for %s units', u.amount, u.units)
    FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id AND k.asset = 'unit' WHERE u.amount <> u.units
  UNION ALL
  SELECT 'a call belongs to one account', u.call_id::text, string_agg(DISTINCT u.account_id, ' ')
    FROM ledger.usage u WHERE u.plan_id IS DISTINCT FROM '#budget' GROUP BY u.call_id HAVING count(DISTINCT u.account_id) > 1
  UNION ALL
  SELECT 'a budget bears all that its call is worth', u.call_id::text, format('%s of %s units', sum(u.units) FILTER (WHERE u.plan_id = '#budget'), sum(u.units) FILTER (WHERE u.plan_id <> '#budget'))
    FROM ledger.usage u WHERE u.call_id IN (SELECT b.call_id FROM ledger.usage b WHERE b.plan_id = '#budget')
    GROUP BY u.call_id HAVING sum(u.units) FILTER (WHERE u.plan_id = '#budget') IS DISTINCT FROM sum(u.units) FILTER (WHERE u.plan_id <> '#budget')
  UNION ALL
  SELECT 'a batch is the sum of its rows', coalesce(c.writer_id, b.writer_id) || ' ' || coalesce(c.epoch, b.epoch) || '/' || coalesce(c.seq, b.seq),
      format('%s claimed, %s booked', coalesce(c.amount, 0), coalesce(b.amount, 0))
    FROM claimed c FULL JOIN booked b USING (writer_id, epoch, seq, account_id, lot_id)
    WHERE coalesce(c.amount, 0) <> coalesce(b.amount, 0)
      AND EXISTS (SELECT 1 FROM ledger.batch x WHERE x.writer_id = coalesce(c.writer_id, b.writer_id) AND x.epoch = coalesce(c.epoch, b.epoch) AND x.seq = coalesce(c.seq, b.seq))
  UNION ALL
  SELECT 'batches have no gap', g.writer_id || ' ' || g.epoch, format('%s batches from %s to %s', g.rows, g.first, g.last)
    FROM (SELECT writer_id, epoch, count(*) AS rows, min(seq) AS first, max(seq) AS last FROM ledger.batch GROUP BY 1, 2) g
    WHERE g.rows <> g.last - g.first + 1
  UNION ALL
  SELECT 'nothing is written under an epoch that has not begun', b.writer_id, format('epoch %s, batch of %s', n.epoch, max(b.epoch))
    FROM ledger.batch b JOIN ledger.writer n ON n.id = b.writer_id GROUP BY b.writer_id, n.epoch HAVING max(b.epoch) > n.epoch
  UNION ALL
  SELECT 'a closed writer holds nothing', l.writer_id, format('%s leased', sum(l.amount))
    FROM ledger.lease l LEFT JOIN ledger.writer n ON n.id = l.writer_id WHERE n.open IS NOT TRUE GROUP BY l.writer_id
  UNION ALL
  SELECT 'what is given back was charged', p.key, format('%s given back', p.amount)
    FROM ledger.posting p WHERE p.kind = 'undelivered' AND NOT EXISTS (
      SELECT 1 FROM ledger.usage u WHERE u.call_id = split_part(p.key, ':', 2)::uuid AND u.draw = split_part(p.key, ':', 3)::smallint AND u.amount = p.amount)
      AND NOT EXISTS (SELECT 1 FROM ledger.closed_day d WHERE d.day = (ledger.time_of(split_part(p.key, ':', 2)::uuid) AT TIME ZONE 'UTC')::date)
  UNION ALL
  SELECT 'a kept answer has its charge', a.call_id::text, a.account_id
    FROM ledger.stored_response a WHERE NOT EXISTS (SELECT 1 FROM ledger.usage u WHERE u.call_id = a.call_id AND u.account_id = a.account_id AND u.status = a.status)
  UNION ALL
  SELECT 'what is given again is not given back', a.call_id::text, format('%s given back', p.amount)
    FROM ledger.posting p JOIN ledger.stored_response a ON a.call_id = split_part(p.key, ':', 2)::uuid
    WHERE p.kind = 'undelivered' AND NOT EXISTS (SELECT FROM ledger.job j WHERE j.call_id = a.call_id AND j.state IN ('ended', 'released'))
  UNION ALL
  SELECT 'a key is charged once a day', a.account_id || ' ' || encode(a.key, 'hex'), format('calls %s and %s', a.call_id, b.call_id)
    FROM ledger.stored_response a JOIN ledger.stored_response b ON b.account_id = a.account_id AND b.key = a.key AND b.call_id > a.call_id
    WHERE ledger.time_of(b.call_id) < ledger.time_of(a.call_id) + interval '23 hours'
  UNION ALL
  SELECT 'a granted order has its one lot', o.id, format('ordered %s, posted %s', o.amount, p.amount)
    FROM shop.purchase o LEFT JOIN ledger.posting p ON p.key = 'purchase:' || o.id
    WHERE (o.state = 'granted') <> (p.key IS NOT NULL) OR p.amount <> coalesce(o.units, o.amount)
      OR p.account_id <> o.account_id AND NOT EXISTS (SELECT FROM shop.account a WHERE a.id = p.account_id AND a.joined_to = o.account_id)
  UNION ALL
  SELECT 'a paid lot has its order', p.key, format('%s posted', p.amount)
    FROM ledger.posting p WHERE p.kind = 'purchase' AND NOT EXISTS (SELECT 1 FROM shop.purchase o WHERE 'purchase:' || o.id = p.key)
  UNION ALL
  SELECT 'what was reversed is taken back or owed', o.id, format('%s reversed, %s taken or owed', shop.reversed_amount(o), x.reversed)
    FROM shop.purchase o JOIN (
      SELECT c.key, sum(k.clawback_due) - coalesce(sum(r.amount), 0) AS reversed
        FROM chain c JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.lot_id
          LEFT JOIN returned r ON r.account_id = c.account_id AND r.lot_id = c.lot_id
        GROUP BY c.key
    ) x ON x.key = 'purchase:' || o.id
    WHERE x.reversed <> shop.reversed_amount(o)
  UNION ALL
  SELECT 'a promotion gives what it says, and not more often than it may', m.code, format('%s redeemed of %s, %s posted', m.redemptions, m.redemptions_max, count(p.key))
    FROM shop.promotion m LEFT JOIN ledger.posting p ON p.contra = 'promotion:' || m.code
    GROUP BY m.code HAVING count(p.key) <> m.redemptions OR m.redemptions > m.redemptions_max OR bool_or(p.amount <> m.amount)
  UNION ALL
  SELECT 'what a code gave has its promotion', p.key, p.contra
    FROM ledger.posting p WHERE p.contra LIKE 'promotion:%' AND NOT EXISTS (SELECT FROM shop.promotion m WHERE 'promotion:' || m.code = p.contra)
  UNION ALL
  SELECT 'what the seller gave is in the audit log', p.key, format('%s given', p.amount)
    FROM ledger.posting p WHERE p.kind = 'grant' AND p.contra = 'seller' AND NOT EXISTS (SELECT FROM shop.audit a WHERE a.act = 'grant' AND a.after ->> 'key' = p.key)
  UNION ALL
  SELECT 'what moves arrives', m.move, format('%s more', m.amount)
    FROM (SELECT substring(key FROM '^moved:[^:]+:[^:]+') AS move, sum(amount) AS amount FROM ledger.posting WHERE kind = 'moved' GROUP BY 1) m WHERE m.amount <> 0
$$;
