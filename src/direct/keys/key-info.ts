import type { Operation } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Allowance from './allowance.ts';
import { planStatuses } from './key.ts';

const apisMax = 100;
/** A key has one; an account of a storefront that answers in the same shape may have several. */
const plansMax = 100;
const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);
const moment = Schema.text({ format: 'date-time' });

/** `GET /v2/account/key-info`: what the caller's key may do and has left. */
export const keyInfo: Operation = {
  id: 'account.key_info',
  method: 'GET',
  path: '/v2/account/key-info',
  api: '/account/key-info',
  summary: 'The key and what it has left',
  about:
    'Says whether the key is valid, what is left of its records, when they are renewed, how fast it may call and which operations it may call. It costs nothing and has no rate limit, so it serves as a health check.',
  cost: 'Free.',
  acceptsForms: false,
  limited: false,
  request: null,
  answer: Schema.named(
    'KeyInfo',
    Schema.object({
      valid: Schema.about('Whether the key is active.', Schema.flag()),
      id: Schema.text(),
      records_remaining: Schema.orWord(count, 'unlimited'),
      next_reset_at: Schema.about('Null where records are unlimited.', Schema.nullable(moment)),
      max_requests_per_seconds: Schema.about('For each endpoint on its own.', count),
      allowed_apis: Schema.about('Paths without the version segment.', Schema.list(Schema.text(), apisMax)),
      active_plans: Schema.list(
        Schema.object({
          name: Schema.text(),
          status: Schema.choice(planStatuses),
          started_at: moment,
        }),
        plansMax,
      ),
    }),
  ),
  example: {
    answer: {
      valid: true,
      id: 'key_2f6c1d9a0b7e4c35a1d86f02',
      records_remaining: 199_500,
      next_reset_at: '2026-12-12T17:48:25.199Z',
      max_requests_per_seconds: 10,
      allowed_apis: ['/jobs/company', '/company/tam-by-jobs', '/enrichment/company-distribution-by-country'],
      active_plans: [{ name: 'Start', status: 'active', started_at: '2026-11-12T17:48:25.199Z' }],
    },
  },
  prepare(_, { key, nowMs, apis }) {
    const body = {
      valid: key.planStatus === 'active',
      id: key.id,
      ...Allowance.shown(Allowance.balance(key, nowMs)),
      max_requests_per_seconds: key.requestsPerSecond,
      allowed_apis: [...(key.allowedApis ?? apis)],
      active_plans: [
        { name: key.plan, status: key.planStatus, started_at: new Date(key.startedAtMs).toISOString() },
      ],
    };
    return { kind: 'ready', recordsMax: 0, run: async () => ({ body, recordsUsed: 0 }) };
  },
};
