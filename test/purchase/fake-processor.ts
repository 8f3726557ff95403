import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { Order } from '../../src/payment/order.ts';
import type { Checkout, ListedPayment, Processor } from '../../src/payment/processor.ts';
import type { Reversal } from '../../src/payment/reversal.ts';
import type { Invoice } from '../../src/payment/subscription.ts';

/** The outcome of a charge at the processor, and of its response. `killed`: the process that requested it has died by then. */
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

/** A processor in memory that exposes every payment to the test. */
export class FakeProcessor {
  fate: Fate = 'taken';
  /** Delays each charge before it reaches the processor. */
  gate: Promise<void> = Promise.resolve();
  /** The paid invoices of its account, including those of other shops. */
  readonly invoices: Invoice[] = [];
  /** True when all hosted pages have expired. */
  isClosed = false;
  /** Called before a new charge reaches the processor. */
  arrives: (order: Order, challengeId: string) => Promise<void> = async () => {};
  /** Called when the fate of a charge is that the requesting process is killed. */
  kill: (writer: string) => void = () => {};
  readonly #payments = new Map<string, ListedPayment & { asked: Money.Money }>();
  readonly #sessions = new Map<
    string,
    { order: Order; email: string | null; payment: string | null; isClosed: boolean }
  >();
  readonly #keys = new Map<string, ListedPayment>();
  readonly #reversals = new Map<string, Reversal & { payment: string; notices: string[] }>();
  readonly #refunds = new Map<string, Reversal>();
  /** Makes its cards different from those of other tests on the same database. */
  readonly #issuer = id('iss');
  #made = 0;

  /** Returns the processor for the process of `writer`. */
  seenFrom(writer: string): Processor {
    return {
      charge: (order, challengeId) => this.charge(order, challengeId, writer),
      chargeSaved: (order, challengeId) => this.charge(order, challengeId, writer),
      openCardPage: async () => ({ session: '', url: null, expiresMs: 0 }),
      renewalOf: async () => ({ customer: '', amount: Money.zero, every: 'month' }),
      readCardPage: async () => null,
      payerOf: async () => ({ customer: '', email: null, card: null }),
      openPortal: async () => '',
      eraseCustomer: async () => {},
      useCard: async () => {},
      cardOfToken: async (token) => `${this.#issuer} ${token}`,
      readCharge: async () => {
        throw new Error('the fake processor has no charges');
      },
      chargesOf: (order) => this.chargesOf(order),
      readPayment: (payment) => this.readPayment(payment),
      openCheckout: (order, { email }) => this.openCheckout(order, email),
      readCheckout: (session) => this.readCheckout(session),
      closeCheckout: (session) => this.closeCheckout(session),
      reversalsOf: (payment) => this.reversalsOf(payment),
      payments: () => this.payments(),
      refund: (payment, { amount }, key, sellerKey) => this.refund(payment, amount, key, sellerKey),
      quoteTax: async () => ({ kind: 'known', tax: Money.zero }),
      refusedAsTooSmall: () => Money.zero,
      taxOnPage: async () => Money.zero,
      invoicePage: async () => null,
      cardOfPayment: async () => null,
      feesOf: async () => ({ fees: [], isComplete: true, charge: null }),
      readInvoice: async () => null,
      invoices: () => this.#listInvoices(),
      readSubscription: async () => null,
      cancelAtPeriodEnd: async () => null,
      cancelNow: async () => {},
      voidUnpaid: async () => {},
      changePlan: async () => ({ kind: 'changed' }),
      probe: async () => ({ mode: 'sandbox', state: 'works' }),
      pageOf: () => null,
      parseWebhookEvent: (text) => this.parseWebhookEvent(text),
    };
  }

