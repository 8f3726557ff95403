import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance, customerWith, daySeconds, subscribe } from './billing.ts';
import { atOnce, type CardNetwork, errorOf, fiveDollars, open, openInbox } from './card-network.ts';

const payment = { ...atOnce, payment_method: 'pm_card_visa' };
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

describe('with a data folder', () => {
  it('finds after a restart what was paid, and what each key was answered', async () => {
    const before = await open({ dataDir });
    const paid = await before.stripe.paymentIntents.create(
      { ...payment, metadata: { order: 'o' } },
      { idempotencyKey: 'k' },
    );
    const session = await before.stripe.checkout.sessions.create(fiveDollars());
    await before.close();
    for (const _ of [1, 2]) {
      const after = await open({ dataDir });
      expect(await after.stripe.paymentIntents.retrieve(paid.id)).toEqual(paid);
      expect(
        (
          await after.stripe.paymentIntents.create(
            { ...payment, metadata: { order: 'o' } },
            { idempotencyKey: 'k' },
          )
        ).id,
      ).toBe(paid.id);
      expect(
        (await after.stripe.paymentIntents.search({ query: "metadata['order']:'o'" })).data,
      ).toHaveLength(1);
      expect((await after.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open');
      await after.close();
    }
  });

  it('finds after a restart its clock, and the subscriptions that renew by it', async () => {
    const before = await open({ dataDir });
    const { customer } = await customerWith(before);
    const { id } = await subscribe(before, customer);
    await advance(before, 20);
    const lead = (network: CardNetwork) =>
      fetch(`${network.url}/_sandbox/clock`).then((answer) => answer.json());
    await before.close();
    const after = await open({ dataDir });
    expect(await lead(after)).toMatchObject({ ahead_seconds: 20 * daySeconds });
    expect((await after.stripe.invoices.list({ subscription: id })).data).toHaveLength(1);
    await advance(after, 13);
    expect((await after.stripe.invoices.list({ subscription: id, status: 'paid' })).data).toHaveLength(2);
    await after.close();
  });

  it('goes on with a notice that was not taken', async () => {
    const inbox = await openInbox();
    const webhook = { url: inbox.url, secret: inbox.secret };
    const before = await open({ dataDir, webhook });
    await before.order('/webhooks/pause');
    const { id } = await before.stripe.customers.create();
    await before.close();
    const after = await open({ dataDir, webhook });
    expect(await inbox.until(1)).toMatchObject([{ type: 'customer.created', data: { object: { id } } }]);
    await after.close();
    await inbox.close();
  });

  it('leaves out a last line that a crash cut short', async () => {
    const before = await open({ dataDir });
    const { id } = await before.stripe.customers.create();
    await before.close();
    const journal = join(dataDir, 'sandbox.jsonl');
    await appendFile(journal, '[["customers","cus_half",{"id":"cus_h');
    const after = await open({ dataDir });
    expect((await after.stripe.customers.list()).data.map((customer) => customer.id)).toEqual([id]);
    await after.close();
    expect(await readFile(journal, 'utf8')).not.toContain('cus_half');
  });

  it('keeps no card number', async () => {
    const network = await open({ dataDir });
    const session = await network.stripe.checkout.sessions.create(fiveDollars());
    const fields = {
      email: 'a@example.com',
      number: '4242424242424242',
      expiry: '12/40',
      cvc: '987',
      name: 'A',
    };
    await fetch(`${network.url}${new URL(session.url ?? '').pathname}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    await network.close();
    const journal = await readFile(join(dataDir, 'sandbox.jsonl'), 'utf8');
    expect(journal).toContain('"last4":"4242"');
    expect(journal).not.toContain('4242424242424242');
    // Whole, as ids may have these digits in them.
    expect(journal).not.toMatch(/\b987\b/);
  });
});

describe('the process', () => {
  const main = new URL('../src/main.ts', import.meta.url);

  function run(env: Record<string, string>) {
    const child = fork(main, {
      env: { PATH: process.env.PATH, SANDBOX_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const said = { out: '', err: '' };
    child.stdout?.on('data', (data) => {
      said.out += data;
    });
    child.stderr?.on('data', (data) => {
      said.err += data;
    });
    return { child, said };
  }

  it('says in one line that it is ready, drains on SIGTERM, and has then kept everything', async () => {
    const { child, said } = run({ SANDBOX_DATA: dataDir });
    const [message] = await once(child, 'message');
    expect(message).toEqual({ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    const made = await fetch(`${message.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_x' },
    });
    const { id } = (await made.json()) as { id: string };
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said.out.trim().split('\n')).toHaveLength(1);
    expect(said.err).toBe('');
    const after = await open({ dataDir });
    expect((await after.stripe.customers.retrieve(id)).id).toBe(id);
    await after.close();
  });

  it('has kept what it answered even when it is killed', async () => {
    const { child } = run({ SANDBOX_DATA: dataDir });
    const [{ url }] = await once(child, 'message');
    const made = await fetch(`${url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_x' },
    });
    const { id } = (await made.json()) as { id: string };
    child.kill('SIGKILL');
    await once(child, 'close');
    const after = await open({ dataDir });
    expect((await after.stripe.customers.retrieve(id)).id).toBe(id);
    await after.close();
  });

  it('ends when its parent goes', async () => {
    const { child } = run({});
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('names every setting that is wrong, and does not start', async () => {
    const { child, said } = run({
      SANDBOX_PORT: 'many',
      SANDBOX_WEBHOOK_URL: 'ftp://x',
      SANDBOX_WEBHOOK_SECRET: 'x',
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const name of ['SANDBOX_PORT', 'SANDBOX_WEBHOOK_URL', 'SANDBOX_WEBHOOK_SECRET'])
      expect(said.err).toContain(name);
  });

  it('gives its pages the public address', async () => {
    const network = await open({ publicUrl: 'https://cards.example.com' });
    const session = await network.stripe.checkout.sessions.create(fiveDollars());
    expect(session.url).toBe(`https://cards.example.com/c/pay/${session.id}`);
    await network.close();
    expect(await errorOf(network.stripe.balance.retrieve())).toMatchObject({ type: 'StripeConnectionError' });
  });
});
