import type * as Records from '../account-records.ts';
import type { CallOptions } from '../connection.ts';
import { member, ResponseValidationError } from '../errors.ts';
import { byFixedCursor, list, type PagePromise } from '../page.ts';
import { success } from '../reply.ts';
import { Subscriptions } from './subscriptions.ts';

/** The caller's key and, at a storefront, the account: balance, usage, keys, subscriptions, receipts. All methods are free. */
export class Account extends Subscriptions {
  /**
   * Returns the key, its plan and its remaining records. Free, and a good first call to check the credential.
   *
   * ```ts
   * const { records_remaining } = await sluice.account.key_info();
   * ```
   */
  async key_info(options?: CallOptions): Promise<Records.KeyInfo> {
    return this.read({ path: '/v2/account/key-info', options });
  }

  /**
   * Returns balance, plans, subscriptions and limits.
   *
   * ```ts
   * const { balance_usd, included_remaining, plans } = await sluice.account.overview();
   * ```
   */
  overview(options?: CallOptions): Promise<Records.AccountOverview> {
    return this.read({ path: '/account', options });
  }

  /**
   * Returns sums of calls, units and cost over a time range.
   *
   * ```ts
   * const { usage } = await sluice.account.usage({ since: '2026-01-01', until: '2026-01-31', group: 'day' });
   * for (const { day, calls, cost_usd } of usage) console.log(day, calls, cost_usd);
   * ```
   */
  usage(fields: Records.UsageParams = {}, options?: CallOptions): Promise<Records.UsageReport> {
    return this.read({ path: '/account/usage', query: ranged(fields), options });
  }

  /**
   * Lists the calls, the newest first.
   *
   * ```ts
   * for await (const { operation, cost_usd } of sluice.account.calls({ since: '2026-01-01', until: '2026-01-31' }))
   *   console.log(operation, cost_usd);
   * ```
   */
  calls(
    fields: Records.CallsParams = {},
    options?: CallOptions,
  ): PagePromise<Records.AccountPage<Records.CallRecord>> {
    return this.#list('/account/calls', 'calls', fields, options);
  }

  /**
   * Returns one call as it was charged. `charge(answer)` has its id.
   *
   * ```ts
   * const { cost_usd, given_back } = await sluice.account.call('call_1');
   * ```
   */
  call(id: string, options?: CallOptions): Promise<Records.CallRecord> {
    return this.read({ path: '/account/calls/{id}', id, options });
  }

  /**
   * Lists the payments, each with its signed receipt.
   *
   * ```ts
   * for await (const { paid_at, total_usd, receipt } of sluice.account.receipts()) console.log(paid_at, total_usd, receipt);
   * ```
   */
  receipts(
    fields: { cursor?: string | null } = {},
    options?: CallOptions,
  ): PagePromise<Records.AccountPage<Records.Receipt>> {
    return this.#list('/account/receipts', 'receipts', fields, options);
  }

  /**
   * Returns a receipt as a document to print or file, in HTML. `receipt` is that of an item of `receipts`.
   *
   * ```ts
   * const [last] = await sluice.account.receipts().collect({ max_items: 1 });
   * if (last) console.log(await sluice.account.receipt_document(last.receipt));
   * ```
   */
  async receipt_document(receipt: string, options?: CallOptions): Promise<string> {
    const headers = { accept: 'text/html' };
    const reply = await this.send({ path: '/receipts/{id}', id: receipt, headers, options });
    if (reply.status === 200 && typeof reply.body === 'string') return reply.body;
    success(reply);
    throw new ResponseValidationError(`HTTP ${reply.status} from ${reply.url} is no document`);
  }

  /**
   * Returns the page of the card processor's invoice for a purchase. Throws `NotFoundError` if it has none.
   *
   * ```ts
   * const { invoice_url } = await sluice.account.invoice('pur_1');
   * ```
   */
  invoice(id: string, options?: CallOptions): Promise<{ success: boolean; invoice_url: string }> {
    return this.read({ path: '/account/receipts/{id}/invoice', id, options });
  }

  /**
   * Returns the valid keys of the account, with what they have spent.
   *
   * ```ts
   * for (const { name, spent_usd, budget_usd } of await sluice.account.keys()) console.log(name, spent_usd, budget_usd);
   * ```
   */
  keys(options?: CallOptions): Promise<Records.AccountKey[]> {
    return this.member({ path: '/account/keys', options }, 'keys');
  }

  /**
   * Creates a long-lived key, with limits if you wish. Needs an access token. It is not retried if its response is lost.
   *
   * ```ts
   * const { key } = await sluice.account.create_key({ name: 'nightly export', budget_usd: '5.00' });
   * ```
   */
  create_key(fields: Records.NewKeyParams, options?: CallOptions): Promise<Records.NewAccountKey> {
    return this.read({ method: 'POST', path: '/account/keys', body: fields, twice: 'once', options });
  }

