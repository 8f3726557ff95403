import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import type { Order } from '../../payment/order.ts';
import type { ChargeOutcome, ListedPayment, Payment } from '../../payment/processor.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import * as ChargeFault from './charge-fault.ts';
import * as PaymentIntent from './payment-intent.ts';
import { chargeOf } from './payment-params.ts';
import type { Rejections } from './rejections.ts';
import * as SharedToken from './shared-token.ts';
import type { ShopMark } from './shop-mark.ts';
import * as Tax from './tax.ts';
import * as TaxedCharge from './taxed-charge.ts';

const { errors } = Stripe;

const pageSize = 100;
const paymentsReadMax = 5_000;
/** Maximum difference between Stripe's clock and ours. */
const clockSkewSeconds = 60;
const chargeMaxSeconds = 60;

type Settings = {
  mark: ShopMark;
  /** The API version for charging shared payment tokens. */
  sharedTokenVersion: string;
  rejections: Rejections;
};

/** Payments without a hosted page, and the list of all payments. */
export class Charges {
  readonly #stripe: Stripe;
  readonly #settings: Settings;
  #refusedAsTooSmall = Money.zero;
  #placement: SharedToken.Placement = 'payment_method_data';

  constructor(stripe: Stripe, settings: Settings) {
    this.#stripe = stripe;
    this.#settings = settings;
  }

  /** The largest amount that was refused as below Stripe's minimum; zero when there was none. */
  get refusedAsTooSmall(): Money.Money {
    return this.#refusedAsTooSmall;
  }

  /** Remembers `amount` when `error` says that it is below Stripe's minimum. */
  learnMinimum(error: unknown, amount: Money.Money): void {
    const isTooSmall = error instanceof errors.StripeError && error.code === 'amount_too_small';
    if (isTooSmall && amount > this.#refusedAsTooSmall) this.#refusedAsTooSmall = amount;
  }

  async charge(order: Order, challengeId: string, token: string): Promise<ChargeOutcome> {
    const { mark } = this.#settings;
    const taxed = await TaxedCharge.taxFor(this.#stripe, order, challengeId, order.taxQuote?.place ?? null);
    if (taxed !== null && 'kind' in taxed) return taxed;
    const params = chargeOf(order, mark, challengeId, taxed);
    const invalid = 'The payment token is not valid for this payment.';
    return this.#attempt(order, () => this.#chargeToken(params, challengeId, token), invalid);
  }

  /** Charges a token in the place where Stripe last accepted one, and in the other place when Stripe does not know it there. */
  async #chargeToken(
    params: ReturnType<typeof chargeOf>,
    challengeId: string,
    token: string,
  ): Promise<Stripe.PaymentIntent> {
    // The key does not contain the token: a new token for the same challenge must not charge again.
    const options = { idempotencyKey: `mpp_${challengeId}`, apiVersion: this.#settings.sharedTokenVersion };
    const chargeAt = async (placement: SharedToken.Placement) => {
      const body = { ...params, ...SharedToken.params(placement, token) };
      const response: unknown = await this.#stripe.rawRequest('POST', '/v1/payment_intents', body, options);
      return response as Stripe.PaymentIntent;
    };
    const first = this.#placement;
    try {
      return await chargeAt(first);
    } catch (error) {
      if (!SharedToken.isMisplaced(error, first)) throw error;
      // Stripe rejected the whole request, so the first attempt has charged nothing.
      const charged = await chargeAt(SharedToken.other(first));
      this.#placement = SharedToken.other(first);
      return charged;
    }
  }

  async chargeSaved(
    order: Order,
    challengeId: string,
    card: SavedCard,
    isTaxed: boolean,
  ): Promise<ChargeOutcome> {
    const { mark, rejections } = this.#settings;
    const { customer, method } = card;
    const place = isTaxed ? await Tax.placeOfCard(this.#stripe, card).catch(rejections.unavailable) : null;
    if (isTaxed && place === null)
      return {
        kind: 'declined',
        reason: 'The card was saved without a billing address, which its tax depends on.',
        detail: null,
      };
    const taxed = await TaxedCharge.taxFor(this.#stripe, order, challengeId, place);
    if (taxed !== null && 'kind' in taxed) return taxed;
    const params = {
      ...chargeOf(order, mark, challengeId, taxed),
      customer,
      payment_method: method,
      off_session: true,
    };
    const create = () => this.#stripe.paymentIntents.create(params, { idempotencyKey: challengeId });
    return this.#attempt(order, create, 'The card on file can no longer be charged.');
  }

  /** @param invalid the reason of the decline when Stripe rejects the buyer's token or card as invalid */
  async #attempt(
    order: Order,
    create: () => Promise<Stripe.PaymentIntent>,
    invalid: string,
  ): Promise<ChargeOutcome> {
    try {
      return PaymentIntent.judge(PaymentIntent.read(await create(), this.#settings.mark));
    } catch (error) {
      this.learnMinimum(error, order.amount);
      const refused = ChargeFault.read(error, invalid);
      if (refused) return refused;
      // Stripe responded without the outcome of the charge, which can be read from its list of payments.
      if (error instanceof errors.StripeAPIError || error instanceof errors.StripeIdempotencyError)
        return PaymentIntent.judgeLatest(await this.chargesOf(order).catch(() => []));
      if (ChargeFault.passes(error)) return { kind: 'unknown' };
      throw error;
    }
  }

  async chargesOf(order: Order): Promise<Payment[]> {
    // Uses the list, because Stripe's search is up to a minute late. The time of the order and its charge keeps the list short.
    const found: Payment[] = [];
    let read = 0;
    const claimedMs = order.claimedMs ?? order.createdMs;
    for await (const intent of this.#stripe.paymentIntents.list({
      created: {
        gte: Math.floor(order.createdMs / 1000) - clockSkewSeconds,
        lte: Math.ceil(claimedMs / 1000) + chargeMaxSeconds + clockSkewSeconds,
      },
      limit: pageSize,
    })) {
      if (intent.metadata.order === order.id && intent.metadata.challenge)
        found.push(PaymentIntent.read(intent, this.#settings.mark));
      read += 1;
      if (read > paymentsReadMax) throw new Error(`more than ${paymentsReadMax} payments beside ${order.id}`);
    }
    return found;
  }

  async *payments(sinceMs: number): AsyncGenerator<ListedPayment> {
    const created = { gte: Math.floor(sinceMs / 1000) };
    for await (const intent of this.#stripe.paymentIntents.list({ created, limit: pageSize }))
      yield PaymentIntent.read(intent, this.#settings.mark);
  }
}
