import type { MiddlewareHandler } from 'hono';
import * as AddressBlock from '../identity/address-block.ts';
import type { Shop } from '../journeys/shop.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import { address, type Call, type Env, requestId, send } from './edge.ts';
import { error, type Reply } from './reply.ts';

/** Our own routes are free for the caller and work for us: so many requests a second from one address. */
const perSecond = 20;

/** Refuses an address that asks too often, or lets it pass. */
export type AddressLimit = (c: Call) => Reply | null;

/** One limit, over all routes that share it. Our own machine is its operator, or a proxy that does not say for whom it asks. */
export function open(shop: Shop, clientAddressHeader: string | null): AddressLimit {
  const limiter = RateLimit.create();
  return (c) => {
    const from = address(c, clientAddressHeader);
    if (AddressBlock.isLoopback(from)) return null;
    const taken = RateLimit.take(limiter, AddressBlock.of(from), perSecond, shop.clock());
    if (taken.allowed) return null;
    const message = 'Too many requests from this address in one second.';
    const headers = { 'retry-after': String(taken.retryAfterSeconds) };
    return error(429, 'rate_limited', message, requestId(c), {}, headers);
  };
}

/** Holds the limit against all requests of a route. */
export function middleware(limit: AddressLimit): MiddlewareHandler<Env> {
  return async (c, next) => {
    const refused = limit(c);
    return refused === null ? next() : send(c, refused);
  };
}
