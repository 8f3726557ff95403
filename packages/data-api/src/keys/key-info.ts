import type { Operation } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Allowance from './allowance.ts';
import { planStatuses } from './key.ts';

const apisMax = 100;
/** A key has one plan. An account of the gateway, whose response has the same shape, may have several. */
const plansMax = 100;
const count = Schema.integer(0, Number.MAX_SAFE_INTEGER);
const moment = Schema.text({ format: 'date-time' });

/** `GET /v2/account/key-info`: status, limits and remaining records of the caller's key. */
export const keyInfo: Operation = {
  id: 'account.key_info',
  method: 'GET',
  path: '/v2/account/key-info',
  summary: 'API key status',
  about:
    'Returns the status of the key, its remaining records and their renewal, its rate limit and its allowed operations. The call costs nothing and has no rate limit, so it can serve as a health check.',
  cost: 'Free.',
  acceptsForms: false,
  limited: false,
  request: null,
  answer: Schema.named(
    'KeyInfo',
    Schema.object({
      valid: Schema.about('True if the key is active.', Schema.flag()),
      id: Schema.text(),
      records_remaining: Schema.about(Allowance.unlimitedNote, count),
      next_reset_at: Schema.about('Null if records are unlimited.', Schema.nullable(moment)),
      max_requests_per_seconds: Schema.about('Rate limit, which applies to each endpoint separately.', count),
      allowed_apis: Schema.about('Paths that the key may call.', Schema.list(Schema.text(), apisMax)),
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
      allowed_apis: [
        '/v2/jobs/company',
        '/v2/company/tam-by-jobs',
        '/v2/enrichment/company-distribution-by-country',
      ],
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
