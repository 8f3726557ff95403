import { type Audit, type AuditEntry, type OpenEntry, signInAct, tokenName } from '../../identity/audit.ts';
import type { CreditGrants, GrantResult, GrantValue } from '../../payment/credit-grant.ts';
import {
  type Promotion,
  type Promotions,
  type RedeemResult,
  triesMax,
  tryWindowMs,
} from '../../payment/promotion.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type { promotion } from './schema/plans.ts';
import type { Row } from './schema/row.ts';

const listedMax = 500;
const dayMs = 86_400_000;

/** Grants credit in the seller's name (migrations/functions/credit-grants.sql). */
export function openGifts(sql: Connection): CreditGrants {
  return {
    async give({ key, account, plan, asset, amount, expiresMs, reason }, who) {
      type Row = { state: GrantResult['kind']; account: string };
      const [row] = await announced(
        sql,
        sql<
          [Row]
        >`SELECT * FROM shop.grant_credit(${key}, ${account}, ${plan}, ${asset}, ${amount}, ${moment(expiresMs)}, ${reason}, ${who})`,
      );
      return row.state === 'given' ? { kind: 'given', account: row.account } : { kind: row.state };
    },
  };
}

/** Stores promotions and redeems their codes. */
export function openPromotions(sql: Connection): Promotions {
  return {
    async make({ code, plan, asset, amount, expiresMs, lotDays, redemptionsMax, claimedOnly }, who) {
      const [row] = await sql<
        [{ made: boolean }]
      >`SELECT shop.make_promotion(${code}, ${plan}, ${asset}, ${amount},
        ${moment(expiresMs)}, ${lotDays}, ${redemptionsMax}, ${claimedOnly}, ${who}) AS made`;
      return row.made;
    },
    async end(code, who) {
      const [row] = await sql<[{ ended: boolean }]>`SELECT shop.end_promotion(${code}, ${who}) AS ended`;
      return row.ended;
    },
    async list() {
      const rows = await sql<
        Row<typeof promotion>[]
      >`SELECT * FROM shop.promotion ORDER BY created_at DESC, code LIMIT ${listedMax}`;
      return rows.map(
        (row): Promotion => ({
          code: row.code,
          plan: row.plan_id,
          asset: row.asset,
          amount: row.amount,
          expiresMs: row.expires_at?.getTime() ?? null,
          lotDays: row.lot_days,
          redemptionsMax: row.redemptions_max,
          redemptions: row.redemptions,
          claimedOnly: row.claimed_only,
          createdMs: row.created_at.getTime(),
          endedMs: row.ended_at?.getTime() ?? null,
        }),
      );
    },
    async redeem(account, code, subjects) {
      type Row = {
        state: RedeemResult['kind'];
        wait_seconds: number | null;
        asset: GrantValue['asset'];
        amount: number;
        expires_at: Date | null;
      };
      const [row] = await announced(
        sql,
        sql<[Row]>`SELECT * FROM shop.redeem(${account}, ${code}, ${sql.array([...subjects])}, ${triesMax},
        ${`${tryWindowMs} milliseconds`}::interval)`,
      );
      switch (row.state) {
        case 'given':
          return {
            kind: 'given',
            asset: row.asset,
            amount: row.amount,
            expiresMs: row.expires_at?.getTime() ?? null,
          };
        case 'limited':
          return { kind: 'limited', waitSeconds: Math.max(1, row.wait_seconds ?? 1) };
        case 'had':
        case 'claim_first':
        case 'unknown':
          return { kind: row.state };
      }
    },
  };
}

export function openAudit(sql: Connection): Audit {
  return {
    async open(who, act, subject, before) {
      const [row] = await sql<[{ id: number }]>`INSERT INTO shop.audit (who, act, subject, before)
        VALUES (${who}, ${act}, ${subject}, ${sql.json({ ...before })}) RETURNING id`;
      return row.id;
    },
    async close(entry, after) {
      await sql`UPDATE shop.audit SET after = ${sql.json({ ...after })} WHERE id = ${entry}`;
    },
    async withoutOutcome(act, subject, withinMs) {
      return await sql<
        OpenEntry[]
      >`SELECT id, (extract(epoch FROM at) * 1000)::bigint AS "atMs", before, after IS NULL AS "isRunning"
        FROM shop.audit WHERE subject = ${subject} AND act = ${act} AND (after IS NULL OR after->>'kind' = 'unknown')
          AND at > clock_timestamp() - ${withinMs}::bigint * interval '1 millisecond'
        ORDER BY id DESC LIMIT ${listedMax}`;
    },
    async list({ accounts, text, act, signIns, from, to }, before, max) {
      type Row = Omit<AuditEntry, 'atMs'> & { at: Date };
      const ids = sql.array([...(accounts ?? [])]);
      const its = sql`subject IN (SELECT id FROM shop.account WHERE id = ANY(${ids}::text[]) OR joined_to = ANY(${ids}::text[])
        UNION ALL SELECT id FROM shop.purchase WHERE account_id = ANY(${ids}::text[]))`;
      const part = `%${(text ?? '').replace(/[\\%_]/g, String.raw`\$&`)}%`;
      const [first, end] = [from ? new Date(from) : null, to ? new Date(Date.parse(to) + dayMs) : null];
      const rows = await sql<Row[]>`SELECT id, at, who, act, subject, before, after,
          shop.contact_of(coalesce((SELECT o.account_id FROM shop.purchase o WHERE o.id = subject), subject)) AS email,
          (SELECT e.after->>'url' FROM shop.audit e WHERE starts_with(a.subject, 'ep_') AND e.subject = a.subject AND e.id <= a.id
            AND e.act IN ('event_endpoint_added', 'event_endpoint_changed') ORDER BY e.id DESC LIMIT 1) AS url
        FROM shop.audit a
        WHERE (${before}::bigint IS NULL OR id < ${before}) AND ${accounts === undefined ? sql`true` : its}
          AND (${text ?? null}::text IS NULL OR who ILIKE ${part} OR subject ILIKE ${part} OR (who ~ '^admin( at |$)' AND ${tokenName} ILIKE ${part})
            OR EXISTS (SELECT FROM shop.operator o WHERE o.name ILIKE ${part} AND (starts_with(who, o.email || ' at ') OR subject = o.email)))
          AND (${act ?? null}::text IS NULL OR act = ${act ?? null})
          AND (${signIns ?? null}::text IS NULL OR (act = ${signInAct}) = (${signIns ?? null} = 'only'))
          AND (${first}::timestamptz IS NULL OR at >= ${first}) AND (${end}::timestamptz IS NULL OR at < ${end})
        ORDER BY id DESC LIMIT ${max}`;
      return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
    },
    async acts() {
      const rows = await sql<
        { act: string }[]
      >`SELECT DISTINCT act FROM shop.audit ORDER BY act LIMIT ${listedMax}`;
      return rows.map(({ act }) => act);
    },
  };
}

function moment(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