  /**
   * Ends a key. It is invalid as soon as this returns. Needs an access token.
   *
   * ```ts
   * await sluice.account.revoke_key('key_1');
   * ```
   */
  revoke_key(id: string, options?: CallOptions): Promise<Records.RevokedKey> {
    return this.read({ method: 'DELETE', path: '/account/keys/{id}', id, options });
  }

  /**
   * Returns the state of a purchase; `granted` is paid.
   *
   * ```ts
   * const { state } = await sluice.account.purchase('pur_1');
   * ```
   */
  purchase(id: string, options?: CallOptions): Promise<Records.PurchaseState> {
    return this.read({ path: '/purchases/{id}', id, options });
  }

  /**
   * Asks the seller to refund a purchase. Repeated, it returns the first request. Needs an access token.
   *
   * ```ts
   * const { state } = await sluice.account.request_refund('pur_1', { reason: 'Bought twice by mistake.' });
   * ```
   */
  request_refund(
    id: string,
    fields: Records.RefundParams,
    options?: CallOptions,
  ): Promise<Records.RefundRequest> {
    const path = '/purchases/{id}/refund-request';
    return this.member({ method: 'POST', path, id, body: fields, options }, 'refund_request');
  }

  /**
   * Returns the refund request of a purchase.
   *
   * ```ts
   * const { state, answer } = await sluice.account.refund_request('pur_1');
   * ```
   */
  refund_request(id: string, options?: CallOptions): Promise<Records.RefundRequest> {
    return this.member({ path: '/purchases/{id}/refund-request', id, options }, 'refund_request');
  }

  /**
   * Returns whether credit is bought automatically, and its limits.
   *
   * ```ts
   * const { state } = await sluice.account.auto_top_up();
   * ```
   */
  auto_top_up(options?: CallOptions): Promise<Records.AutoTopUp> {
    return this.member({ path: '/account/auto-top-up', options }, 'auto_top_up');
  }

  /**
   * Sets automatic purchases of credit; without fields it ends them. Throws `APIStatusError` 409 `consent_required`, whose body
   * has a `consent_url`, until the holder of the card has agreed there.
   *
   * ```ts
   * await sluice.account.set_auto_top_up({ below_usd: '1.00', amount_usd: '10.00', monthly_max_usd: '50.00' });
   * ```
   */
  set_auto_top_up(fields: Records.AutoTopUpParams = {}, options?: CallOptions): Promise<Records.AutoTopUp> {
    return this.member({ method: 'PUT', path: '/account/auto-top-up', body: fields, options }, 'auto_top_up');
  }

  /**
   * Redeems a promotion code.
   *
   * ```ts
   * const { usd, units } = await sluice.account.redeem({ code: 'SPRING' });
   * ```
   */
  redeem(fields: { code: string }, options?: CallOptions): Promise<Records.Promotion> {
    const path = '/account/promotions';
    return this.member({ method: 'POST', path, body: fields, twice: 'once', options }, 'promotion');
  }

  /**
   * Sends a code to the mail address of a person, who can then claim the account and manage it in a browser. A claim may enlarge the trial.
   *
   * ```ts
   * await sluice.account.claim({ claim_token: 'clm_1', email: 'ada@example.com' });
   * ```
   */
  claim(fields: { claim_token: string; email: string }, options?: CallOptions): Promise<Records.Claim> {
    return this.read({ method: 'POST', path: '/agent/auth/claim', body: fields, twice: 'once', options });
  }

  /**
   * Completes a claim with the code from the mail. `account` in the result is the account that remains.
   *
   * ```ts
   * const { account, joined } = await sluice.account.complete_claim({ claim_token: 'clm_1', otp: '123456' });
   * ```
   */
  complete_claim(
    fields: { claim_token: string; otp: string },
    options?: CallOptions,
  ): Promise<Records.Claim> {
    const path = '/agent/auth/claim/complete';
    return this.read({ method: 'POST', path, body: fields, twice: 'once', options });
  }

  #list<Item>(path: string, name: string, fields: Records.CallsParams, options: CallOptions | undefined) {
    const fetch = async (sent: Records.CallsParams): Promise<Records.AccountPage<Item>> => {
      const page = await this.read<Records.AccountPage<Item>>({ path, query: ranged(sent), options });
      const results = member<unknown>(page, name);
      if (!Array.isArray(results))
        throw new ResponseValidationError(`The response of ${path} has no ${name}`);
      return { ...page, results };
    };
    return list(fields, fetch, byFixedCursor);
  }
}

function ranged({ since, until, ...others }: Records.TimeRange): object {
  return { from: since, to: until, ...others };
}
