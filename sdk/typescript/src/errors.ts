import type { FairUsage } from './records.ts';
import type { PlanOffer } from './storefront-records.ts';

/** The root of all that this package throws, but for a caller's own abort, whose reason is thrown as it is. */
export class SluiceError extends Error {}

/** A client, a call or its options cannot be what was given; nothing was sent. */
export class ConfigurationError extends SluiceError {}

/** No answer: the service was not reached, or the connection broke. `cause` has the fault of the runtime. */
export class APIConnectionError extends SluiceError {}

/** No answer within the time-out. */
export class APITimeoutError extends APIConnectionError {}

/** A success that is not the JSON that was promised, or a cursor that leads back to where it came from. */
export class ResponseValidationError extends SluiceError {}

/** What every refusal says. */
export interface Refusal {
  status_code: number;
  /** The JSON value, or the text where it is no JSON. */
  body: unknown;
  message: string;
  /** Quote it to support. */
  request_id: string | null;
  /** A storefront's own name for what is wrong, such as `credit_exhausted`; it is stable, `message` is not. */
  code: string | null;
}

/** The service refused, or failed. */
export class APIStatusError extends SluiceError implements Refusal {
  readonly status_code: number;
  readonly body: unknown;
  readonly request_id: string | null;
  readonly code: string | null;

  constructor({ status_code, body, message, request_id, code }: Refusal) {
    super(message);
    this.status_code = status_code;
    this.body = body;
    this.request_id = request_id;
    this.code = code;
  }
}

/** 400: the body was not understood. */
export class BadRequestError extends APIStatusError {}

/** 401: no credential, or one that opens nothing. A storefront's body says how to register. */
export class AuthenticationError extends APIStatusError {}

/** 402: what is left does not cover the call. */
export class InsufficientRecordsError extends APIStatusError {
  /** What is left, and when there is more; a storefront has none. */
  readonly fair_usage: FairUsage | null;
  /** What a storefront offers to buy. */
  readonly plans: PlanOffer[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.fair_usage = member<FairUsage>(refusal.body, 'fair_usage') ?? null;
    this.plans = list(refusal.body, 'plans');
  }
}

/** 402: a payment was sent and not taken. The body has a fresh challenge. */
export class PaymentDeclinedError extends APIStatusError {}

/** 403: no plan of the caller covers the call. */
export class PlanRequiredError extends APIStatusError {
  /** The plans that cover it, each with the request that buys it. */
  readonly plans: PlanOffer[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.plans = list(refusal.body, 'plans');
  }
}

/** 404: no such key, or no such route. Data that is not found is no error but `found: false`. */
export class NotFoundError extends APIStatusError {}

/** What is wrong with one field of a request. */
export interface FieldError {
  /** The path, such as `job.seniority.include[0]`; `body` for the whole. */
  field: string;
  /** What is wrong, with the nearest right name or value. */
  message: string;
}

/** 422: fields that do not exist or values that cannot be. Nothing ran, nothing was used. */
export class ValidationError extends APIStatusError {
  /** At most 20. */
  readonly errors: FieldError[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.errors = list(refusal.body, 'errors');
  }
}

/** 429, after the retries: too many calls. */
export class RateLimitError extends APIStatusError {
  /** Seconds that the service asks to wait, at most 120; null where it names none. */
  readonly retry_after: number | null;

  constructor(refusal: Refusal, retryAfter: number | null) {
    super(refusal);
    this.retry_after = retryAfter;
  }
}

/** 5xx, after the retries: the service failed. */
export class ServerError extends APIStatusError {}

/** The class of a status. `paying`: the request bore a payment, or its proof. */
export function ofStatus(refusal: Refusal, retryAfter: number | null, paying: boolean): APIStatusError {
  const status = refusal.status_code;
  if (status >= 500) return new ServerError(refusal);
  switch (status) {
    case 400:
      return new BadRequestError(refusal);
    case 401:
      return new AuthenticationError(refusal);
    case 402:
      return paying ? new PaymentDeclinedError(refusal) : new InsufficientRecordsError(refusal);
    case 403:
      return new PlanRequiredError(refusal);
    case 404:
      return new NotFoundError(refusal);
    case 422:
      return new ValidationError(refusal);
    case 429:
      return new RateLimitError(refusal, retryAfter);
    default:
      return new APIStatusError(refusal);
  }
}

/** A member of a JSON object; what is no object has none. The service promises its type. */
export function member<Value>(body: unknown, name: string): Value | undefined {
  return typeof body === 'object' && body !== null ? (body as Record<string, Value>)[name] : undefined;
}

function list<Item>(body: unknown, name: string): Item[] {
  const value = member<unknown>(body, name);
  return Array.isArray(value) ? value : [];
}

// A bundler renames classes, so that their own names are no good for a log.
for (const [name, { prototype }] of Object.entries({
  SluiceError,
  ConfigurationError,
  APIConnectionError,
  APITimeoutError,
  ResponseValidationError,
  APIStatusError,
  BadRequestError,
  AuthenticationError,
  InsufficientRecordsError,
  PaymentDeclinedError,
  PlanRequiredError,
  NotFoundError,
  ValidationError,
  RateLimitError,
  ServerError,
})) {
  Object.defineProperty(prototype, 'name', { value: name, writable: true, configurable: true });
}
