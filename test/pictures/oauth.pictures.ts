import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { Studio, unfold } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

const verifier = 'a-verifier-that-is-long-enough-for-the-standard-0123456789';
const returnsTo = 'http://127.0.0.1:9/callback';

/** The path by which an application asks for access, after it has registered. */
async function asked(change: Record<string, string> = {}): Promise<string> {
  const { body } = await Customer.send({
    ...{ method: 'POST', url: `${studio.shop.url}/oauth2/register` },
    headers: { 'content-type': 'application/json' },
    body: { client_name: 'Stock assistant', redirect_uris: [returnsTo] },
  });
  const query = {
    ...{ response_type: 'code', client_id: body.client_id, redirect_uri: returnsTo, state: 's' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...{ code_challenge_method: 'S256', ...change },
  };
  return `/oauth2/authorize?${new URLSearchParams(query)}`;
}

/** Sends the code as the application does, which then is connected. */
async function exchanged(path: string, code: string): Promise<void> {
  const client = new URL(path, studio.shop.url).searchParams.get('client_id') ?? '';
  const answer = await fetch(`${studio.shop.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id: client },
      ...{ redirect_uri: returnsTo, code_verifier: verifier },
    }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

test('an application asks for access', async () => {
  const group = 'Connect an application';
  const stranger = await studio.visitor();
  await studio.shot(stranger, group, 'signed out', async () => studio.go(stranger, await asked()));
  await studio.shot(stranger, group, 'signed out, all open', () => unfold(stranger));
  await studio.shot(stranger, group, 'link asked', async () => {
    await stranger
      .getByLabel('Your email address')
      .or(stranger.locator('#email'))
      .first()
      .fill('new@example.com');
    await stranger.getByRole('button', { name: 'Send me a link' }).click();
  });
  const unsaved = await studio.account();
  await studio.shot(unsaved, group, 'account without an email', async () =>
    studio.go(unsaved, await asked()),
  );
  const owner = await studio.account('connects@example.com');
  await studio.shot(owner, group, 'signed in', async () => studio.go(owner, await asked()));
  await studio.paid(owner, 'credit', '5.00');
  await studio.shot(owner, group, 'signed in with credit', async () => studio.go(owner, await asked()));
  await studio.shot(owner, group, 'another address to return to', async () =>
    studio.go(owner, await asked({ redirect_uri: 'https://evil.example/callback' })),
  );
  await studio.visits(owner, group, { 'unknown application': '/oauth2/authorize?client_id=nope' });
  const path = await asked();
  await studio.go(owner, path);
  const returned = owner.waitForRequest(`${returnsTo}?*`);
  await owner.getByRole('button', { name: /allow/i }).first().click({ noWaitAfter: true });
  await exchanged(path, new URL((await returned).url()).searchParams.get('code') ?? '');
  const after = await owner.context().newPage();
  await studio.visits(after, 'Settings', { 'application connected': '/shop/account/settings' });
  await studio.shot(after, 'Settings', 'question before an application is disconnected', () =>
    after.getByRole('button', { name: 'Disconnect Stock assistant' }).click(),
  );
  await studio.shot(after, 'Settings', 'application disconnected', () =>
    after.getByRole('button', { name: 'Disconnect', exact: true }).click(),
  );
  studio.expectAll();
});
