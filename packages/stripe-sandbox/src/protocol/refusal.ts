import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** The body of an error, under `error`, as the API words it. */
export type ApiError = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
};

/** Sets a refusal apart from every object that a caller can make up. */
const refused = Symbol('refused');

/** A request that is turned down; a value, never thrown. */
export type Refusal = { [refused]: true; status: ContentfulStatusCode; error: ApiError };

export function refuse(status: ContentfulStatusCode, error: ApiError): Refusal {
  return { [refused]: true, status, error };
}

/** 400 `invalid_request_error`: the caller's mistake. */
export function invalid(message: string, about: { code?: string; param?: string } = {}): Refusal {
  return refuse(400, { type: 'invalid_request_error', message, ...about });
}

/** 404 `resource_missing` for an id in the path (`param` is then `id`), 400 for an id in a parameter. */
export function missing(noun: string, id: string, param?: string): Refusal {
  const message = `No such ${noun}: '${id}'`;
  const status = param === undefined ? 404 : 400;
  return refuse(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message,
    param: param ?? 'id',
  });
}

export function isRefusal(value: object): value is Refusal {
  return refused in value;
}
