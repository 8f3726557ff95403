import type { PlanStatus } from '../keys/key.ts';
import type { Reason } from '../live/source.ts';
import type { Description } from '../operation.ts';
import type { FairUsage } from '../records/fair-usage.ts';
import * as Wording from '../schema/wording.ts';

/** Response to a request. A string body is sent as text, anything else as JSON. */
export type Reply = {
  status: number;
  body: object | string;
  usage: FairUsage | null;
  retryAfterSeconds?: number;
};

/** Reason for an error response. */
export type Refusal =
  | { kind: 'key_missing' }
  | { kind: 'key_invalid' }
  | { kind: 'not_operator' }
  | { kind: 'revoked' }
  | { kind: 'not_found' }
  | { kind: 'rate_limited' }
  | { kind: 'busy' }
  | { kind: 'not_in_plan'; usage: FairUsage; api: string; upgradeUrl: string }
  | { kind: 'plan_inactive'; usage: FairUsage; plan: string; status: PlanStatus; upgradeUrl: string }
  | { kind: 'exhausted'; usage: FairUsage; upgradeUrl: string }
  | { kind: 'unreadable' }
  | { kind: 'too_large' }
  | { kind: 'compressed' }
  | { kind: 'unsupported'; acceptsForms: boolean }
  | { kind: 'invalid'; faults: readonly Wording.FieldError[] }
  | { kind: 'unavailable' }
  | { kind: 'no_live_source' }
  | { kind: 'live_unavailable'; reason: Reason }
  | { kind: 'fault' };

const retryAfterSeconds = 1;
const liveRetryAfterSeconds = 5;
const searchStored = 'Stored profiles are searched by POST /v2/search/waterfall-icp-keyword';

export function answer({ usageOnlyInHeaders }: Description, body: object, usage: FairUsage): Reply {
  return { status: 200, body: usageOnlyInHeaders ? body : { ...body, fair_usage: usage }, usage };
}

export function refusal(reason: Refusal): Reply {
  switch (reason.kind) {
    case 'key_missing':
      return refuse(401, "Missing API key, please provide a valid API key in the 'x-api-key' header");
    case 'key_invalid':
      return refuse(401, "Invalid API key, please provide a valid API key in the 'x-api-key' header");
    case 'not_operator':
      return refuse(
        401,
        'Missing or invalid admin token. Send DIRECT_ADMIN_TOKEN as Authorization: Bearer <token>',
      );
    case 'revoked':
      return refuse(409, 'This key is revoked and cannot be changed. Create a new key with POST /admin/keys');
    case 'not_found':
      return refuse(404, 'Not Found');
    case 'rate_limited':
      return { ...refuse(429, 'Rate limit exceeded, please try again later'), retryAfterSeconds };
    case 'busy':
      return {
        ...refuse(
          429,
          'Too many large searches at the same time. Try again in a second, or send fewer search terms',
        ),
        retryAfterSeconds,
      };
    case 'not_in_plan':
      return limitReached(
        `Fair Use limit reached. Upgrade your plan at ${reason.upgradeUrl} to call ${reason.api}`,
        reason.usage,
      );
    case 'plan_inactive':
      return limitReached(`${inactive(reason.plan, reason.status)} at ${reason.upgradeUrl}`, reason.usage);
    case 'exhausted':
      return limitReached(`Fair Use limit reached. Upgrade your plan at ${reason.upgradeUrl}`, reason.usage);
    case 'unreadable':
      return refuse(
        400,
        'Request body is not valid JSON. Send an object with the header Content-Type: application/json',
      );
    case 'too_large':
      return refuse(413, 'Request body is larger than 1 MiB. Send a smaller one');
    case 'compressed':
      return refuse(
        415,
        'Compressed request bodies are not supported. Send the body without the header Content-Encoding',
      );
    case 'unsupported': {
      const others = reason.acceptsForms ? ', application/x-www-form-urlencoded or multipart/form-data' : '';
      return refuse(
        415,
        `Unsupported request body type. Send the header Content-Type: application/json${others}`,
      );
    }
    case 'invalid':
      return refuse(422, Wording.summary(reason.faults), { errors: reason.faults });
    case 'unavailable':
      return {
        ...refuse(503, 'Service temporarily unavailable, please try again later'),
        retryAfterSeconds,
      };
    case 'no_live_source':
      return refuse(
        501,
        `This service has no source of live profiles. No records were used. ${searchStored}`,
      );
    case 'live_unavailable':
      return {
        ...refuse(503, `${liveFailure(reason.reason)}. No records were used. Retry later. ${searchStored}`),
        retryAfterSeconds: liveRetryAfterSeconds,
      };
    case 'fault':
      return refuse(
        500,
        'Internal error. No records were used. Quote the x-request-id header to support if it happens again',
      );
  }
}

function liveFailure(reason: Reason): string {
  switch (reason) {
    case 'slow':
      return 'The source of live profiles did not answer in time';
    case 'busy':
      return 'The source of live profiles is busy';
    default:
      return 'The source of live profiles is temporarily unavailable';
  }
}

/** Says why a plan cannot be used, and what to do. */
function inactive(plan: string, status: PlanStatus): string {
  if (status === 'past_due') return `Your plan ${plan} is past due. Pay the open invoice. Its status is`;
  return `Your plan ${plan} is ${status}. Choose another plan. Its status is`;
}

function limitReached(message: string, usage: FairUsage): Reply {
  return { ...refuse(402, message, { fair_usage: usage }), usage };
}

function refuse(status: number, message: string, more: object = {}): Reply {
  return { status, body: { success: false, message, ...more }, usage: null };
}
