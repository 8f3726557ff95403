import * as Money from '../../src/kernel/money.ts';
import type { Order } from '../../src/payment/order.ts';
import type { Listed, Processor } from '../../src/payment/processor.ts';
import type { Reversal } from '../../src/payment/reversal.ts';

/** What becomes of a charge at the processor, and of its answer; `killed`: whoever asked for it is gone by then. */
export const fates = [
  'taken',
  'declined',
  'taken, answer lost',
  'declined, answer lost',
  'taken, asker killed',
  'never arrives',
  'never arrives, asker killed',
] as const;
type Fate = (typeof fates)[number];

/** A processor in memory, in which every payment is known. */
export class FakeProcessor {
  fate: Fate = 'taken';
  /** A charge waits for this before it arrives. */
  gate: Promise<void> = Promise.resolve();
  /** Whether the time of all hosted pages is over. */
  isClosed = false;
  /** Asked before a charge that has not been heard of arrives. */
  arrives: (order: Order, challengeId: string) => Promise<void> = async () => {};
  /** Told when a charge's fate is that its asker is killed. */
  kill: (lane: string) => void = () => {};
  readonly #payments = new Map<string, Listed>();
  readonly #sessions = new Map<string, { order: string; payment: string | null }>();
  readonly #keys = new Map<string, Listed>();
  readonly #reversals = new Map<string, Reversal & { payment: string; notices: string[] }>();
  readonly #refunds = new Map<string, Reversal>();
  #made = 0;

  /** The processor as the process of `lane` reaches it. */
  seenFrom(lane: string): Processor {
    return {
      charge: (order, challengeId) => this.charge(order, challengeId, lane),
      chargeSaved: (order, challengeId) => this.charge(order, challengeId, lane),
      savedCard: async () => null,
      chargesOf: (order) => this.chargesOf(order),
      readPayment: (payment) => this.readPayment(payment),
      openCheckout: (order) => this.openCheckout(order),
      readCheckout: (session) => this.readCheckout(session),
      reversalsOf: (payment) => this.reversalsOf(payment),
      payments: () => this.payments(),
      refund: (payment, amount, key, sellerKey) => this.refund(payment, amount, key, sellerKey),
      readInvoice: async () => null,
      async *invoices() {},
      readSubscription: async () => null,
      cancelAtPeriodEnd: async () => null,
      changePlan: async () => ({ kind: 'changed' }),
      pageOf: () => null,
      readNotice: (text) => this.readNotice(text),
    };
  }

