-- Faults in the terms of lots: asset, kind, plan, priority and expiry.
CREATE OR REPLACE FUNCTION ledger.verify_lots() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
  WITH origin AS MATERIALIZED (
    SELECT k.*, p.key, p.kind AS posting, p.contra, p.amount AS given, p.at AS given_at
      FROM ledger.lot k JOIN ledger.posting p ON p.account_id = k.account_id AND p.lot_id = k.id AND p.kind IN ('purchase', 'trial', 'grant', 'budget')
  ), arrived AS MATERIALIZED (
    SELECT moved_account AS account_id, moved_to AS id FROM ledger.lot WHERE moved_to IS NOT NULL
  ), second AS MATERIALIZED (
    -- Trials and codes that both of two joined accounts had. The join ended those of one side (`shop.end_duplicate_grants`).
    SELECT o.key FROM origin o JOIN shop.account a ON a.id = o.account_id
      WHERE (o.posting = 'trial' OR o.contra LIKE 'promotion:%') AND o.expires_at <= a.joined_at + interval '1 minute' AND EXISTS (
        SELECT FROM origin t JOIN shop.account b ON b.id = t.account_id WHERE t.contra = o.contra AND coalesce(b.joined_to, b.id) = a.joined_to AND t.key <> o.key)
  )
  SELECT 'a lot was given once, or moved here', k.account_id || '/' || k.id, format('%s postings gave it, %s lots moved to it', count(DISTINCT o.key), count(DISTINCT a.id))
    FROM ledger.lot k LEFT JOIN origin o ON o.account_id = k.account_id AND o.id = k.id
      LEFT JOIN arrived a ON a.account_id = k.account_id AND a.id = k.id
    GROUP BY k.account_id, k.id HAVING count(DISTINCT o.key) + count(DISTINCT a.id) <> 1
  UNION ALL
  SELECT 'a lot is burned in the order of its kind', k.account_id || '/' || k.id, format('%s of %s has priority %s', k.kind, k.asset, k.priority)
    FROM ledger.lot k
    WHERE k.priority <> CASE k.kind WHEN 'trial' THEN 0 WHEN 'allowance' THEN 1 ELSE 2 END + CASE k.asset WHEN 'usd' THEN 10 ELSE 0 END
  UNION ALL
  SELECT 'a lot is what its posting gave', o.account_id || '/' || o.id, format('%s by %s is %s of %s under %s', o.posting, o.contra, o.kind, o.asset, o.plan_id)
    FROM origin o
    WHERE o.given <= 0 OR NOT CASE o.posting
      WHEN 'trial' THEN o.kind = 'trial' AND o.contra IN ('seller:trial', 'seller:claimed') AND o.resets_at IS NULL
      WHEN 'grant' THEN o.kind = 'grant' AND (o.contra = 'seller' OR o.contra LIKE 'promotion:%') AND o.resets_at IS NULL
      WHEN 'budget' THEN o.kind = 'budget' AND o.asset = 'usd' AND o.plan_id = '#budget' AND o.contra = 'account' AND o.resets_at IS NULL
      ELSE o.kind IN ('credit', 'allowance') AND o.contra = 'processor' END
  UNION ALL
  SELECT 'a paid lot is what its order bought', o.account_id || '/' || o.id, format('%s of %s under %s, ordered %s of %s', o.kind, o.asset, o.plan_id, CASE WHEN b.units IS NULL THEN 'credit' ELSE 'units' END, b.plan_id)
    FROM origin o JOIN shop.purchase b ON o.key = 'purchase:' || b.id
    WHERE o.plan_id <> b.plan_id OR o.kind <> CASE WHEN b.units IS NULL THEN 'credit' ELSE 'allowance' END
      OR o.asset <> CASE WHEN b.units IS NULL THEN 'usd' ELSE shop.included_asset(b) END OR o.resets_at IS DISTINCT FROM CASE WHEN b.units IS NULL THEN NULL ELSE b.period_end END
  UNION ALL
  SELECT 'credit and trials do not end', k.account_id || '/' || k.id, format('%s ends at %s', k.kind, k.expires_at)
    FROM ledger.lot k WHERE k.kind = 'credit' AND k.expires_at IS NOT NULL
  UNION ALL
  -- A trial that moved expires with the lot that it came from: see below.
  SELECT 'credit and trials do not end', o.account_id || '/' || o.id, format('%s ends at %s', o.kind, o.expires_at)
    FROM origin o WHERE o.kind = 'trial' AND o.expires_at IS NOT NULL AND o.key NOT IN (SELECT key FROM second)
  UNION ALL
  -- An earlier expiry set by a statement is compared with another clock reading of the same statement.
  SELECT 'an allowance ends by the terms of its order', k.account_id || '/' || k.id, format('ends at %s, by its terms at %s', k.expires_at, t.ends)
    FROM shop.subscription s CROSS JOIN LATERAL shop.allowance_ends(s.id) t JOIN ledger.lot k ON k.account_id = t.account_id AND k.id = t.id
    WHERE k.expires_at IS NULL OR k.expires_at > t.ends OR k.expires_at < t.ends - CASE WHEN s.ended_at IS NULL THEN interval '0' ELSE interval '1 minute' END
  UNION ALL
  SELECT 'an allowance belongs to a subscription', o.account_id || '/' || o.id, coalesce(b.subscription_id, 'none')
    FROM origin o JOIN shop.purchase b ON o.key = 'purchase:' || b.id
    WHERE b.units IS NOT NULL AND NOT EXISTS (SELECT FROM shop.subscription s WHERE s.id = b.subscription_id)
  UNION ALL
  SELECT 'a lot that moved keeps its terms', k.account_id || '/' || k.id, format('became %s/%s', t.account_id, t.id)
    FROM ledger.lot k LEFT JOIN ledger.lot t ON t.account_id = k.moved_account AND t.id = k.moved_to
    WHERE k.moved_to IS NOT NULL AND ((k.asset, k.kind, k.plan_id, k.priority, k.created_at) IS DISTINCT FROM (t.asset, t.kind, t.plan_id, t.priority, t.created_at)
      OR k.resets_at IS DISTINCT FROM t.resets_at OR (k.expires_at IS NULL) <> (t.expires_at IS NULL)
      OR abs(extract(epoch FROM k.expires_at - t.expires_at)) > 60)
  UNION ALL
  SELECT 'a gift is what the audit log says', o.key, format('%s of %s under %s until %s', o.given, o.asset, o.plan_id, coalesce(o.expires_at::text, 'ever'))
    FROM origin o JOIN shop.audit a ON a.act = 'grant' AND a.after ->> 'key' = o.key
    WHERE o.posting = 'grant' AND o.contra = 'seller' AND ((a.after ->> 'asset', a.after ->> 'plan', (a.after ->> 'amount')::bigint) IS DISTINCT FROM (o.asset, o.plan_id, o.given)
      OR (a.after ->> 'expires_at')::timestamptz IS DISTINCT FROM o.expires_at)
  UNION ALL
  SELECT 'what a code gave is what its promotion says, once an account', o.key, format('%s under %s until %s', o.asset, o.plan_id, coalesce(o.expires_at::text, 'ever'))
    FROM origin o JOIN shop.promotion m ON o.contra = 'promotion:' || m.code
    WHERE (o.asset, o.plan_id) <> (m.asset, m.plan_id) OR o.key <> o.contra || ':' || o.account_id
      OR o.key NOT IN (SELECT key FROM second) AND ((o.expires_at IS NULL) <> (m.lot_days IS NULL)
        OR abs(extract(epoch FROM o.expires_at - o.created_at - make_interval(days => m.lot_days))) > 60)
  UNION ALL
  SELECT 'a key has the budget that it says', k.id, format('says %s, was given %s', coalesce(k.budget::text, 'none'), coalesce(o.given::text, 'none'))
    FROM shop.key k LEFT JOIN origin o ON o.key = 'budget:' || k.id
    WHERE k.budget IS DISTINCT FROM o.given OR o.account_id <> k.id
      OR o.key IS NOT NULL AND (o.expires_at IS NULL) <> (coalesce(k.expires_at, k.revoked_at) IS NULL)
      OR abs(extract(epoch FROM o.expires_at - CASE WHEN o.expires_at > k.revoked_at THEN k.revoked_at ELSE k.expires_at END)) > 60
        AND abs(extract(epoch FROM o.expires_at - k.revoked_at)) > 60
  UNION ALL
  SELECT 'a budget belongs to a key', o.account_id || '/' || o.id, o.key FROM origin o
    WHERE o.posting = 'budget' AND NOT EXISTS (SELECT FROM shop.key k WHERE o.key = 'budget:' || k.id)
$$;
