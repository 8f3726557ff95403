import * as JsonPointer from '@sluice/kernel/json-pointer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const requestsMax = 6;
const bytesMax = 20 * 1024;
let shop: Shop.Shop;

beforeAll(async () => {
  shop = await Shop.open();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(() => shop?.stop());

/**
 * A program that knows only a URL, a goal in words, HTTP and the `Payment` scheme. It knows no path and no member of any catalogue, and
 * learns everything else from responses.
 */
type Traveller = {
  /** Values learned for the placeholders `{name}`. */
  known: Record<string, string>;
  /** Number of requests made so far, and of bytes read. */
  requests: number;
  bytes: number;
};

async function send(traveller: Traveller, request: Customer.Request): Promise<Customer.Answer> {
  const text = JSON.stringify(request).replace(
    /\{(\w+)\}/g,
    (whole, name: string) => traveller.known[name] ?? whole,
  );
  const filled = JSON.parse(text) as Customer.Request;
  // Headers whose placeholder is still unknown are omitted.
  const headers = Object.entries(filled.headers ?? {}).filter(([, value]) => !value.includes('{'));
  const body = filled.body ?? undefined;
  const answer = await Customer.send({ ...filled, headers: Object.fromEntries(headers), body });
  traveller.requests += 1;
  traveller.bytes += Buffer.byteLength(answer.text);
  return answer;
}

type Step = {
  do: string;
  request: Customer.Request;
  gives?: Record<string, string>;
  operation?: number;
};
type Advice = {
  status: string;
  steps: Step[];
  operations: { takes: { field: string; from: { operation: number; pointer: string } | null }[] }[];
};

/** Gets from the URL to the advice: the start document describes how to ask. */
async function ask(goal: string): Promise<{ traveller: Traveller; advice: Advice }> {
  const traveller: Traveller = { known: {}, requests: 0, bytes: 0 };
  const start = await send(traveller, { method: 'GET', url: shop.url });
  const request = { ...start.body.ask, url: start.body.ask.url.replace('{goal}', encodeURIComponent(goal)) };
  const { body } = await send(traveller, request);
  return { traveller, advice: body };
}

/** Stores the values that a response supplies. */
function take(traveller: Traveller, pointers: Readonly<Record<string, string>>, answer: unknown): void {
  for (const [name, pointer] of Object.entries(pointers))
    traveller.known[name] = String(JsonPointer.resolve(answer, tokens(pointer)));
}

function tokens(pointer: string): string[] {
  return pointer.split('/').slice(1);
}

/** Pays a priced 402 with a token for one charge, as its challenge describes. */
async function payByToken(
  traveller: Traveller,
  request: Customer.Request,
  offer: Customer.Answer,
): Promise<Customer.Answer> {
  const { challenge } = Agent.readOffer(offer, undefined);
  const spt = await Network.of(shop.sandboxUrl).mint();
  const field = challenge.header ?? 'Authorization';
  const paid = { ...request.headers, [field]: Agent.credential(challenge, { spt }) };
  return send(traveller, { ...request, headers: paid });
}

/** Lets a person pay on the page, then polls the status URL from the response. */
async function payByPerson(
  traveller: Traveller,
  _request: Customer.Request,
  offer: Customer.Answer,
): Promise<Customer.Answer> {
  const page = offer.body.rails.find(({ for: whom }: { for?: string }) => whom?.includes('person'));
  await Customer.pay(page.url);
  const stands = await send(traveller, page.status);
  expect(stands.body.state).toBe('granted');
  return stands;
}

type Pay = typeof payByToken;

/** Carries out all steps in order. An operation that needs a result of an earlier one is called with the first such value. */
async function follow(traveller: Traveller, advice: Advice, pay: Pay): Promise<Customer.Answer[]> {
  const answers: Customer.Answer[] = [];
  for (const step of advice.steps) {
    const { takes = [] } = advice.operations[(step.operation ?? 0) - 1] ?? {};
    for (const { field, from } of takes)
      if (from !== null)
        put(step.request.body, field, value(answers[from.operation - 1]?.body, from.pointer));
    let answer = await send(traveller, step.request);
    if (step.do === 'buy' && answer.status === 402) answer = await pay(traveller, step.request, answer);
    expect(answer.status, answer.text).toBeLessThan(300);
    if (step.gives) take(traveller, step.gives, answer.body);
    if (step.operation !== undefined) answers.push(answer);
  }
  return answers;
}

/** Returns the first value at a pointer in which `*` means any item of a list. */
function value(body: unknown, pointer: string): unknown {
  return JsonPointer.resolve(
    body,
    tokens(pointer).map((token) => (token === '*' ? '0' : token)),
  );
}

function put(body: unknown, field: string, given: unknown): void {
  const [name = '', ...deeper] = tokens(field);
  const at = body as Record<string, unknown>;
  if (deeper.length === 0) at[name] = given;
  else put(at[name], `/${deeper.join('/')}`, given);
}

describe('from an address and a goal to a paid result, knowing nothing else', () => {
  test.each([
    '30 companies in Germany that hire data engineers',
    '26 open jobs of data engineers',
    '26 job postings for nurses',
  ])('in six requests and 20 KB, by a token: %s', async (goal) => {
    const { traveller, advice } = await ask(goal);
    expect(advice.status).toBe('quoted');
    const first = advice.steps.findIndex(({ operation }) => operation === 1);
    const [result] = await follow(
      traveller,
      { ...advice, steps: advice.steps.slice(0, first + 1) },
      payByToken,
    );
    expect(traveller.requests).toBeLessThanOrEqual(requestsMax);
    expect(traveller.bytes).toBeLessThanOrEqual(bytesMax);
    expect(result?.body.results_length).toBeGreaterThan(0);
    expect(Number(result?.headers.get('storefront-units'))).toBe(result?.body.results_length);
  });

  test('to the end of a chain, where one call gives what the next one takes', async () => {
    const { traveller, advice } = await ask('30 companies in Germany and the web domain of each page');
    const [companies, domain] = await follow(traveller, advice, payByToken);
    expect(companies?.body.results[0].network_url).toMatch(/^https:/);
    expect(domain?.body.found).toBe(true);
  });

  test('with a person who pays on the page', async () => {
    const { traveller, advice } = await ask('30 companies in Germany that hire data engineers');
    const [result] = await follow(traveller, advice, payByPerson);
    expect(result?.body.results_length).toBeGreaterThan(0);
    expect(traveller.requests).toBeLessThanOrEqual(requestsMax);
  });

  test('on the trial, where that is enough: nothing is bought', async () => {
    const { traveller, advice } = await ask('10 companies in Germany that hire data engineers');
    expect(advice.status).toBe('ready');
    const [result] = await follow(traveller, advice, payByToken);
    expect(result?.headers.get('storefront-plan')).toBe('trial');
    expect(traveller.requests).toBe(4);
  });
});

test('one that skips the steps is led back by what it is refused: who it is, what to buy, how to pay', async () => {
  const { traveller, advice } = await ask('30 companies in Germany that hire data engineers');
  const call = advice.steps.find(({ operation }) => operation === 1)?.request;
  if (call === undefined) throw new Error('nothing to call');
  const stranger = await send(traveller, call);
  expect(stranger.status).toBe(401);
  const { then, ...register } = stranger.body.registration;
  take(traveller, { access_token: then.take }, (await send(traveller, register)).body);
  const { header, value: bearer } = then.send;
  const retry = { ...then.retry, headers: { ...call.headers, [header]: bearer }, body: call.body };

  const poor = await send(traveller, retry);
  expect(poor.status).toBe(402);
  const { purchase } = poor.body.plans[0];
  const bought = await payByToken(traveller, purchase, await send(traveller, purchase));
  expect(bought.status).toBe(200);

  const result = await send(traveller, retry);
  expect(result.status).toBe(200);
  expect(result.body.results_length).toBeGreaterThan(0);
});
