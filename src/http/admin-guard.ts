import type { MiddlewareHandler } from 'hono';
import * as AddressBlock from '../identity/address-block.ts';
import type { Clock } from '../kernel/clock.ts';
import * as Digest from '../kernel/digest.ts';
import * as Authorization from '../payment/authorization.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import { address, type Call, type Env, lines, requestId, send } from './edge.ts';
import { error, type Reply } from './reply.ts';

/** From one address, our own machine included: whoever guesses the token is to be slow. */
const perSecond = 10;

/** Who comes to `/admin`, by either door: a program with the admin token as its bearer, a person who has typed it in. */
export type AdminGuard = {
  /** SHA-256 of the admin token. */
  readonly tokenDigest: string;
  /** The refusal of an address that asks too often; null lets it pass. */
  slowed(c: Call): Reply | null;
  /** Whether this is the admin token. */
  opens(token: string): boolean;
  /** Who acts, as the audit log names it. */
  who(c: Call): string;
  /** Lets programs pass that bear the token. */
  bearer: MiddlewareHandler<Env>;
};

/** One guard for all of `/admin`: whoever guesses at both doors is counted once. */
export function open(clock: Clock, tokenDigest: string, clientAddressHeader: string | null): AdminGuard {
  const limiter = RateLimit.create();
  const from = (c: Call) => AddressBlock.of(address(c, clientAddressHeader));
  const slowed = (c: Call) => {
    const taken = RateLimit.take(limiter, from(c), perSecond, clock());
    return taken.allowed ? null : tooFast(c, taken);
  };
  const opens = (token: string) => Digest.equal(Digest.sha256Hex(token), tokenDigest);
  return {
    tokenDigest,
    slowed,
    opens,
    who: (c) => `admin at ${from(c)}`,
    bearer: async (c, next) => {
      const slow = slowed(c);
      if (slow !== null) return send(c, slow);
      const read = Authorization.bearer(lines(c, 'authorization'));
      return read.kind === 'token' && opens(read.token) ? next() : send(c, unauthorized(c));
    },
  };
}

function unauthorized(c: Call): Reply {
  const headers = { 'www-authenticate': 'Bearer' };
  return error(401, 'admin_required', 'This takes the admin token as a bearer.', requestId(c), {}, headers);
}

function tooFast(c: Call, { retryAfterSeconds }: RateLimit.Taken): Reply {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return error(429, 'rate_limited', 'Too many requests from this address.', requestId(c), {}, headers);
}
