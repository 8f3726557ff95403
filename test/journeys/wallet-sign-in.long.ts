import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as WalletMessage from '../../src/identity/wallet-message.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let facilitator: Facilitator.FacilitatorDouble;
let shop: Shop.Shop;
let other: string;
beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  facilitator = await Facilitator.open();
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
  other = await shop.addStorefront();
});
afterAll(async () => {
  await shop?.stop();
  await Promise.all([facilitator?.close(), upstream?.close()]);
});

let addresses = 0;
/** Each request comes from an address of its own: the limits on addresses are another test's. */
function post(body: unknown, headers: Record<string, string> = {}, url = shop.url, at = '/agent/auth') {
  addresses += 1;
  return Customer.send({
    method: 'POST',
    url: url + at,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `203.0.113.${addresses % 250}`,
      ...headers,
    },
    body,
  });
}

/** The fields of a challenge, as the extension of x402 has them. */
async function challenge() {
  const answer = await post({ type: 'wallet' });
  expect(answer.status).toBe(402);
  const required = JSON.parse(Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString());
  return { answer, required, extension: required.extensions['sign-in-with-x'] };
}

/** Signs in as the shop says it: by the text in the answer. */
async function signIn(wallet: Payer.Payer, url = shop.url, more: object = {}) {
  const asked = await post({ type: 'wallet', address: wallet.address });
  const { message } = asked.body.sign_in;
  const signature = await wallet.signMessage({ message });
  const body = { type: 'wallet', message, signature, ...more };
  return { body, answer: await post(body, {}, url) };
}

/** A purchase by a wallet, without a bearer. */
async function buy(wallet: Payer.Payer, headers: Record<string, string> = {}) {
  const at = '/plans/credit/purchase';
  const offer = await post({}, headers, shop.url, at);
  const required = JSON.parse(Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString());
  const payment = await Payer.pay2(wallet, required.accepts[0], { nowMs: Date.now() }, required.resource);
  return post({}, { ...headers, 'payment-signature': Payer.base64(payment) }, shop.url, at);
}

describe('a wallet', () => {
  test('signs in by the text that the shop gives it, and is the same account the next time', async () => {
    const wallet = Payer.payer();
    const { answer: first } = await signIn(wallet);
    expect(first.status, first.text).toBe(201);
    expect(first.body).toMatchObject({
      registration_type: 'wallet',
      wallet: wallet.address.toLowerCase(),
      accounts: [first.body.account],
    });
    const me = await Customer.call({ token: first.body.access_token }, 'GET', `${shop.url}/account`);
    expect(me.status).toBe(200);
    const { answer: second } = await signIn(wallet, other);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ account: first.body.account, plan: null });
    expect(second.body.registration_id).not.toBe(first.body.registration_id);
  });

  test('signs in by the fields of the x402 extension', async () => {
    const wallet = Payer.payer();
    const { extension } = await challenge();
    const { info, supportedChains } = extension;
    expect(info).toMatchObject({
      domain: new URL(shop.url).host,
      uri: `${shop.url}/agent/auth`,
      version: '1',
    });
    const [{ chainId, type }] = supportedChains;
    const message = createSiweMessage({
      ...info,
      address: wallet.address,
      chainId: Number(chainId.split(':')[1]),
      issuedAt: new Date(info.issuedAt),
      expirationTime: new Date(info.expirationTime),
    });
    const signature = await wallet.signMessage({ message });
    const proof = Payer.base64({ ...info, address: wallet.address, chainId, type, signature });
    const answer = await post({ type: 'wallet' }, { 'sign-in-with-x': proof });
    expect(answer.status, answer.text).toBe(201);
    const again = await post({ type: 'wallet' }, { 'sign-in-with-x': proof }, other);
    expect(again).toMatchObject({ status: 402, body: { code: 'signature_refused', reason: 'wallet_used' } });
  });

  test('opens the account that its payment made, though the answer with the tokens was lost', async () => {
    const wallet = Payer.payer();
    const paid = await buy(wallet);
    expect(paid.status, paid.text).toBe(200);
    const { answer } = await signIn(wallet);
    expect(answer.status).toBe(200);
    expect(answer.body.account).toBe(paid.body.account);
    const me = await Customer.call({ token: answer.body.access_token }, 'GET', `${shop.url}/account`);
    expect(me.body.balance_usd).toBe('0.50');
  });

  test('opens each of the accounts that its payments made, by name', async () => {
    const wallet = Payer.payer();
    const [one, two] = [await buy(wallet), await buy(wallet)];
    const { answer } = await signIn(wallet);
    expect(answer.body).toMatchObject({
      account: one.body.account,
      accounts: [one.body.account, two.body.account],
    });
    const named = await signIn(wallet, other, { account: two.body.account });
    expect(named.answer.body.account).toBe(two.body.account);
  });

  test('does not open an account that it paid for and that was there before, nor that of another wallet', async () => {
    const agent = await Agent.registered(shop.url);
    const wallet = Payer.payer();
    const paid = await buy(wallet, { authorization: `Bearer ${agent.token}` });
    expect(paid.body.account).toBe(agent.account);
    const { answer } = await signIn(wallet);
    expect(answer.body.accounts).not.toContain(agent.account);
    const asked = await signIn(wallet, shop.url, { account: agent.account });
    expect(asked.answer).toMatchObject({ status: 422, body: { errors: [{ field: 'account' }] } });
    const { account: _, ...same } = asked.body as Record<string, unknown>;
    expect((await post(same)).status).toBe(200);
  });

  test('that is new gets one account and one trial from many processes at once', async () => {
    const wallet = Payer.payer();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => signIn(wallet, at % 2 ? other : shop.url)),
    );
    expect(new Set(answers.map(({ answer }) => answer.body.account)).size).toBe(1);
    expect(answers.filter(({ answer }) => answer.status === 201)).toHaveLength(1);
  });
});

