import { type CallOptions, Connection } from './connection.ts';
import { Account } from './namespaces/account.ts';
import { Enrichment } from './namespaces/enrichment.ts';
import { Jobs } from './namespaces/jobs.ts';
import { Search } from './namespaces/search.ts';
import { Utils } from './namespaces/utils.ts';
import type { ConnectionOptions, SluiceOptions } from './settings.ts';
import * as Settings from './settings.ts';
import * as Storefront from './storefront.ts';
import type * as Records from './storefront-records.ts';
import { EventStream, type StreamOptions } from './stream.ts';

/**
 * A client of the data API (with `api_key`) or of a storefront (with `access_token`).
 * Limits calls to `rate_limit_rps` per operation, and retries after a 429, a 5xx or a failed connection.
 *
 * ```ts
 * const sluice = new Sluice({ api_key: 'sk_...', base_url: 'https://api.example.com' });
 * for await (const job of sluice.jobs.search({ job: { title: { include: ['Engineer'] } } })) console.log(job.title);
 * ```
 */
export class Sluice {
  readonly account: Account;
  readonly search: Search;
  readonly jobs: Jobs;
  readonly enrichment: Enrichment;
  readonly utils: Utils;
  readonly #connection: Connection;

  /** Throws `ConfigurationError` if the options, completed from the environment, are invalid. */
  constructor(options: SluiceOptions = {}) {
    const credential = Settings.credential(options);
    const storefront = Settings.storefront(options, credential);
    const connection = new Connection(Settings.read(options), credential, storefront);
    this.#connection = connection;
    this.account = new Account(connection);
    this.search = new Search(connection);
    this.jobs = new Jobs(connection);
    this.enrichment = new Enrichment(connection);
    this.utils = new Utils(connection);
  }

  /**
   * Opens an anonymous account at a storefront, with a trial if it has one. Free.
   *
   * ```ts
   * const base_url = 'http://localhost:4020';
   * const { access_token } = await Sluice.register({ base_url });
   * const sluice = new Sluice({ access_token, base_url });
   * ```
   */
  static async register(
    options: ConnectionOptions = {},
    call?: Pick<CallOptions, 'timeout' | 'signal'>,
  ): Promise<Records.Registration> {
    return Storefront.register(new Connection(Settings.read(options), null), call);
  }

  /**
   * Makes a call whose response is a stream: server-sent events or NDJSON. It costs what the operation costs, is made when the iteration begins,
   * and is retried only before the first event. `stream.charge()` returns the cost after the end.
   *
   * ```ts
   * const stream = sluice.stream('/v1/chat/completions', {
   *   model: 'small-1',
   *   messages: [{ role: 'user', content: 'Hello' }],
   *   stream: true,
   * });
   * for await (const { data } of stream) console.log(data);
   * ```
   */
  stream(path: string, fields: object = {}, options?: StreamOptions): EventStream {
    return new EventStream(this.#connection, path, fields, options);
  }

  /**
   * Lists the plans of a storefront.
   *
   * ```ts
   * for (const plan of await sluice.plans()) console.log(plan.id, plan.price_usd);
   * ```
   */
  plans(options?: CallOptions): Promise<Records.Plan[]> {
    return Storefront.plans(this.#connection, options);
  }

  /**
   * Asks a storefront's advisor for the calls that reach a goal and their cost. Free. Returns the guide or, with a wallet's
   * signed zero-amount proof, the quote.
   *
   * ```ts
   * const { guide } = await sluice.quote('Work emails of ten CFOs in Lisbon', { budget_usd: '1.00' });
   * ```
   */
  quote(goal: string, fields: Storefront.QuoteFields = {}, options?: CallOptions): Promise<Records.Guide> {
    return Storefront.quote(this.#connection, goal, fields, options);
  }

  /**
   * Buys a plan. Without a payment it returns the payment page (`checkout_url`) and the challenge (`www_authenticate`); with a
   * successful payment, the purchase. A repetition with the same credential is charged once. Throws `PaymentDeclinedError` if
   * the payment is declined.
   *
   * ```ts
   * const purchase = await sluice.purchase('credit', { amount_usd: '5.00' });
   * if (purchase.code === 'payment_required') console.log(`Pay at ${purchase.checkout_url}`);
   * ```
   */
  purchase(
    plan: string,
    fields: Storefront.PurchaseFields = {},
    options?: CallOptions,
  ): Promise<Records.Purchase> {
    return Storefront.purchase(this.#connection, plan, fields, options);
  }
}
