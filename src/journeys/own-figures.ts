import * as JsonEdit from '@sluice/kernel/json-edit';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { Operation } from '../catalog/operation.ts';
import type { Figure, ResponseField } from '../catalog/response-field.ts';
import type { Cost } from '../ledger/hold.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as ByteOrderMark from '../proxy/byte-order-mark.ts';
import * as ContentCoding from '../proxy/content-coding.ts';
import * as Headers from '../proxy/headers.ts';
import { responseBytesMax, type UncountableReason } from '../proxy/meter.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type * as RateLimit from '../proxy/rate-limit.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import type { PaidCall } from './call-request.ts';
import type { PricedResponse } from './response-price.ts';

/** The rate limit of an account for an operation, and its state after the call. */
export type Pace = { perSecond: number; rate: RateLimit.RateLimitResult };
/** The caller's own figures at the time of a response. */
type Figures = Pace & { units: number | null; cost: Cost };

type Uncountable = { kind: 'response_uncountable'; reason: UncountableReason };

/** Header fields that describe the bytes of the body as the upstream sent it (RFC 9110, RFC 9530). */
const aboutBytes: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'digest',
  'etag',
  'repr-digest',
]);

/**
 * Replaces the operator's figures in a response by the caller's. A response that cannot be edited is refused, and its hold released.
 * Returns the response itself, without a promise, where nothing is to be replaced.
 */
export function withOwnFigures(
  shop: Pick<CatalogContext, 'catalog'> & Pick<ProxyContext, 'uncountable'> & Pick<LedgerContext, 'writer'>,
  { operation }: Pick<PaidCall, 'operation'>,
  { hold, units, measured }: PricedResponse,
  response: WholeResponse | StreamedResponse,
  pace: Pace,
): WholeResponse | StreamedResponse | Promise<WholeResponse | Uncountable> {
  const { responseFields } = shop.catalog.upstream;
  if (!appliesTo(responseFields, response)) return response;
  // The units of a metered call are micro-dollars.
  const shown = measured?.quantities === undefined ? units : null;
  const figures = { units: shown, cost: shop.writer.cost(hold, units), ...pace };
  return replace(responseFields, operation, response, figures).then(
    (edited) => {
      if (edited !== null) return edited;
      shop.writer.release(hold);
      const reason = response.kind === 'stream' ? 'not_whole' : 'undecodable';
      shop.uncountable({ call: hold.callId, operation: operation.id, reason });
      return { kind: 'response_uncountable', reason };
    },
    (fault: unknown) => {
      shop.writer.release(hold);
      throw fault;
    },
  );
}

/** Returns true when the fields of a response are replaced: it is JSON and has a body. */
function appliesTo(fields: readonly ResponseField[], response: WholeResponse | StreamedResponse): boolean {
  if (fields.length === 0 || !Headers.isJson(response.headers)) return false;
  return response.kind === 'stream' || response.body.length > 0;
}

/**
 * Replaces the operator's figures in a JSON response by the caller's. A body that is not JSON is returned as it is.
 * @returns null where the response cannot be read: it is too long to be held, or its content coding is broken
 */
async function replace(
  fields: readonly ResponseField[],
  operation: Operation,
  response: WholeResponse | StreamedResponse,
  figures: Figures,
): Promise<WholeResponse | null> {
  if (response.kind === 'stream') return null;
  const codings = ContentCoding.parse(response.headers);
  if (codings === 'unknown') return null;
  const body =
    codings.length === 0
      ? response.body
      : await ContentCoding.decode(response.body, codings, responseBytesMax);
  if (body === null) return null;
  const edits = fields.map(({ pointer, value }) => ({
    pointer,
    json: value === 'remove' ? null : JSON.stringify(figureOf(value, operation, figures)),
  }));
  const edited = JsonEdit.edit(body, ByteOrderMark.lengthOf(body), edits);
  if (edited === null || edited === body) return response;
  return { ...response, headers: framed(response.headers, edited.length), body: edited };
}

function figureOf(
  figure: Figure,
  { service }: Operation,
  { units, cost, perSecond, rate }: Figures,
): number | string | null {
  switch (figure) {
    case 'units':
      return service.metering === undefined ? units : null;
    case 'units_remaining':
      if (service.metering !== undefined) return null;
      return (
        cost.includedRemaining +
        (service.price === 0 ? 0 : Math.floor((cost.balance + (cost.includedUsd ?? 0)) / service.price))
      );
    case 'cost_usd':
      return Money.formatExact(cost.cost);
    case 'balance_usd':
      return Money.formatExact(cost.balance);
    case 'requests_per_second':
      return perSecond;
    case 'requests_remaining':
      return Math.min(rate.remaining, perSecond - 1);
    case 'resets_at':
      return cost.resetsMs === null ? null : new Date(cost.resetsMs).toISOString();
  }
}

/** Returns the headers of a response whose body was changed: those that describe its former bytes are left out. */
export function framed(headers: readonly string[], length: number): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!aboutBytes.has(name.toLowerCase())) kept.push(name, headers[at + 1] as string);
  }
  kept.push('content-length', String(length));
  return kept;
}
