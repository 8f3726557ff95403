import {
  addressFactor,
  type CardAttempts,
  type CardLimits,
  type ChargeOutcome,
  type Delay,
  type Payer,
  type Subject,
  subjectsOf,
} from '../../payment/card-attempt.ts';
import type { Connection } from './connection.ts';
import type { charge } from './schema/abuse.ts';
import type { Row } from './schema/row.ts';

type DelayRow = { subject: string; wait_seconds: number; stopped: boolean };

/** Counts attempts to pay in PostgreSQL (migrations/functions/card-attempts.sql). */
export function openCardAttempts(sql: Connection): CardAttempts {
  const delays = async (
    account: string | null,
    subjects: readonly Subject[],
    { waitSeconds, stopSeconds }: CardLimits,
  ) =>
    delay(
      await sql<
        DelayRow[]
      >`SELECT * FROM shop.card_delay(${account}, ${names(subjects)}::text[], ${maxima(subjects)}::integer[],
        ${stops(subjects)}::integer[], ${seconds(waitSeconds)}::interval, ${seconds(stopSeconds)}::interval)`,
    );
  return {
    async start(attempt, payer, limits) {
      const subjects = subjectsOf(limits, payer);
      return delay(
        await sql<
          DelayRow[]
        >`SELECT * FROM shop.begin_card_attempt(${attempt}, ${payer.account}, ${names(subjects)}::text[],
          ${maxima(subjects)}::integer[], ${stops(subjects)}::integer[], ${seconds(limits.waitSeconds)}::interval, ${seconds(limits.stopSeconds)}::interval)`,
      );
    },
    async end(attempt) {
      await sql`DELETE FROM shop.card_attempt WHERE attempt = ${attempt} AND NOT declined`;
    },
    async declined(attempt, payer, limits) {
      const subjects = subjectsOf(limits, payer);
      await sql`SELECT shop.decline_card_attempt(${attempt}, ${payer.account}, ${names(subjects)}::text[])`;
      return delays(payer.account, subjects, limits);
    },
    async startPage({ order, number }, payer, limits) {
      const subjects = subjectsOf(limits, payer);
      const slowed = await delays(payer.account, subjects, limits);
      if (slowed !== null) return slowed;
      const { blocks, max } = pageBlocks(payer, limits, subjects);
      const [row] = await sql<
        [{ wait: number | null }]
      >`SELECT shop.begin_card_page(${order}, ${number}, ${payer.address},
        ${blocks}::text[], ${max}::integer[]) AS wait`;
      return row.wait === null ? null : { waitMs: row.wait * 1_000, isStopped: false, subject: 'account' };
    },
    async pageAddress(order) {
      const [row] = await sql<
        { address: string | null }[]
      >`SELECT page_address AS address FROM shop.purchase WHERE id = ${order}`;
      return row?.address ?? null;
    },
    async record(one, order) {
      await sql`SELECT shop.record_charge(${one.id}, ${one.payment}, ${order}, ${one.succeeded}, ${one.riskLevel}, ${one.riskScore},
        ${one.networkStatus}, ${one.outcome}, ${one.reason}, ${one.card}, ${new Date(one.createdMs)})`;
    },
    async ofOrder(order) {
      const rows = await sql<Row<typeof charge>[]>`SELECT c.* FROM shop.charge c
        WHERE c.order_id = ${order} OR c.payment = (SELECT payment FROM shop.purchase WHERE id = ${order}) ORDER BY c.at DESC, c.id LIMIT 20`;
      return rows.map(outcomeOf);
    },
    async slowed({ declinesMax, stopSeconds }) {
      const [row] = await sql<[{ slowed: number }]>`SELECT count(*)::int AS slowed FROM (
        SELECT 1 FROM shop.card_attempt WHERE declined AND at > clock_timestamp() - ${seconds(stopSeconds)}::interval
          GROUP BY subject HAVING count(*) >= ${declinesMax} * CASE WHEN subject LIKE 'address:%' THEN ${addressFactor}::int ELSE 1 END) s`;
      return row.slowed;
    },
  };
}

function pageBlocks({ account }: Payer, { pagesPerHour }: CardLimits, subjects: readonly Subject[]) {
  const address = subjects.find(({ name }) => name.startsWith('address:'))?.name;
  const blocks = [
    ...(account === null ? [] : [`account:${account}`]),
    ...(address === undefined ? [] : [address]),
  ];
  return {
    blocks,
    max: blocks.map((block) => (block === address ? pagesPerHour * addressFactor : pagesPerHour)),
  };
}

function delay([row]: readonly DelayRow[]): Delay | null {
  if (row === undefined) return null;
  const subject =
    (['card', 'account'] as const).find((kind) => row.subject.startsWith(`${kind}:`)) ?? 'address';
  return { waitMs: row.wait_seconds * 1_000, isStopped: row.stopped, subject };
}

function outcomeOf(row: Row<typeof charge>): ChargeOutcome {
  return {
    id: row.id,
    payment: row.payment,
    succeeded: row.succeeded,
    riskLevel: row.risk_level,
    riskScore: row.risk_score,
    networkStatus: row.network_status,
    outcome: row.outcome,
    reason: row.reason,
    createdMs: row.at.getTime(),
  };
}

const names = (subjects: readonly Subject[]) => subjects.map(({ name }) => name);
const maxima = (subjects: readonly Subject[]) => subjects.map(({ max }) => max);
const stops = (subjects: readonly Subject[]) => subjects.map(({ stopsAt }) => stopsAt);
const seconds = (count: number) => `${count} seconds`;
