import type { MiddlewareHandler } from 'hono';
import * as AddressBlock from '../identity/address-block.ts';
import type { Shop } from '../journeys/shop.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import { address, type Env, requestId, send } from './edge.ts';
import { error } from './reply.ts';

/** Our own routes are free for the caller and work for us: so many requests a second from one address. */
const perSecond = 20;

/** Refuses an address that asks too often. Our own machine is its operator, or a proxy that does not say for whom it asks. */
export function addressLimit(shop: Shop, clientAddressHeader: string | null): MiddlewareHandler<Env> {
  const limiter = RateLimit.create();
  return async (c, next) => {
    const from = address(c, clientAddressHeader);
    if (AddressBlock.isLoopback(from)) return next();
    const taken = RateLimit.take(limiter, AddressBlock.of(from), perSecond, shop.clock());
    if (taken.allowed) return next();
    const headers = { 'retry-after': String(taken.retryAfterSeconds) };
    return send(
      c,
      error(
        429,
        'rate_limited',
        'Too many requests from this address in one second.',
        requestId(c),
        {},
        headers,
      ),
    );
  };
}