  /** All payments that succeeded. */
  get taken(): ListedPayment[] {
    return [...this.#payments.values()].filter(({ state }) => state === 'succeeded');
  }

  async charge(order: Order, challengeId: string, writer: string): ReturnType<Processor['charge']> {
    const { fate } = this;
    await this.gate;
    await breath();
    if (!fate.startsWith('never')) {
      if (!this.#keys.has(challengeId)) await this.arrives(order, challengeId);
      const known = this.#keys.get(challengeId);
      this.#keys.set(
        challengeId,
        known ?? this.#pay(order, fate.startsWith('taken') ? 'succeeded' : 'failed', challengeId),
      );
      await breath();
    }
    if (fate.endsWith('killed')) {
      this.kill(writer);
      return new Promise(() => {});
    }
    const payment = this.#keys.get(challengeId);
    if (!payment || fate.startsWith('never') || fate.endsWith('lost')) return { kind: 'unknown' };
    return payment.state === 'succeeded'
      ? { kind: 'succeeded', payment }
      : { kind: 'declined', reason: 'No.', detail: null };
  }

  async chargesOf({ id: order }: Order): Promise<ListedPayment[]> {
    await breath();
    return [...this.#payments.values()].filter((one) => one.order === order && one.challengeId !== null);
  }

  async readPayment(payment: string): Promise<ListedPayment> {
    await breath();
    const found = this.#payments.get(payment);
    if (!found) throw new Error(`no payment ${payment}`);
    return found;
  }

  async openCheckout(order: Order, email: string | null = null): Promise<Checkout> {
    await breath();
    const session = `cs_${order.id}_${order.pagesClosed}`;
    if (!this.#sessions.has(session))
      this.#sessions.set(session, { order, email, payment: null, isClosed: false });
    return this.readCheckout(session);
  }

  async readCheckout(session: string): Promise<Checkout> {
    await breath();
    const page = this.#sessions.get(session);
    const payment = this.#payments.get(page?.payment ?? '');
    const state = pageState(payment, page === undefined || page.isClosed || this.isClosed);
    return {
      session,
      order: page?.order.id ?? null,
      url: state === 'open' ? `https://pay.test/${session}` : null,
      state,
      payment: state === 'paid' ? (payment ?? null) : null,
      invoice: null,
      kept: null,
      email: page?.email ?? null,
    };
  }

  async closeCheckout(session: string): Promise<Checkout> {
    await breath();
    const page = this.#sessions.get(session);
    if (page?.payment === null) page.isClosed = true;
    return this.readCheckout(session);
  }

  /** Returns those of `sessions` whose pages can be paid now. */
  openAmong(sessions: Iterable<string>): string[] {
    return [...sessions].filter((session) => {
      const page = this.#sessions.get(session);
      return page?.payment === null && !page.isClosed && !this.isClosed;
    });
  }

  /** Expires a page. */
  expire(session: string): void {
    const page = this.#sessions.get(session);
    if (page) page.isClosed = true;
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

  /** Forgets idempotency keys, as after a day: a repeated charge is a new charge. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  /** Forgets everything, as if there had been no payments. */
  forget(): void {
    this.#payments.clear();
  }

  async *payments(): AsyncGenerator<ListedPayment> {
    for (const payment of this.#payments.values()) yield payment;
  }

  /** Makes a refund on the processor's own pages, or a dispute. */
  goBack(
    kind: Reversal['kind'],
    payment: string,
    amount: Money.Money,
    status: string,
    isEffective: boolean,
    key: string | null = null,
  ): Reversal {
    this.#made += 1;
    const id = `${kind === 'refund' ? 're' : 'dp'}_${payment}_${this.#made}`;
    const reversal = { id, kind, amount, status, isEffective, reason: null, key };
    this.#reversals.set(id, { ...reversal, payment, notices: [`reversal ${payment} ${id} ${status}`] });
    return reversal;
  }

  /** Changes the status of a refund or dispute. */
  turn(id: string, status: string, isEffective: boolean): void {
    const found = this.#reversals.get(id);
    if (!found) throw new Error(`no reversal ${id}`);
    const notices = [...found.notices, `reversal ${found.payment} ${id} ${status}`];
    this.#reversals.set(id, { ...found, status, isEffective, notices });
  }

  /** Pays the order's open page, at once or by a payment that takes days. Returns false when no page is open. */
  payPage(order: Order, slowly = false): boolean {
    // The address of a page is unknown until the shop has recorded it.
    const page = this.#sessions.get(order.checkoutSession ?? '');
    if (page?.payment !== null || page.isClosed || this.isClosed) return false;
    page.payment = this.#pay(order, slowly ? 'pending' : 'succeeded', null).id;
    return true;
  }

  /** Completes the slow payments of an order, or fails them. */
  settle(order: string, state: 'succeeded' | 'failed'): void {
    for (const payment of this.#payments.values())
      if (payment.order === order && payment.state === 'pending')
        Object.assign(payment, { state, received: state === 'succeeded' ? payment.asked : Money.zero });
  }

  /** Makes a payment for an order that no longer expects one: a late charge, or a page that was paid as it closed. */
  payLate(order: Order): string {
    return this.#pay(order, 'succeeded', null).id;
  }

  /** Returns the webhook events: one for each success, each paid page, and each change of a refund or dispute. */
  notices(): string[] {
    const payments = this.taken.map((payment) => `payment ${payment.id}`);
    const pages = [...this.#sessions]
      .filter(([, { payment }]) => payment)
      .map(([name, { payment }]) => `checkout ${name} ${this.#payments.get(payment ?? '')?.state}`);
    return [...payments, ...pages, ...[...this.#reversals.values()].flatMap(({ notices }) => notices)];
  }

  async *#listInvoices(): AsyncGenerator<Invoice> {
    yield* this.invoices;
  }

  parseWebhookEvent(body: string): ReturnType<Processor['parseWebhookEvent']> {
    const [kind, object] = body.replace('reversal ', 'payment ').split(' ');
    if ((kind !== 'payment' && kind !== 'checkout') || object === undefined) return null;
    return { id: `evt_${body}`, type: kind, object: { kind, id: object } };
  }

  #pay(order: Order, state: ListedPayment['state'], challengeId: string | null): ListedPayment {
    this.#made += 1;
    const payment = {
      id: `pi_${order.id}_${this.#made}`,
      order: order.id,
      plan: order.plan,
      account: order.account,
      challengeId,
      period: order.period,
      state,
      asked: order.amount,
      received: state === 'succeeded' ? order.amount : Money.zero,
      failure: state === 'failed' ? 'No.' : null,
      shop: null,
      isForeign: false,
    };
    this.#payments.set(payment.id, payment);
    return payment;
  }
}

function pageState(payment: ListedPayment | undefined, isClosed: boolean): Checkout['state'] {
  if (payment === undefined) return isClosed ? 'expired' : 'open';
  return payment.state === 'succeeded' ? 'paid' : payment.state === 'failed' ? 'failed' : 'processing';
}

function plain({ id, kind, amount, status, isEffective, reason, key }: Reversal): Reversal {
  return { id, kind, amount, status, isEffective, reason, key };
}

/** Lets all other pending work continue. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
