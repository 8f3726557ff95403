import type { MiddlewareHandler } from 'hono';
import * as AddressBlock from '../../identity/address-block.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as RateLimit from '../../proxy/rate-limit.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { type Reply, tooManyRequests } from '../reply.ts';
import { address, type Call, type Env, requestId, send } from '../request-context.ts';

/** Maximum requests per second from one address to the storefront's own routes, which are free. */
const perSecondUsual = 20;

/** Returns the refusal for an address that sends too many requests, or null. */
export type AddressLimit = (c: Call) => Reply | null;

/** Creates one limit for all routes that share it. Loopback is exempt: it is the operator, or a proxy that does not name its callers. */
export function createAddressLimit(
  shop: Pick<IdentityContext, 'clock'> & TextsContext,
  clientAddressHeader: string | null,
  perSecond: number = perSecondUsual,
): AddressLimit {
  const limiter = RateLimit.create();
  return (c) => {
    const from = address(c, clientAddressHeader);
    if (AddressBlock.isLoopback(from)) return null;
    const taken = RateLimit.take(limiter, AddressBlock.blockOf(from), perSecond, shop.clock());
    if (taken.allowed) return null;
    const message = shop.texts.text('api.rate_limited.address');
    return tooManyRequests('rate_limited', message, taken, requestId(c));
  };
}

/** Applies the limit to all requests of a route. */
export function middleware(limit: AddressLimit): MiddlewareHandler<Env> {
  return async (c, next) => {
    const refused = limit(c);
    return refused === null ? next() : send(c, refused);
  };
}
