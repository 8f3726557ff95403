import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import type { Dice } from '../purchase/dice.ts';

const everyMs = 300;
const amountMicroUsd = 20_000;
/** A statement without an answer after this long is given up, and repeated. */
const patienceMs = 4_000;
const againMs = 500;

/** Grants paid orders while faults happen, each until it is answered, as a webhook that the processor repeats. */
export class Purchases {
  readonly #url: string;
  readonly #dice: Dice;
  readonly #accounts: readonly { id: string }[];
  #isEnding = false;
  #work: Promise<void> = Promise.resolve();
  /** The orders whose grant was answered. */
  readonly answered: string[] = [];
  /** Grants that were answered only after an attempt without an answer. */
  repeated = 0;

  constructor(url: string, dice: Dice, accounts: readonly { id: string }[]) {
    this.#url = url;
    this.#dice = dice;
    this.#accounts = accounts;
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Finishes the current order. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      const order = id('pur');
      const account = this.#dice.pick(this.#accounts).id;
      for (let tries = 0; !(await this.#grant(order, account)); tries++) {
        if (tries === 0) this.repeated += 1;
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
      this.answered.push(order);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  async #grant(order: string, account: string): Promise<boolean> {
    const sql = postgres(this.#url, { max: 1, connect_timeout: 2, fetch_types: false, onnotice: () => {} });
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), patienceMs).unref());
    const work = async () => {
      await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
        VALUES (${order}, ${account}, 'credit', ${amountMicroUsd}, now() + interval '1 hour') ON CONFLICT DO NOTHING`;
      const rows = await sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, ${account})`;
      return rows.length === 1;
    };
    const granted = await Promise.race([work().catch(() => false), late]);
    // Cuts a statement that is still waiting.
    await sql.end({ timeout: 0 });
    return granted;
  }

  /** Returns what is wrong: answered orders that are not granted once. */
  async compare(sql: postgres.Sql): Promise<string[]> {
    const rows = await sql<
      { key: string; amount: number }[]
    >`SELECT key, amount::integer FROM ledger.posting WHERE key LIKE 'purchase:%'`;
    const amounts = new Map(rows.map(({ key, amount }) => [key, amount]));
    return this.answered.flatMap((order) => {
      const amount = amounts.get(`purchase:${order}`);
      return amount === amountMicroUsd
        ? []
        : [`${order} was answered as granted, and the books have ${amount}`];
    });
  }
}