  /** What was taken, in all. */
  get taken(): Listed[] {
    return [...this.#payments.values()].filter(({ state }) => state === 'succeeded');
  }

  async charge(order: Order, challengeId: string, lane: string): ReturnType<Processor['charge']> {
    const { fate } = this;
    await this.gate;
    await breath();
    if (!fate.startsWith('never')) {
      if (!this.#keys.has(challengeId)) await this.arrives(order, challengeId);
      const known = this.#keys.get(challengeId);
      this.#keys.set(challengeId, known ?? this.#pay(order, fate.startsWith('taken'), challengeId));
      await breath();
    }
    if (fate.endsWith('killed')) {
      this.kill(lane);
      return new Promise(() => {});
    }
    const payment = this.#keys.get(challengeId);
    if (!payment || fate.startsWith('never') || fate.endsWith('lost')) return { kind: 'unknown' };
    return payment.state === 'succeeded'
      ? { kind: 'succeeded', payment }
      : { kind: 'declined', reason: 'No.', detail: null };
  }

  async chargesOf({ id: order }: Order): Promise<Listed[]> {
    await breath();
    return [...this.#payments.values()].filter((one) => one.order === order && one.challengeId !== null);
  }

  async readPayment(payment: string): Promise<Listed> {
    await breath();
    const found = this.#payments.get(payment);
    if (!found) throw new Error(`no payment ${payment}`);
    return found;
  }

  async openCheckout({ id: order }: Order) {
    await breath();
    const session = `cs_${order}`;
    if (!this.#sessions.has(session)) this.#sessions.set(session, { order, payment: null });
    return this.readCheckout(session);
  }

  async readCheckout(session: string) {
    await breath();
    const { order, payment } = this.#sessions.get(session) ?? { order: null, payment: null };
    return {
      session,
      order,
      url: payment === null && !this.isClosed ? `https://pay.test/${session}` : null,
      payment: payment === null ? null : (this.#payments.get(payment) ?? null),
      invoice: null,
    };
  }

  async reversalsOf(payment: string): Promise<Reversal[]> {
    await breath();
    return [...this.#reversals.values()].filter((one) => one.payment === payment).map(plain);
  }

  async refund(
    payment: string,
    amount: Money.Money,
    key: string,
    sellerKey: string | null,
  ): ReturnType<Processor['refund']> {
    await breath();
    const reversal =
      this.#refunds.get(key) ?? this.goBack('refund', payment, amount, 'succeeded', true, sellerKey);
    this.#refunds.set(key, reversal);
    return { kind: 'refunded', reversal };
  }

  /** As if it had never taken anything. */
  forget(): void {
    this.#payments.clear();
  }

  async *payments(): AsyncGenerator<Listed> {
    for (const payment of this.#payments.values()) yield payment;
  }

  /** A refund on the processor's own pages, or a dispute. */
  goBack(
    kind: Reversal['kind'],
    payment: string,
    amount: Money.Money,
    status: string,
    counts: boolean,
    key: string | null = null,
  ): Reversal {
    this.#made += 1;
    const id = `${kind === 'refund' ? 're' : 'dp'}_${payment}_${this.#made}`;
    const reversal = { id, kind, amount, status, counts, reason: null, key };
    this.#reversals.set(id, { ...reversal, payment, notices: [`reversal ${payment} ${id} ${status}`] });
    return reversal;
  }

  /** How a refund or dispute goes on. */
  turn(id: string, status: string, counts: boolean): void {
    const found = this.#reversals.get(id);
    if (!found) throw new Error(`no reversal ${id}`);
    const notices = [...found.notices, `reversal ${found.payment} ${id} ${status}`];
    this.#reversals.set(id, { ...found, status, counts, notices });
  }

  /** A person pays the open page of an order, if there is one. */
  payPage(order: Order): void {
    const session = this.#sessions.get(`cs_${order.id}`);
    if (session?.payment === null && !this.isClosed) session.payment = this.#pay(order, true, null).id;
  }

  /** The notices that it has to give: one for each success, each paid page, and each turn of what goes back. */
  notices(): string[] {
    const payments = this.taken.map((payment) => `payment ${payment.id}`);
    const pages = [...this.#sessions]
      .filter(([, { payment }]) => payment)
      .map(([name]) => `checkout ${name}`);
    return [...payments, ...pages, ...[...this.#reversals.values()].flatMap(({ notices }) => notices)];
  }

  readNotice(body: string): ReturnType<Processor['readNotice']> {
    const [kind, object] = body.replace('reversal ', 'payment ').split(' ');
    if ((kind !== 'payment' && kind !== 'checkout') || object === undefined) return null;
    return { id: `evt_${body}`, type: kind, object: { kind, id: object } };
  }

  #pay(order: Order, succeeds: boolean, challengeId: string | null): Listed {
    this.#made += 1;
    const payment: Listed = {
      id: `pi_${order.id}_${this.#made}`,
      order: order.id,
      plan: order.plan,
      account: order.account,
      challengeId,
      state: succeeds ? 'succeeded' : 'failed',
      received: succeeds ? order.amount : Money.zero,
      failure: succeeds ? null : 'No.',
    };
    this.#payments.set(payment.id, payment);
    return payment;
  }
}

function plain({ id, kind, amount, status, counts, reason, key }: Reversal): Reversal {
  return { id, kind, amount, status, counts, reason, key };
}

/** Lets everything else that can go on go on. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
