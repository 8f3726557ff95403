import * as Match from '../catalog/match.ts';
import type { Operation } from '../catalog/operation.ts';
import * as Account from '../journeys/account.ts';
import { identify } from '../journeys/identification.ts';
import * as PaidAnswer from '../journeys/paid-answer.ts';
import * as PaidCall from '../journeys/paid-call.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Money from '../kernel/money.ts';
import * as Headers from '../relay/headers.ts';
import * as Target from '../relay/target.ts';
import { type Call, requestId } from './edge.ts';
import * as Refusal from './refusal.ts';
import { json, type Reply } from './reply.ts';

/** What a page shows of a call: its answer as text, or why there is none. */
export type Trial =
  | { kind: 'answer'; status: number; body: string; isCut: boolean; line: string }
  | { kind: 'refusal'; message: string };

/** Of an answer so much is read for a page, and so much of it shown. */
const answerBytesMax = 4 * 1024 * 1024;
const shownCharsMax = 12_000;

/** A sold operation, called from a page by its visitor: the same journey as over HTTP, with the same refusals and charges. */
export async function make(
  shop: Shop,
  matcher: Match.Matcher,
  c: Call,
  { operation, path, body, token }: { operation: Operation; path: string; body: string; token: string },
): Promise<Trial> {
  const bearer = await identify(shop, `Bearer ${token}`, shop.clock());
  if (bearer.kind === 'frozen') return refusal(Refusal.frozen(requestId(c)));
  if (bearer.kind !== 'token') return refusal(Refusal.unanswerable(requestId(c)));
  const { account } = bearer.claims;
  const target = Target.parse(path.trim());
  const found = target && Match.find(matcher, operation.method, target.path);
  if (target === null || found?.kind !== 'operation' || found.operation !== operation)
    return { kind: 'refusal', message: `This is no path of ${operation.id}.` };
  if (operation.answeredBy === 'storefront')
    return shown(json(200, await Account.keyInfo(shop, account, requestId(c))).body, 200, 'Free.');
  c.get('entry').account = account;
  const outcome = await PaidCall.run(
    shop,
    {
      operation,
      account,
      callerKey: null,
      target,
      rawHeaders: [
        'accept',
        'application/json',
        ...(body === '' ? [] : ['content-type', 'application/json']),
      ],
      body: Buffer.from(body),
      ceiling: null,
      key: null,
      span: c.get('entry').span,
      wantsReceipt: false,
    },
    (sending) => c.env.outgoing.once('close', () => sending.abandon()),
  );
  switch (outcome.kind) {
    case 'answered':
      return deliver(shop, c, operation, outcome);
    case 'left':
    case 'replayed':
      return { kind: 'refusal', message: 'This call was given up.' };
    default:
      return refusal(Refusal.ofCall(shop, operation, outcome, requestId(c)));
  }
}

async function deliver(shop: Shop, c: Call, { service }: Operation, paid: PaidCall.Answered): Promise<Trial> {
  const entry = c.get('entry');
  entry.call = paid.callId;
  const { outgoing } = c.env;
  const body = await PaidAnswer.whole(paid, answerBytesMax);
  if (body === null || outgoing.destroyed) {
    paid.brokenOff();
    return {
      kind: 'refusal',
      message: 'This answer is too long for a page, or broke off. Nothing was charged.',
    };
  }
  // The page is the answer: a fault on the way to it costs nothing, and what we still hold dies with us.
  outgoing.once('close', () => {
    const isShown = outgoing.headersSent && outgoing.statusCode < 400;
    isShown ? paid.delivered() : paid.brokenOff();
  });
  entry.service = service.slug;
  entry.units = paid.units;
  entry.costMicroUsd = paid.cost.cost;
  const type = Headers.first(await PaidAnswer.headers(shop, paid), 'content-type') ?? '';
  const { cost, balance, includedRemaining } = paid.cost;
  const line = `${paid.units} ${service.unit}${paid.units === 1 ? '' : 's'}, ${Money.formatExact(cost)} USD. Left: ${Money.formatExact(balance)} USD and ${includedRemaining} included units.`;
  const text = /^text\/|json|xml/i.test(type)
    ? body.toString()
    : `${body.length} bytes of ${type || 'no type'}`;
  return shown(text, paid.answer.status, line);
}

function shown(value: unknown, status: number, line: string): Trial {
  const text = pretty(value);
  const isCut = text.length > shownCharsMax;
  return { kind: 'answer', status, body: isCut ? text.slice(0, shownCharsMax) : text, isCut, line };
}

function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

function refusal({ body }: Reply): Trial {
  return { kind: 'refusal', message: String(body.message) };
}
