import * as Charge from './charge.ts';
import type { Clock } from './clock.ts';
import * as Errors from './errors.ts';
import * as RetryAfter from './retry-after.ts';

/** A response of any status, read to its end. */
export type Reply = {
  status: number;
  url: string;
  headers: Headers;
  /** The JSON value, or the text if it is not JSON. */
  body: unknown;
  /** A storefront's error code. */
  code: string | null;
  /** The requested wait, within limits. */
  retryAfterMs: number | null;
  /** The body of a stream, which has not been read yet. */
  chunks?: AsyncGenerator<Uint8Array, void, undefined>;
};

/** Reads a response to its end. */
export async function read(response: Response, url: string, clock: Clock): Promise<Reply> {
  const { status, headers } = response;
  const body = json(await response.text());
  const retryAfterMs = RetryAfter.waitMs(headers.get('retry-after'), clock.now());
  return { status, url, headers, body, code: text(body, 'code'), retryAfterMs };
}

/** Returns a response whose body is read later, as a stream. */
export function open(
  { status, headers }: Response,
  url: string,
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
): Reply {
  return { status, url, headers, body: null, code: null, retryAfterMs: null, chunks };
}

/** Returns the JSON object of a success. Throws the error of any other status, and `ResponseValidationError` without an object. */
export function success<Answer extends object>(reply: Reply, paying = false): Answer {
  const { status, url, body } = reply;
  if (status < 200 || status > 299) throw refusal(reply, paying);
  if (!isObject(body))
    throw new Errors.ResponseValidationError(`HTTP ${status} from ${url} is not a JSON object`);
  Charge.keep(body, reply.headers);
  return body as Answer;
}

/** Returns true for a JSON object, false for a list or another value. */
export function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

function refusal(
  { status, url, headers, body, code, retryAfterMs }: Reply,
  paying: boolean,
): Errors.APIStatusError {
  const fairUsage = Errors.member<unknown>(body, 'fair_usage');
  return Errors.ofStatus(
    {
      status_code: status,
      body,
      message: text(body, 'message') || `HTTP ${status} from ${url}`,
      request_id: headers.get('x-request-id') ?? text(body, 'request_id') ?? text(fairUsage, 'request_id'),
      code,
    },
    retryAfterMs === null ? null : retryAfterMs / 1000,
    paying,
  );
}

function text(body: unknown, name: string): string | null {
  const value = Errors.member<unknown>(body, name);
  return typeof value === 'string' ? value : null;
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
