import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BuiltPrograms from '../support/built-programs.ts';
import * as Customer from '../support/customer.ts';
import type * as Program from '../support/program.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import { Dice } from './dice.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

const workers = 6;
const monthSeconds = 31 * 24 * 60 * 60;
const plans = ['small', 'large'] as const;
const tokenCards = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_mastercard',
  'pm_card_amex',
  'pm_card_chargeDeclined',
  'pm_card_createDispute',
  'pm_card_pendingRefund',
  'pm_card_refundFail',
];
const faultyRoutes = [
  'POST /v1/payment_intents',
  'POST /v1/checkout/sessions',
  'GET /v1/payment_intents/:id',
  'GET /v1/invoices/:id',
];
const faults = ['500_before', '500_after', 'cut_after'];
/** The longest wait for a process that is down, on a slow machine. */
const patienceMs = 60_000;

/** A buyer with the token of their account. */
type Buyer = Agent.Agent & { token: string };

/** A shop of two processes on which buyers, a seller, a card network and faults act at the same time. */
export class Life {
  /** Number of occurrences of each event. */
  readonly counts: Record<string, number> = {};
  readonly shop: Shop.Shop;
  readonly network: Network.Network;
  readonly #dice: Dice;
  readonly #upstream: Upstream.ScriptedUpstream;
  readonly #processes: { url: string; program: Program.Program | undefined }[];
  readonly #buyers: Buyer[] = [];
  #isRough = false;

  private constructor(seed: number, upstream: Upstream.ScriptedUpstream, shop: Shop.Shop, second: string) {
    this.#dice = new Dice(seed);
    this.#upstream = upstream;
    this.shop = shop;
    this.network = Network.of(shop.sandboxUrl);
    this.#processes = [shop.url, second].map((url, at) => ({ url, program: shop.storefronts[at] }));
  }

  static async begin(seed: number): Promise<Life> {
    const upstream = await Upstream.scripted(({ socket, head }) => {
      const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
      socket.write(Upstream.http(200, JSON.stringify({ count: max })));
    });
    const catalog = 'periods.yaml';
    const shop = await Shop.open({
      upstream: { url: upstream.url, key: 'upk_1' },
      catalog,
      env: Agent.shopEnv,
    });
    return new Life(seed, upstream, shop, await shop.addStorefront());
  }

  async end(): Promise<void> {
    await this.shop.stop();
    await this.#upstream.close();
  }

