import type { Description } from '../operation.ts';
import type { FairUsage } from '../records/fair-usage.ts';
import * as Wording from '../schema/wording.ts';

/** What goes back to the caller; a text as it is, anything else as JSON. */
export type Reply = {
  status: number;
  body: object | string;
  usage: FairUsage | null;
  retryAfterSeconds?: number;
};

/** Why a request was not answered. */
export type Refusal =
  | { kind: 'key_missing' }
  | { kind: 'key_invalid' }
  | { kind: 'not_operator' }
  | { kind: 'revoked' }
  | { kind: 'not_found' }
  | { kind: 'rate_limited' }
  | { kind: 'not_in_plan'; usage: FairUsage; api: string; upgradeUrl: string }
  | { kind: 'exhausted'; usage: FairUsage; upgradeUrl: string }
  | { kind: 'unreadable' }
  | { kind: 'too_large' }
  | { kind: 'invalid'; faults: readonly Wording.Fault[] }
  | { kind: 'unavailable' }
  | { kind: 'fault' };

const retryAfterSeconds = 1;

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
      return refuse(401, 'Missing or wrong admin token, send it as Authorization: Bearer <token>');
    case 'revoked':
      return refuse(409, 'This key is revoked');
    case 'not_found':
      return refuse(404, 'Not Found');
    case 'rate_limited':
      return { ...refuse(429, 'Rate limit exceeded, please try again later'), retryAfterSeconds };
    case 'not_in_plan':
      return limitReached(`at ${reason.upgradeUrl} to call ${reason.api}`, reason.usage);
    case 'exhausted':
      return limitReached(`at ${reason.upgradeUrl}`, reason.usage);
    case 'unreadable':
      return refuse(
        400,
        'Request body is not valid JSON. Send an object with the header Content-Type: application/json',
      );
    case 'too_large':
      return refuse(413, 'Request body is larger than 1 MiB');
    case 'invalid':
      return refuse(422, Wording.summary(reason.faults), { errors: reason.faults });
    case 'unavailable':
      return {
        ...refuse(503, 'Service temporarily unavailable, please try again later'),
        retryAfterSeconds,
      };
    case 'fault':
      return refuse(500, 'Internal error');
  }
}

function limitReached(where: string, usage: FairUsage): Reply {
  const message = `Fair Use limit reached. Upgrade your plan ${where}`;
  return { ...refuse(402, message, { fair_usage: usage }), usage };
}

function refuse(status: number, message: string, more: object = {}): Reply {
  return { status, body: { success: false, message, ...more }, usage: null };
}
