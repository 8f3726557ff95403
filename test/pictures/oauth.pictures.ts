import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import { Studio, sections } from './studio.ts';
import { Visitor } from './visitor.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

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
  const stranger = await studio.visitor(group);
  await stranger.see(await asked(), 'signed out');
  await stranger.shot('signed out, all open', () => stranger.unfoldAll());
  await stranger.submit(null, { '#email': 'new@example.com' }, 'Send me a link', 'link asked');
  const unsaved = await studio.account(group);
  await unsaved.see(await asked(), 'account without an email');
  const owner = await studio.account(group, 'connects@example.com');
  await owner.see(await asked(), 'signed in');
  await owner.paid('credit', '5.00');
  const foreign = { redirect_uri: 'https://evil.example/callback' };
  await owner.visits({
    'signed in with credit': await asked(),
    'another address to return to': await asked(foreign),
    'unknown application': '/oauth2/authorize?client_id=nope',
  });
  const path = await asked();
  await owner.open(path);
  const returned = owner.page.waitForRequest(`${returnsTo}?*`);
  await owner.page.getByRole('button', { name: /allow/i }).first().click({ noWaitAfter: true });
  await exchanged(path, new URL((await returned).url()).searchParams.get('code') ?? '');
  const after = new Visitor(await owner.page.context().newPage(), 'Settings');
  await after.see(sections.Settings, 'application connected');
  await after.shot('question before an application is disconnected', () =>
    after.press('Disconnect Stock assistant'),
  );
  await after.shot('application disconnected', () => after.press('Disconnect'));
});