  /** Makes `purchases` purchases of every kind, while processes die and webhook events are lost. */
  async trade(purchases: number): Promise<void> {
    await this.#inRoughTimes(async () => {
      let left = purchases;
      const work = async () => {
        for (; left > 0; ) {
          left -= 1;
          await this.#buy();
          await this.#call(this.#dice.int(3));
          if (this.#dice.chance(0.3)) await this.#sellersWhim();
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    });
  }

  /** Simulates a month in which plans are renewed or not, cancelled and changed. */
  async month(): Promise<void> {
    const paying = await this.shop.sql<
      { id: string }[]
    >`SELECT id FROM shop.subscription WHERE processor_id IS NOT NULL AND ended_at IS NULL ORDER BY id`;
    for (const { id } of paying) if (this.#dice.chance(0.2)) await this.#loseCard(id);
    await this.#inRoughTimes(async () => {
      for (const buyer of this.#buyers.filter(() => this.#dice.chance(0.15))) {
        const plan = this.#dice.pick(plans);
        const deed = this.#dice.pick(['cancel', 'resume', 'change']);
        const answer = await this.#send(buyer, 'POST', `/account/plans/${plan}/${deed}`, {
          plan: plan === 'small' ? 'large' : 'small',
        });
        if (answer?.status === 200) this.#count(`plan ${deed}`);
      }
      if (this.#dice.chance(0.7)) await this.network.control('/webhooks/pause');
      await this.network.control('/clock', { advance_seconds: monthSeconds });
      await Promise.all(Array.from({ length: workers }, () => this.#call(20)));
      for (let deed = 0; deed < 20; deed += 1) await this.#sellersWhim();
    });
  }

  /** Stops all faults and waits until everything open is completed. Throws when that does not happen. */
  async settle(): Promise<void> {
    await this.network.clearFaults();
    await this.network.control('/webhooks/duplicate', { copies: 0 });
    await this.network.control('/webhooks/resume');
    const deadlineMs = Date.now() + 120_000;
    for (;;) {
      const open = await this.shop
        .sql`SELECT id, rail, state, claimed_by FROM shop.purchase WHERE claimed_by IS NOT NULL`;
      if (open.length === 0) return;
      if (Date.now() > deadlineMs) throw new Error(`still open: ${JSON.stringify(open)}`);
      await pause(500);
    }
  }

  /** Runs a command of the seller. Returns its JSON output and its exit code. */
  async command(...args: string[]): Promise<{ code: number; printed: unknown }> {
    const env = {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: this.shop.databaseUrl,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_API_BASE: this.shop.sandboxUrl,
      PUBLIC_URL: this.shop.url,
    };
    const options = { env, maxBuffer: 64 * 1024 * 1024 };
    const script = await BuiltPrograms.pathOf('src/cli/sluice.ts');
    const run = promisify(execFile)(process.execPath, [script, ...args, '--json'], options);
    const { code, stdout, stderr } = await run.then(
      (done) => ({ code: 0, ...done }),
      (fault: { code: number; stdout: string; stderr: string }) => fault,
    );
    if (stdout === '') throw new Error(stderr);
    return { code, printed: JSON.parse(stdout) };
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Kills processes and loses webhook events while `work` runs. */
  async #inRoughTimes(work: () => Promise<void>): Promise<void> {
    this.#isRough = true;
    const misfortune = Promise.all([this.#killNowAndThen(), this.#losePost()]);
    try {
      await work();
      await this.network.control('/webhooks/pause');
      await this.#drop();
    } finally {
      this.#isRough = false;
      await misfortune;
    }
  }

  async #killNowAndThen(): Promise<void> {
    let startMs = 0;
    while (this.#isRough) {
      // A slow machine gets as much time to sell as it needed to start.
      await pause(Math.max(1_500 + this.#dice.int(2_500), startMs));
      const victim = this.#dice.pick(this.#processes);
      await victim.program?.kill();
      this.#count('storefronts killed');
      const startedMs = Date.now();
      await this.shop.addStorefront({ PORT: new URL(victim.url).port });
      startMs = Date.now() - startedMs;
      victim.program = this.shop.storefronts.at(-1);
    }
  }

  async #losePost(): Promise<void> {
    while (this.#isRough) {
      await pause(200 + this.#dice.int(600));
      await this.network.control('/webhooks/duplicate', { copies: this.#dice.int(3) });
      const deed = this.#dice.pick([
        'pause',
        'pause',
        'resume',
        'deliver-in-reverse',
        'deliver-shuffled',
        'drop',
        'fault',
      ]);
      this.#count(`notices: ${deed}`);
      if (deed === 'drop') await this.#drop();
      else if (deed === 'fault')
        await this.network.fault(
          this.#dice.pick(faultyRoutes),
          this.#dice.pick(faults),
          1 + this.#dice.int(3),
        );
      else
        await this.network.control(
          `/webhooks/${deed}`,
          deed === 'deliver-shuffled' ? { seed: this.#dice.int(1_000) } : {},
        );
    }
  }

  async #drop(): Promise<void> {
    const answer = await fetch(`${this.shop.sandboxUrl}/_sandbox/webhooks/deliveries`);
    const { deliveries } = (await answer.json()) as { deliveries: { event: string; status: string }[] };
    for (const { event, status } of deliveries)
      if (status !== 'delivered' && this.#dice.chance(0.3))
        await this.network.control('/webhooks/drop', { event }).then(
          () => this.#count('notices lost'),
          () => {},
        );
  }

  async #buy(): Promise<void> {
    const how = this.#dice.int(10);
    if (how < 6) return this.#buyByToken();
    await this.#buyOnPage(how < 8 ? 'credit' : this.#dice.pick(plans));
  }

  async #someone(): Promise<Agent.Agent> {
    const known = this.#buyers.length > 0 && this.#dice.chance(0.4) ? this.#dice.pick(this.#buyers) : null;
    if (known) return { ...known, ...Agent.at(this.#url()), token: known.token };
    const agent = Agent.at(this.#url());
    if (this.#dice.chance(0.5)) return agent;
    const registered = await this.#patiently(() => Customer.register(this.#url()));
    const buyer = { ...agent, token: registered.token };
    this.#buyers.push(buyer);
    return buyer;
  }

  async #buyByToken(): Promise<void> {
    const agent = await this.#someone();
    const body = { amount_usd: (0.5 + this.#dice.int(450) / 100).toFixed(2) };
    const offer = await this.#patiently(() => Agent.offer({ ...agent, url: this.#url() }, body));
    const token = await this.network.mint(this.#dice.pick(tokenCards));
    // Without a response the buyer repeats the request with the same payment.
    for (;;) {
      const answer = await this.#patiently(() => Agent.pay({ ...agent, url: this.#url() }, offer, token));
      if (answer.status === 202 || answer.status >= 500) {
        this.#count('answers in doubt');
        await pause(400);
        continue;
      }
      this.#count(answer.status === 200 ? 'bought by token' : `refused by token: ${answer.body.code}`);
      if (answer.status === 200 && agent.token === null && answer.body.access_token)
        this.#buyers.push({ ...agent, token: answer.body.access_token });
      return;
    }
  }

  async #buyOnPage(plan: string): Promise<void> {
    const agent = await this.#someone();
    const offer = await this.#patiently(async () => {
      const answer = await Agent.ask(
        { ...agent, url: this.#url() },
        plan === 'credit' ? { amount_usd: '2.00' } : {},
        plan,
      );
      if (answer.body.code === 'already_subscribed') return null;
      if (answer.status !== 402) throw new Error(`no offer: ${answer.status} ${answer.text}`);
      return Agent.readOffer(answer, undefined);
    });
    if (offer === null) return this.#count('refused: subscribed already');
    const page = await this.#patiently(() => openPage(offer.checkoutUrl));
    if (page === null) return this.#count('refused: subscribed already');
    const answer = await Person.submit(page, this.#dice.chance(0.1) ? Person.declinedCard : undefined);
    if (answer.status !== 303) return this.#count('refused on a page');
    this.#count(plan === 'credit' ? 'bought on a page' : 'subscribed');
    const back = answer.headers.get('location') ?? '';
    if (this.#dice.chance(0.3)) return; // The buyer closes the window.
    await fetch(back).catch(() => null);
    if (agent.token === null || plan !== 'credit' || this.#dice.chance(0.4)) return;
    const purchaseInput = { below_usd: '1.90', amount_usd: '2.00', monthly_max_usd: '6.00' };
    const agreed = await this.#send(
      { ...agent, token: agent.token },
      'PUT',
      '/account/auto-top-up',
      purchaseInput,
    );
    if (agreed?.status !== 200) return;
    this.#count('top-ups agreed to');
    for (let call = 0; call < 4; call += 1)
      await this.#send({ ...agent, token: agent.token }, 'GET', '/v1/search?max=50');
  }

  /** Makes calls from random buyers, each of which may cost something. */
  async #call(times: number): Promise<void> {
    for (let call = 0; call < times && this.#buyers.length > 0; call += 1) {
      const answer = await this.#send(
        this.#dice.pick(this.#buyers),
        'GET',
        `/v1/search?max=${1 + this.#dice.int(50)}`,
      );
      this.#count(answer ? `calls ${answer.status}` : 'calls cut off');
    }
  }

  /** The seller refunds a payment, or a buyer's bank disputes it. */
  async #sellersWhim(): Promise<void> {
    const { stripe } = this.network;
    const recent = await stripe.paymentIntents.list({ limit: 100 });
    const paid = recent.data.filter(({ status }) => status === 'succeeded');
    if (paid.length === 0) return;
    const payment = this.#dice.pick(paid);
    const { data } = await stripe.disputes.list({ limit: 20 });
    const open = data.filter(({ status }) => status === 'needs_response');
    const refused = () => this.#count('refused at the processor');
    switch (this.#dice.int(4)) {
      case 0:
        await stripe.refunds
          .create({ payment_intent: payment.id, amount: 1 + this.#dice.int(payment.amount) })
          .then(() => this.#count('refunds'), refused);
        break;
      case 1:
        await this.network
          .control('/disputes', { payment_intent: payment.id })
          .then(() => this.#count('disputes'), refused);
        break;
      default: {
        if (open.length === 0) return;
        const isWon = this.#dice.chance(0.5);
        const evidence = { uncategorized_text: isWon ? 'winning_evidence' : 'losing_evidence' };
        await stripe.disputes
          .update(this.#dice.pick(open).id, { evidence })
          .then(() => this.#count(isWon ? 'disputes won' : 'disputes lost'), refused);
      }
    }
  }

  async #loseCard(subscription: string): Promise<void> {
    const { stripe } = this.network;
    const { customer, status } = await stripe.subscriptions.retrieve(subscription);
    if (status !== 'active') return;
    const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: String(customer),
    });
    await stripe.subscriptions.update(subscription, { default_payment_method: failing.id });
    this.#count('cards lost');
  }

  /** Returns the URL of either process, which may be down. */
  #url(): string {
    return this.#dice.pick(this.#processes).url;
  }

  /** Returns null without a response: a call whose connection broke is not repeated. */
  #send(buyer: Buyer, method: string, path: string, body?: unknown): Promise<Customer.Answer | null> {
    return Customer.call(buyer, method, this.#url() + path, body).catch(() => null);
  }

  /** Repeats `work` until it succeeds, because the process may be down or starting. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const deadlineMs = Date.now() + patienceMs;
    for (;;) {
      try {
        return await work();
      } catch (fault) {
        if (Date.now() > deadlineMs) throw fault;
        await pause(200);
      }
    }
  }
}

/** Opens a payment link in a browser of its own. Returns the hosted page, or null when another order has bought the plan meanwhile. */
async function openPage(checkoutUrl: string): Promise<string | null> {
  const jar: Person.Jar = new Map();
  try {
    return await Person.open(checkoutUrl, jar);
  } catch (fault) {
    if (!(fault instanceof Person.NoCardPage)) throw fault;
    if (fault.text.includes('You already have this plan.')) return null;
    // A process that died before it responded has remembered a browser that never got its cookie.
    if (fault.text.includes('open in another browser')) return Person.takeOver(checkoutUrl, jar);
    throw fault;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
