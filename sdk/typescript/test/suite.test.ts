import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as Client from 'sluice-client';
import type { Case, ExpectedError, Step } from './suite-case.ts';
import * as SuiteCase from './suite-case.ts';
import { World } from './suite-world.ts';

const ofType: Record<string, new (...args: never[]) => Error> = {
  configuration: Client.ConfigurationError,
  connection: Client.APIConnectionError,
  timeout: Client.APITimeoutError,
  response_validation: Client.ResponseValidationError,
  status: Client.APIStatusError,
  bad_request: Client.BadRequestError,
  authentication: Client.AuthenticationError,
  insufficient_records: Client.InsufficientRecordsError,
  payment_declined: Client.PaymentDeclinedError,
  plan_required: Client.PlanRequiredError,
  not_found: Client.NotFoundError,
  validation: Client.ValidationError,
  rate_limit: Client.RateLimitError,
  server: Client.ServerError,
  stream: Client.StreamError,
  webhook_verification: Client.WebhookVerificationError,
};

/** Account methods whose arguments are only an id, or nothing. */
const withoutFields = new Set(
  ['key_info', 'overview', 'call', 'receipt_document', 'invoice', 'keys', 'revoke_key', 'purchase']
    .concat(['refund_request', 'auto_top_up', 'cancel_plan', 'resume_plan'])
    .concat(['cancel_subscription', 'resume_subscription', 'subscription_card'])
    .map((name) => `account.${name}`),
);

for (const { file, about, cases } of SuiteCase.all()) {
  describe(`${file}: ${about}`, () => {
    for (const one of cases) it(one.name, () => run(one));
  });
}

async function run(one: Case): Promise<void> {
  const world = new World(one);
  const injected = { fetch: world.fetch, clock: world.clock, random: world.random };
  const options = { ...(one.client ?? { api_key: 'sk_test', base_url: 'https://api.test' }), ...injected };
  const before = { ...process.env };
  for (const name of ['SLUICE_API_KEY', 'SLUICE_ACCESS_TOKEN', 'SLUICE_BASE_URL']) delete process.env[name];
  Object.assign(process.env, one.env);
  try {
    if (one.error) {
      assert.throws(
        () => new Client.Sluice(options),
        (fault) => isExpected(fault, one.error as ExpectedError),
      );
      return;
    }
    const isNeeded = one.steps?.some(({ call }) => !['register', 'verify_webhook'].includes(call));
    const sluice = isNeeded ? new Client.Sluice(options) : null;
    for (const step of one.steps ?? []) await check(step, () => perform(step, sluice, injected));
  } finally {
    world.end();
    process.env = before;
  }
}

async function check(step: Step, perform: () => AsyncGenerator<unknown>): Promise<void> {
  const seen: unknown[] = [];
  const work = async () => {
    for await (const value of perform()) seen.push(value);
  };
  if (step.error) {
    await assert.rejects(work, (fault) => isExpected(fault, step.error as ExpectedError));
    if (step.before) assert.deepEqual(seen, step.before);
  } else {
    await work();
    if ('result' in step) assert.deepEqual(step.take ? seen : seen[0], step.result);
  }
}

/** All that the step's caller sees: an answer, or items or pages. */
async function* perform(
  { call, with: fields = {}, options, take, charge }: Step,
  sluice: Client.Sluice | null,
  injected: { clock: Client.Clock },
) {
  const { goal, plan, ...rest } = fields;
  const { id, ...withoutId } = fields;
  if (call === 'register') yield Client.Sluice.register({ ...fields, ...injected }, options);
  else if (call === 'plans') yield sluice?.plans(options);
  else if (call === 'quote') yield sluice?.quote(String(goal), rest, options);
  else if (call === 'purchase') yield sluice?.purchase(String(plan), rest, options);
  else if (call === 'verify_webhook') {
    type Arguments = Record<'body' | 'headers' | 'secret', never>;
    const { body, headers, secret, ...bounds } = fields as Arguments;
    yield Client.verifyWebhook(body, headers, secret, { ...bounds, now: injected.clock.now() });
  } else if (call === 'stream') {
    const { path, fields: body } = fields as { path: string; fields?: object };
    const stream = sluice?.stream(path, body, options);
    assert.ok(stream);
    try {
      yield* stream;
    } finally {
      if (charge !== undefined) assert.deepEqual(await stream.charge(), charge);
    }
  } else {
    const [space, method] = call.split('.') as ['search', 'people'];
    const hasFields = !withoutFields.has(call);
    const args = [...(id === undefined ? [] : [id]), ...(hasFields ? [withoutId] : []), options];
    const list = sluice?.[space][method](...(args as [object]));
    assert.ok(list);
    const { items, pages } = take ?? {};
    if (pages) yield* list.iter_pages(pages);
    else if (items?.max_items !== undefined) yield* await list.collect(items);
    else if (items) yield* list;
    else yield await list;
  }
}

function isExpected(fault: unknown, { type, message, ...members }: ExpectedError): boolean {
  assert.ok(fault instanceof Error);
  assert.equal(fault.constructor, ofType[type], `${fault.name}: ${fault.message}`);
  if (typeof message === 'string') assert.equal(fault.message, message);
  else if (message) assert.match(fault.message, new RegExp(message.matches));
  const found: Record<string, unknown> = { ...fault };
  for (const [name, expected] of Object.entries(members)) assert.deepEqual(found[name], expected, name);
  return true;
}
