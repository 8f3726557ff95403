import type { SubscriptionState } from '../account-records.ts';
import { type Call, type CallOptions, type Connection, given } from '../connection.ts';
import { member, ResponseValidationError } from '../errors.ts';
import { type Reply, success } from '../reply.ts';

type FreeCall = Partial<Call> & Pick<Call, 'path'>;

/** `price_usd`: the price of a period that is expected, such as `40.00`. */
type PlanChangeFields = { plan: string; price_usd?: string };

/** The subscriptions of an account. */
export class Subscriptions {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Cancels all subscriptions of a plan at the end of their period.
   *
   * ```ts
   * const { subscription } = await sluice.account.cancel_plan('pro');
   * ```
   */
  cancel_plan(id: string, options?: CallOptions): Promise<SubscriptionState> {
    return this.read({ method: 'POST', path: '/account/plans/{id}/cancel', id, options });
  }

  /**
   * Withdraws the cancellation of a plan. Needs an access token.
   *
   * ```ts
   * await sluice.account.resume_plan('pro');
   * ```
   */
  resume_plan(id: string, options?: CallOptions): Promise<SubscriptionState> {
    return this.read({ method: 'POST', path: '/account/plans/{id}/resume', id, options });
  }

  /**
   * Changes a plan: to a more expensive one at once, which is charged, to a cheaper one with the next period. Needs an access token.
   * With `price_usd`, it is refused (`price_changed`) when a period costs anything else now, and nothing is charged.
   *
   * ```ts
   * await sluice.account.change_plan('pro', { plan: 'max', price_usd: '40.00' });
   * ```
   */
  change_plan(id: string, fields: PlanChangeFields, options?: CallOptions): Promise<SubscriptionState> {
    const path = '/account/plans/{id}/change';
    return this.read({ method: 'POST', path, id, body: fields, twice: 'once', options });
  }

  /**
   * Cancels one subscription at the end of its period.
   *
   * ```ts
   * await sluice.account.cancel_subscription('sub_1');
   * ```
   */
  cancel_subscription(id: string, options?: CallOptions): Promise<SubscriptionState> {
    return this.read({ method: 'POST', path: '/account/subscriptions/{id}/cancel', id, options });
  }

  /**
   * Withdraws the cancellation of one subscription. Needs an access token.
   *
   * ```ts
   * await sluice.account.resume_subscription('sub_1');
   * ```
   */
  resume_subscription(id: string, options?: CallOptions): Promise<SubscriptionState> {
    return this.read({ method: 'POST', path: '/account/subscriptions/{id}/resume', id, options });
  }

  /**
   * Changes one subscription, as `change_plan` does.
   *
   * ```ts
   * await sluice.account.change_subscription('sub_1', { plan: 'max' });
   * ```
   */
  change_subscription(
    id: string,
    fields: PlanChangeFields,
    options?: CallOptions,
  ): Promise<SubscriptionState> {
    const path = '/account/subscriptions/{id}/change';
    return this.read({ method: 'POST', path, id, body: fields, twice: 'once', options });
  }

  /**
   * Returns a page on which a person enters another card for a subscription. Needs an access token.
   *
   * ```ts
   * const { card_url } = await sluice.account.subscription_card('sub_1');
   * ```
   */
  subscription_card(
    id: string,
    options?: CallOptions,
  ): Promise<{ success: boolean; card_url: string; expires_at: string }> {
    return this.read({ method: 'POST', path: '/account/subscriptions/{id}/card', id, options });
  }

  /** Sends a free call, by default a GET. */
  protected send(call: FreeCall): Promise<Reply> {
    const body = call.body && { body: given(call.body) };
    return this.#connection.send({ method: 'GET', twice: 'free', ...call, ...body });
  }

  /** Returns the JSON object of a success. */
  protected async read<Answer extends object>(call: FreeCall): Promise<Answer> {
    return success(await this.send(call));
  }

  /** Returns one member of a success, an object or a list. */
  protected async member<Value>(call: FreeCall, name: string): Promise<Value> {
    const value = member<Value>(await this.read(call), name);
    if (typeof value === 'object' && value !== null) return value;
    throw new ResponseValidationError(`The response of ${call.path} has no ${name}`);
  }
}
