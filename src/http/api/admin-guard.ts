import type { Clock } from '@sluice/kernel/clock';
import * as Digest from '@sluice/kernel/digest';
import type { MiddlewareHandler } from 'hono';
import { blockOf } from '../../identity/address-block.ts';
import * as Authorization from '../../payment/authorization.ts';
import * as RateLimit from '../../proxy/rate-limit.ts';
import { error, type Reply } from '../reply.ts';
import { address, type Call, type Env, lines, requestId, send } from '../request-context.ts';

/** Maximum requests per second from one address, loopback included, to slow down guessing of the token. */
const perSecond = 10;

/** Checks callers of `/admin`: programs send the admin token as a bearer, people enter it on the login page. */
export type AdminGuard = {
  /** SHA-256 of the admin token. */
  readonly tokenDigest: string;
  /** Returns the refusal for an address that sends too many requests, or null. */
  slowed(c: Call): Reply | null;
  /** Returns true for the admin token. */
  opens(token: string): boolean;
  /** Returns the address block of the caller. */
  from(c: Call): string;
  /** Names the caller for the audit log. */
  who(c: Call): string;
  /** Admits programs that send the token. */
  bearer: MiddlewareHandler<Env>;
};

/** Creates the guard of all of `/admin`. Programs and the login page share one rate limit. */
export function createAdminGuard(
  clock: Clock,
  tokenDigest: string,
  clientAddressHeader: string | null,
): AdminGuard {
  const limiter = RateLimit.create();
  const from = (c: Call) => blockOf(address(c, clientAddressHeader));
  const slowed = (c: Call) => {
    const taken = RateLimit.take(limiter, from(c), perSecond, clock());
    return taken.allowed ? null : tooFast(c, taken);
  };
  const opens = (token: string) => Digest.equal(Digest.sha256Hex(token), tokenDigest);
  return {
    tokenDigest,
    slowed,
    opens,
    from,
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
  return error(
    401,
    'admin_required',
    'This route needs the admin token. Send it as `Authorization: Bearer`.',
    requestId(c),
    {},
    headers,
  );
}

function tooFast(c: Call, { retryAfterSeconds }: RateLimit.RateLimitResult): Reply {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return error(
    429,
    'rate_limited',
    'Too many requests from this address. Retry after the time in Retry-After.',
    requestId(c),
    {},
    headers,
  );
}