describe('a message', () => {
  test('is taken once, by fifty requests at once over two processes', async () => {
    const wallet = Payer.payer();
    await signIn(wallet);
    const { message } = (await post({ type: 'wallet', address: wallet.address })).body.sign_in;
    const body = { type: 'wallet', message, signature: await wallet.signMessage({ message }) };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => post(body, {}, at % 2 ? other : shop.url)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body: { reason } }) => reason === 'wallet_used')).toHaveLength(49);
  });

  const now = Date.now();
  test.each<[string, WalletMessage.WalletMessageRefusal, Partial<WalletMessage.WalletMessage>]>([
    ['for another site', 'wallet_domain', { domain: 'weather.example' }],
    ['for another address of ours', 'wallet_domain', { uri: 'https://weather.example/agent/auth' }],
    ['for another chain', 'wallet_chain', { chainId: 1 }],
    ['with a nonce of its own', 'wallet_nonce', { nonce: 'a'.repeat(74) }],
    ['that has expired', 'wallet_expired', { expirationTime: new Date(now - 1_000).toISOString() }],
    ['that is not valid yet', 'wallet_expired', { notBefore: new Date(now + 600_000).toISOString() }],
    ['of yesterday', 'wallet_expired', { issuedAt: new Date(now - 86_400_000).toISOString() }],
    ['of another version', 'wallet_message', { version: '2' }],
  ])('%s opens nothing', async (_, reason, over) => {
    const wallet = Payer.payer();
    const asked = await post({ type: 'wallet', address: wallet.address });
    const good = WalletMessage.parse(asked.body.sign_in.message);
    if (!good) throw new Error('the shop gives a message that it cannot read');
    const message = WalletMessage.format({ ...good, ...over });
    const answer = await post({ type: 'wallet', message, signature: await wallet.signMessage({ message }) });
    expect(answer).toMatchObject({ status: 402, body: { code: 'signature_refused', reason } });
    expect(answer.text).not.toMatch(/access_token/);
    expect(await shop.sql`SELECT 1 FROM shop.wallet WHERE address = ${wallet.address.toLowerCase()}`).toEqual(
      [],
    );
  });

  test('signed by another wallet, or changed after it was signed, opens nothing', async () => {
    const [wallet, thief] = [Payer.payer(), Payer.payer()];
    const { message } = (await post({ type: 'wallet', address: wallet.address })).body.sign_in;
    const stolen = await post({ type: 'wallet', message, signature: await thief.signMessage({ message }) });
    expect(stolen.body.reason).toBe('wallet_signer');
    const signature = await wallet.signMessage({ message });
    const changed = message.replace(wallet.address, thief.address);
    expect((await post({ type: 'wallet', message: changed, signature })).body.reason).toBe('wallet_signer');
    const high = await post({ type: 'wallet', message, signature: Payer.twin(signature) });
    expect(high.body.reason).toBe('wallet_signature');
    expect((await post({ type: 'wallet', message, signature })).status).toBe(201);
  });

  test('whose nonce has run out opens nothing, wherever the clock of the wallet stands', () => {
    const place: WalletMessage.SignInSite = {
      publicUrl: 'https://shop.example',
      uri: 'https://shop.example/agent/auth',
      statement: 'Sign in.',
      chainIds: [8453],
      secrets: { current: 'a secret of the test, of more than 32 bytes' },
    };
    const info = WalletMessage.challenge(place, now);
    const message = {
      ...info,
      address: Payer.payer().address,
      chainId: 8453,
      expirationTime: null,
      notBefore: null,
      requestId: null,
      resources: [],
    };
    expect(WalletMessage.check(message, place, now + 1_000)).toBeNull();
    const late = now + WalletMessage.lifeSeconds * 1_000;
    const fresh = { ...message, issuedAt: new Date(late).toISOString() };
    expect(WalletMessage.check(fresh, place, late)).toBe('wallet_nonce');
    const rotated = {
      ...place,
      secrets: { current: 'another secret of more than 32 bytes!!', previous: place.secrets.current },
    };
    expect(WalletMessage.check(message, rotated, now + 1_000)).toBeNull();
    expect(
      WalletMessage.check(message, { ...rotated, secrets: { current: rotated.secrets.current } }, now),
    ).toBe('wallet_nonce');
  });

  test('is read as it is written, by this shop and by viem', async () => {
    const message = {
      domain: 'shop.example:8443',
      address: Payer.payer().address,
      statement: 'Sign in.',
      uri: 'https://shop.example:8443/agent/auth',
      version: '1',
      chainId: 8453,
      nonce: 'abcdefgh12345678',
      issuedAt: '2026-11-22T12:00:00.000Z',
      expirationTime: '2026-11-22T12:05:00.000Z',
      notBefore: '2026-11-22T12:00:00.000Z',
      requestId: 'r1',
      resources: ['https://shop.example/a', 'ipfs://b'],
    };
    const { resources, issuedAt, expirationTime, notBefore, ...rest } = message;
    const text = createSiweMessage({
      ...rest,
      version: '1',
      resources,
      issuedAt: new Date(issuedAt),
      expirationTime: new Date(expirationTime),
      notBefore: new Date(notBefore),
    });
    expect(WalletMessage.format(message)).toBe(text);
    expect(WalletMessage.parse(text)).toEqual(message);
    for (const odd of [null, 'Sign in.'])
      expect(WalletMessage.parse(WalletMessage.format({ ...message, statement: odd }))).toEqual({
        ...message,
        statement: odd,
      });
  });

  test('with a field that holds a line break is refused', async () => {
    const wallet = Payer.payer();
    const { extension } = await challenge();
    const { info, supportedChains } = extension;
    const fields = {
      ...info,
      statement: `${info.statement}\n\nURI: https://evil.example`,
      address: wallet.address,
      chainId: supportedChains[0].chainId,
    };
    const text = WalletMessage.format({
      ...fields,
      chainId: Number(fields.chainId.split(':')[1]),
      notBefore: null,
      requestId: null,
      resources: [],
    });
    const proof = Payer.base64({
      ...fields,
      type: 'eip191',
      signature: await wallet.signMessage({ message: text }),
    });
    const answer = await post({ type: 'wallet' }, { 'sign-in-with-x': proof });
    expect(answer).toMatchObject({ status: 402, body: { reason: 'wallet_message' } });
  });
});

test('what is wrong with a request is told by its field', async () => {
  const told = async (body: unknown) =>
    (await post(body)).body.errors?.map(({ field }: { field: string }) => field);
  expect(await told({ type: 'wallet', adress: '0x' })).toEqual(['body']);
  expect(await told({ type: 'wallet', address: '0x12' })).toEqual(['address']);
  expect(await told({ type: 'wallet', message: 'x' })).toEqual(['signature']);
  expect(await told({ type: 'wallet', message: 5, signature: 'x' })).toEqual(['message']);
  expect((await post({ type: 'wallet', message: 'hello', signature: '0x00' })).body.reason).toBe(
    'wallet_message',
  );
});
