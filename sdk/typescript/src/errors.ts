import type { FairUsage } from './records.ts';
import type { PlanOffer } from './storefront-records.ts';

/** Base class of all errors of this package. An aborted signal throws its own reason instead. */
export class SluiceError extends Error {
  /** Items that `collect` had received, and paid for, before it failed. */
  declare partial?: PartialList;
}

/** The beginning of a list. */
export interface PartialList {
  items: unknown[];
  /** Cursor to continue from, with the same filters; null for the beginning, and for a list without cursors. */
  cursor: string | null;
}

/** Invalid options or arguments. Nothing was sent. */
export class ConfigurationError extends SluiceError {}

/** No response: the service was not reached, or the connection broke. `cause` has the error of the runtime. */
export class APIConnectionError extends SluiceError {}

/** No response within the timeout. */
export class APITimeoutError extends APIConnectionError {}

/** A success without the expected JSON, or a cursor that does not advance. */
export class ResponseValidationError extends SluiceError {}

/** An event of a stream that reports an error. The events before it have been delivered. */
export class StreamError extends SluiceError {
  /** A storefront's error code, such as `credit_exhausted`. */
  readonly code: string | null;
  /** The data of the event. */
  readonly body: unknown;
  /** Quote it to support. */
  readonly request_id: string | null;

  constructor({ message, code, body, request_id }: Omit<Refusal, 'status_code'>) {
    super(message);
    this.code = code;
    this.body = body;
    this.request_id = request_id;
  }
}

/** A webhook that must not be trusted: its signature, its time or its form is wrong. */
export class WebhookVerificationError extends SluiceError {}

/** Members of every error response. */
export interface Refusal {
  status_code: number;
  /** The JSON value, or the text if it is not JSON. */
  body: unknown;
  message: string;
  /** Quote it to support. */
  request_id: string | null;
  /** A storefront's error code, such as `credit_exhausted`. It is stable; `message` is not. */
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

/** 401: the credential is missing or invalid. A storefront's body explains how to register. */
export class AuthenticationError extends APIStatusError {}

/** 402: the remaining records or credit do not cover the call. */
export class InsufficientRecordsError extends APIStatusError {
  /** The remaining records and their reset time; null at a storefront. */
  readonly fair_usage: FairUsage | null;
  /** Plans that a storefront offers. */
  readonly plans: PlanOffer[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.fair_usage = member<FairUsage>(refusal.body, 'fair_usage') ?? null;
    this.plans = list(refusal.body, 'plans');
  }
}

/** 402: the payment was declined. The body has a fresh challenge. */
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

/** 404: unknown key or route. Data that is not found is no error: `found` is false. */
export class NotFoundError extends APIStatusError {}

/** Error in one field of a request. */
export interface FieldError {
  /** The path, such as `job.seniority.include[0]`; `body` for the whole. */
  field: string;
  /** Describes the error and names the nearest valid name or value. */
  message: string;
}

/** 422: unknown fields or invalid values. Nothing was executed or charged. */
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
  /** Seconds to wait, at most 120; null if the service names none. */
  readonly retry_after: number | null;

  constructor(refusal: Refusal, retryAfter: number | null) {
    super(refusal);
    this.retry_after = retryAfter;
  }
}

/** 5xx, after the retries: the service failed. */
export class ServerError extends APIStatusError {}

/** Returns the error for a status. `paying`: the request carried a payment or a proof. */
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

/** Returns a member of a JSON object, or undefined for other values. The service guarantees its type. */
export function member<Value>(body: unknown, name: string): Value | undefined {
  return typeof body === 'object' && body !== null ? (body as Record<string, Value>)[name] : undefined;
}

function list<Item>(body: unknown, name: string): Item[] {
  const value = member<unknown>(body, name);
  return Array.isArray(value) ? value : [];
}

// Bundlers rename classes, so set the names for logs explicitly.
for (const [name, { prototype }] of Object.entries({
  SluiceError,
  ConfigurationError,
  APIConnectionError,
  APITimeoutError,
  ResponseValidationError,
  StreamError,
  WebhookVerificationError,
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
