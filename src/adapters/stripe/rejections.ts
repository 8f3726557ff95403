import Stripe from 'stripe';
import { ObjectUnknown, ProcessorUnavailable } from '../../payment/processor.ts';
import * as ChargeFault from './charge-fault.ts';

const { errors } = Stripe;

/** Reports a problem that the operator has to fix at Stripe: a refused key, a missing permission, a refused page. */
export type Report = (event: string, detail: Readonly<Record<string, unknown>>) => void;

/** Turns errors of Stripe into those of `Processor`. Each function throws in every case. */
export type Rejections = {
  /** Throws ProcessorUnavailable when Stripe fails or refuses the shop, otherwise the error itself. */
  unavailable(error: unknown): never;
  /** For reading the object `id`: throws ObjectUnknown when Stripe does not know it. */
  unread(id: string): (error: unknown) => never;
  /** For opening a page: throws ProcessorUnavailable also when Stripe refuses its amount or a feature of it. */
  page(error: unknown): never;
};

export function rejections(report: Report | undefined): Rejections {
  function unavailable(error: unknown): never {
    if (ChargeFault.isRefusal(error)) {
      report?.('processor_refuses', { reason: ChargeFault.describe(error) });
      throw new ProcessorUnavailable(error.message, { cause: error });
    }
    throw ChargeFault.passes(error) ? new ProcessorUnavailable(error.message, { cause: error }) : error;
  }

  function unread(id: string): (error: unknown) => never {
    return (error) => {
      const isUnknown =
        error instanceof errors.StripeInvalidRequestError && error.code === 'resource_missing';
      // The error can also name an object that `id` refers to; then `id` itself exists.
      if (isUnknown && error.message.includes(`'${id}'`)) throw new ObjectUnknown(id, { cause: error });
      return unavailable(error);
    };
  }

  function page(error: unknown): never {
    if (!(error instanceof errors.StripeInvalidRequestError)) return unavailable(error);
    report?.('card_page_refused', { reason: ChargeFault.describe(error) });
    throw new ProcessorUnavailable(error.message, { cause: error });
  }

  return { unavailable, unread, page };
}
