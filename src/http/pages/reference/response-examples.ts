import * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import type { Operation } from '../../../catalog/operation.ts';
import * as PriceWords from '../../../catalog/price-words.ts';
import { callRefusal } from '../../call-refusal.ts';
import { unidentified } from '../../common-refusals.ts';
import type { Samples } from '../code-block.ts';
import * as Examples from './examples.ts';
import type { OperationPage } from './outline.ts';
import { firstSentence, isSuccess } from './refusals.ts';
import type { ReferenceWriter } from './writer.ts';

/** The tabs that the styles show. */
const examplesMax = 4;
/** The refusals to show first: about money, about the request and about its rate. */
const leading = ['402', '422', '429'];
export const requestId = 'req_6f0c2a4b8d1e4f7390a5c6b7d8e9f012';
const account = 'acc_3f9c1a7e5b2d4860a1c8e0f24b6d9753';
/** A description of all other errors: it has no body of its own to show. */
const anyRefusal = '#/components/responses/StorefrontRefused';

/**
 * Examples of responses by their status: the success first, then errors that have a body of their own. A wallet that proves itself gets
 * the 402 first.
 */
export function responseExamples(write: ReferenceWriter, page: OperationPage): Samples {
  const { operation } = page.entry;
  const own = ownRefusals(write, page);
  const all = Object.entries(Schema.node(operation.responses)).flatMap(([status, response]) => {
    const code = /^\d{3}$/.test(status) ? exampleOf(write, own, status, response) : null;
    return code === null ? [] : [{ language: status, code }];
  });
  const successes = all.filter(({ language }) => isSuccess(language)).slice(0, 1);
  const refusals = all
    .filter(({ language }) => !isSuccess(language))
    .sort((a, b) => rank(a.language) - rank(b.language))
    .slice(0, examplesMax - successes.length)
    .sort((a, b) => Number(a.language) - Number(b.language));
  return isProof(operation) ? [...refusals, ...successes] : [...successes, ...refusals];
}

/** Returns true for an operation that takes the signature of a wallet instead of a bearer. */
export function isProof({ security }: Schema.Node): boolean {
  const names = Schema.list(security).flatMap((need) => Object.keys(Schema.node(need)));
  return names.length > 0 && !names.includes('planAccess');
}

function rank(status: string): number {
  const at = leading.indexOf(status);
  return at < 0 ? leading.length : at;
}

function exampleOf(
  write: ReferenceWriter,
  own: ReadonlyMap<string, object | null>,
  status: string,
  response: unknown,
): string | null {
  const known = own.get(status);
  if (known === null || Schema.node(response).$ref === anyRefusal) return null;
  if (known !== undefined) return JSON.stringify(known, null, 2);
  const code = Examples.responseExample(write, response);
  // A message without an example of its own says what the status means.
  const meaning = JSON.stringify(firstSentence(Schema.text(write.read(response).description)));
  return isSuccess(status) || meaning === '""'
    ? code
    : (code?.replace('"message": "example"', () => `"message": ${meaning}`) ?? null);
}

/** Returns the bodies of the refusals that the shop itself sends, by status; null for one that the operation never has. */
function ownRefusals(write: ReferenceWriter, { sold, entry }: OperationPage): Map<string, object | null> {
  const bearer = unidentified(write, { kind: 'absent' }, entry.method, entry.path, requestId);
  const known = new Map<string, object | null>([['401', bearer.body]]);
  if (sold === null) return known;
  const isFree = PriceWords.isFreeCall(sold);
  return known
    .set('402', isFree ? null : exhausted(write, sold))
    .set('403', isFree ? null : uncovered(write, sold));
}

function exhausted(write: ReferenceWriter, sold: Operation): object {
  const { unitsMax, service } = sold;
  const most = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  return refused(write, sold, {
    kind: 'exhausted',
    required: Money.times(service.price, most),
    available: Money.zero,
    affordableUnits: 0,
    resetsMs: null,
  });
}

function uncovered(write: ReferenceWriter, sold: Operation): object {
  return refused(write, sold, { kind: 'no_plan' });
}

/** The body of a refusal, with the first of its plans. */
function refused(
  { texts, catalog, publicUrl }: ReferenceWriter,
  sold: Operation,
  refusal: Parameters<typeof callRefusal>[2],
): object {
  // An example needs no secret: its reference to an account is not valid.
  const context = { texts, catalog, publicUrl, challengeSecrets: { current: '' } };
  const { body } = callRefusal(context, sold, refusal, account, requestId);
  return { ...body, plans: Schema.list(body.plans).slice(0, 1) };
}
