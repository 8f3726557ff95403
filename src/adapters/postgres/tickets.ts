import type { Drawn, Ticket, Tickets } from '../../ledger/ticket.ts';
import { bounded, type Connection, statementTimeoutMs } from './connection.ts';

/** How long a key answers as it did first; what an account may do under keys in a day (UTC): calls, and bytes of kept answers. */
export type Limits = { life: string; ticketsMax: number; bytesMax: number };

const limits: Limits = { life: '24 hours', ticketsMax: 100_000, bytesMax: 256 * 1024 * 1024 };
/** How many are forgotten at a time. */
const prunedMax = 5_000;
const textType = 25;

/** `mend` gives up what could not be given up when it was time: to be called now and then. */
export type OpenTickets = Tickets & { mend(): Promise<void> };

/** The tickets in PostgreSQL (migrations/0001_ledger.sql). */
export function open(sql: Connection, { life, ticketsMax, bytesMax }: Limits = limits): OpenTickets {
  /** Bounded by the calls under way: each ends once. */
  const ending = new Map<string, Ticket>();
  /** A copy that was cut off may still run for as long as a statement may last, and then it is nobody's. */
  const disown = (ticket: Ticket) =>
    setTimeout(() => ending.set(ticket.callId, ticket), 2 * statementTimeoutMs).unref();
  const mend = async () => {
    const tickets = [...ending.values()];
    if (tickets.length === 0) return;
    const list = (pick: (ticket: Ticket) => string) => sql.array(tickets.map(pick), textType);
    const given = sql`SELECT ledger.give_up_tickets(${list(({ account }) => account)}::text[],
      ${list(({ key }) => `\\x${key}`)}::text[]::bytea[], ${list(({ callId }) => callId)}::text[]::uuid[])`;
    await bounded(given);
    for (const { callId } of tickets) ending.delete(callId);
  };
  return {
    mend,
    async draw(ticket) {
      const { account, key, request, callId, lane, epoch } = ticket;
      type Row = {
        state: Drawn['kind'];
        keeps: boolean;
        kept_call: string;
        kept_status: number;
        kept_headers: string;
        kept_body: Buffer | null;
      };
      const drawn = sql<[Row]>`SELECT * FROM ledger.take_ticket(${account}, ${Buffer.from(key, 'hex')},
        ${Buffer.from(request, 'hex')}, ${callId}, ${lane}, ${epoch}, ${life}::interval, ${ticketsMax}, ${bytesMax})`;
      const [row] = await bounded(drawn).catch((error: unknown) => {
        disown(ticket);
        throw error;
      });
      if (row.state === 'taken') return { kind: 'taken', keepsBody: row.keeps };
      if (row.state !== 'kept') return { kind: row.state };
      const answer = {
        callId: row.kept_call,
        status: row.kept_status,
        headers: JSON.parse(row.kept_headers),
        body: row.kept_body,
      };
      return { kind: 'kept', answer };
    },
    async giveUp(ticket) {
      ending.set(ticket.callId, ticket);
      await mend().catch(() => undefined);
    },
  };
}

/** Forgets tickets that are too old to count, and the answers that were kept under them. */
export async function prune(sql: Connection): Promise<void> {
  await sql`SELECT ledger.prune_tickets(${limits.life}::interval, ${prunedMax})`;
}
