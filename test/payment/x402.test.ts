import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as ExactEvm from '../../src/payment/x402/exact-evm.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as Payload from '../../src/payment/x402/payload.ts';
import * as PaymentRequired from '../../src/payment/x402/payment-required.ts';
import * as Requirement from '../../src/payment/x402/requirement.ts';
import * as Resource from '../../src/payment/x402/resource.ts';
import * as Response from '../../src/payment/x402/response.ts';
import * as Payer from '../support/payer.ts';

const nowMs = Date.UTC(2030, 0, 1);
const now = nowMs / 1000;
const wallet = Payer.payer(Buffer.alloc(32, 7));
const requirement: Requirement.Requirement = {
  network: Network.base,
  amount: 5_000_000n,
  payTo: '0x00000000000000000000000000000000000000aa',
  maxTimeoutSeconds: 120,
};
const sepolia = { ...requirement, network: Network.baseSepolia };
const resource = Resource.describeResource({
  url: 'https://shop.example/plans/credit/purchase',
  description: 'Crédit — 5 USD',
  serviceName: 'Shop',
});
const terms = { resourceUrl: resource.url, requirements: [requirement, sepolia] };
const offered = Requirement.toJson(requirement) as unknown as Payer.Requirement;
const offeredSepolia = Requirement.toJson(sepolia) as unknown as Payer.Requirement;

const read2 = (value: unknown) => Payload.read({ paymentSignature: [Payer.base64(value)], xPayment: [] });
const read1 = (value: unknown) => Payload.read({ paymentSignature: [], xPayment: [Payer.base64(value)] });

/** Returns the reason why a payment is refused, or whether its signature is valid. */
function judge(reading: Payload.PayloadReading, atMs = nowMs): string | boolean {
  if (reading.kind !== 'payload') return 'reason' in reading ? reading.reason : reading.kind;
  const checked = ExactEvm.check(reading, terms, atMs);
  return typeof checked === 'string' ? checked : ExactEvm.isSigned(checked);
}

const pay = (authorization: Partial<Payer.Authorization> = {}, accepted = offered) =>
  Payer.pay2(wallet, accepted, { nowMs, authorization });

describe('an x402 payment', () => {
  test('of both versions and on each network is taken as it was signed', async () => {
    expect(judge(read2(await pay()))).toBe(true);
    expect(judge(read2(await pay({}, offeredSepolia)))).toBe(true);
    expect(judge(read1(await Payer.pay1(wallet, offered, { nowMs })))).toBe(true);
    expect(judge(read1(await Payer.pay1(wallet, offeredSepolia, { nowMs })))).toBe(true);
  });

  test('is taken with addresses in any case, further members, its resource, and in any base64', async () => {
    const sent = await pay();
    const upper = (text: string) => text.toUpperCase().replace('0X', '0x');
    const { accepted, payload } = sent;
    const shouted = {
      ...sent,
      surprise: true,
      accepted: { ...accepted, payTo: upper(accepted.payTo), asset: upper(accepted.asset), more: [1] },
      resource: { url: resource.url, description: '???>>>' },
      payload: {
        ...payload,
        authorization: { ...payload.authorization, to: upper(payload.authorization.to) },
      },
    };
    expect(judge(read2(shouted))).toBe(true);
    for (const encoding of ['base64', 'base64url'] as const) {
      const field = Buffer.from(JSON.stringify(shouted)).toString(encoding);
      expect(judge(Payload.read({ paymentSignature: [field], xPayment: [] }))).toBe(true);
    }
  });

  test('of version 2 counts where one of version 1 is there as well', async () => {
    const both = Payload.read({
      paymentSignature: [Payer.base64(await pay())],
      xPayment: ['nonsense', 'and more'],
    });
    expect(both).toMatchObject({ kind: 'payload', version: 2 });
  });

  test('that comes twice is nobody’s to choose from', async () => {
    const field = Payer.base64(await pay());
    expect(Payload.read({ paymentSignature: [field, field], xPayment: [] })).toEqual({ kind: 'many' });
    expect(Payload.read({ paymentSignature: [], xPayment: [field, field] })).toEqual({ kind: 'many' });
    expect(Payload.read({ paymentSignature: [], xPayment: [] })).toEqual({ kind: 'none' });
  });

  test('that cannot be read says why', async () => {
    const sent = await pay();
    const reason = (field: string) => judge(Payload.read({ paymentSignature: [field], xPayment: [] }));
    expect(reason('A'.repeat(Payload.payloadCharsMax + 1))).toBe('x402_length');
    for (const junk of ['', '{}', '!!', 'AAAA', Payer.base64([]), Payer.base64('x'), Payer.base64(null)])
      expect(reason(junk)).toBe('x402_encoding');
    expect(judge(read2({ ...sent, x402Version: 1 }))).toBe('x402_version');
    expect(judge(read1(sent))).toBe('x402_version');
    expect(judge(read2({ ...sent, payload: {} }))).toBe('x402_payload');
    const { authorization, signature } = sent.payload;
    for (const spoilt of [
      { value: '5e6' },
      { value: '05' },
      { value: '-1' },
      { value: 5_000_000 },
      { value: String(2n ** 256n) },
      { value: '9'.repeat(79) },
      { validAfter: '' },
      { validBefore: '1.5' },
      { nonce: '0x00' },
      { nonce: undefined },
      { from: '0xabc' },
      { to: `${authorization.to}00` },
    ]) {
      const payload = { signature, authorization: { ...authorization, ...spoilt } };
      expect(judge(read2({ ...sent, payload }))).toBe('x402_payload');
    }
  });

  test('is refused where it accepts what is not offered', async () => {
    const sent = await pay();
    for (const spoilt of [
      { scheme: 'upto' },
      { network: 'eip155:1' },
      { network: 'base' },
      { amount: '4999999' },
      { asset: Network.baseSepolia.asset },
      { payTo: wallet.address },
      { maxTimeoutSeconds: 3600 },
      { extra: { name: 'USDC', version: '2' } },
      { extra: undefined },
    ])
      expect(judge(read2({ ...sent, accepted: { ...sent.accepted, ...spoilt } }))).toBe('x402_requirement');
    const first = await Payer.pay1(wallet, offered, { nowMs });
    for (const spoilt of [{ network: 'eip155:8453' }, { scheme: 'upto' }, { asset: '0x1' }])
      expect(judge(read1({ ...first, ...spoilt }))).toBe('x402_requirement');
  });

  test('is refused for another resource', async () => {
    for (const url of ['https://shop.example/plans/other/purchase', 'https://evil.example', ''])
      expect(judge(read2({ ...(await pay()), resource: { url } }))).toBe('x402_resource');
  });

  test('is refused to another address and of another amount', async () => {
    expect(judge(read2(await pay({ to: wallet.address })))).toBe('x402_pay_to');
    expect(judge(read2(await pay({ value: '4999999' })))).toBe('x402_amount');
    expect(judge(read2(await pay({ value: '0' })))).toBe('x402_amount');
  });

  test('is taken within its times and not a second outside', async () => {
    const at = (validAfter: number, validBefore: number) =>
      pay({ validAfter: String(validAfter), validBefore: String(validBefore) }).then((sent) =>
        judge(read2(sent)),
      );
    expect(await at(now - 1, now + 6)).toBe(true);
    expect(await at(0, now + 120 + 30)).toBe(true);
    expect(await at(now, now + 60)).toBe('x402_not_yet_valid');
    expect(await at(0, now + 5)).toBe('x402_expired');
    expect(await at(0, 0)).toBe('x402_expired');
    expect(await at(0, now + 151)).toBe('x402_too_long');
    const end = String(2n ** 256n - 1n);
    expect(judge(read2(await pay({ validBefore: end })))).toBe('x402_too_long');
    expect(judge(read2(await pay({ validAfter: end })))).toBe('x402_not_yet_valid');
  });

  test('is refused with the twin of its signature, and with one that is no signature', async () => {
    const sent = await pay();
    const signed = (signature: unknown) => judge(read2({ ...sent, payload: { ...sent.payload, signature } }));
    expect(signed(Payer.twin(sent.payload.signature))).toBe('x402_malleable');
    expect(signed(`${sent.payload.signature.slice(0, -2)}00`)).toBe('x402_signature');
    expect(signed(`${sent.payload.signature}6492`)).toBe('x402_contract_wallet');
    expect(signed('0x')).toBe('x402_signature');
  });

  test('is refused when signed by another wallet or for another chain or coin', async () => {
    const sent = await pay();
    const other = Payer.payer();
    expect(
      judge(read2(await Payer.pay2(other, offered, { nowMs, authorization: { from: wallet.address } }))),
    ).toBe(false);
    expect(judge(read2(await Payer.pay2(wallet, offered, { nowMs, chainId: 84532 })))).toBe(false);
    const { payload } = await pay({}, offeredSepolia);
    expect(judge(read2({ ...sent, payload }))).toBe(false);
  });

  test('is refused when anything that was signed is changed', async () => {
    const sent = await pay();
    const { authorization, signature } = sent.payload;
    const flipped = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
    for (const changed of [
      { nonce: flipped(authorization.nonce) },
      { from: flipped(authorization.from) },
      { validAfter: String(Number(authorization.validAfter) - 1) },
      { validBefore: String(Number(authorization.validBefore) - 1) },
    ]) {
      const payload = { signature, authorization: { ...authorization, ...changed } };
      expect(judge(read2({ ...sent, payload }))).toBe(false);
    }
  });

  test('is claimed under the coin’s own replay key, however it is spelled', async () => {
    const sent = await pay();
    const key = (reading: Payload.PayloadReading) => {
      const checked = reading.kind === 'payload' ? ExactEvm.check(reading, terms, nowMs) : '';
      return typeof checked === 'string' ? checked : [checked.claimKey, checked.expiresMs];
    };
    const { authorization, signature } = sent.payload;
    const spelled = {
      ...authorization,
      from: authorization.from.toLowerCase(),
      nonce: authorization.nonce.toUpperCase().replace('0X', '0x'),
    };
    expect(key(read2({ ...sent, payload: { signature, authorization: spelled } }))).toEqual(key(read2(sent)));
    const shouted = { signature: signature.toUpperCase().replace('0X', '0x'), authorization };
    expect(key(read2({ ...sent, payload: shouted }))).toEqual(key(read2(sent)));
    const version1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: sent.payload };
    expect(key(read1(version1))).toEqual(key(read2(sent)));
    expect(key(read2(await pay()))).not.toEqual(key(read2(sent)));
    expect(key(read2(sent))).toContain((now + 120) * 1000);
  });
});

describe('payment requirements', () => {
  const required = { error: 'payment_required', resource, requirements: [requirement, sepolia] };

  test('travel in ASCII, in padded base64, and come back as they were', () => {
    const header = PaymentRequired.header(required);
    expect(header).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(header.length % 4).toBe(0);
    const text = Buffer.from(header, 'base64').toString('latin1');
    expect(text).toMatch(/^[ -~]+$/);
    expect(resource.description).toBe('Credit ? 5 USD');
    expect(JSON.parse(text)).toEqual({
      x402Version: 2,
      error: 'payment_required',
      resource,
      accepts: [offered, offeredSepolia],
      extensions: {},
    });
    expect(offered).toMatchObject({ scheme: 'exact', network: 'eip155:8453', amount: '5000000' });
  });

  test('that are too long for a header are a fault of ours', () => {
    const long = { ...resource, description: 'x'.repeat(9_000) };
    expect(() => PaymentRequired.header({ ...required, resource: long })).toThrow(RangeError);
  });

  test('of version 1 stand in the body, with nothing that is null', () => {
    const body = PaymentRequired.legacyBody(required);
    expect(body).toMatchObject({
      x402Version: 1,
      accepts: [
        { network: 'base', maxAmountRequired: '5000000', resource: resource.url },
        { network: 'base-sepolia' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('null');
  });
});

test('a response names its payment in the words of the version that was sent', async () => {
  for (const [reading, name, said] of [
    [read2(await pay()), 'PAYMENT-RESPONSE', { network: 'eip155:8453', amount: '5000000' }],
    [read1(await Payer.pay1(wallet, offered, { nowMs })), 'X-PAYMENT-RESPONSE', { network: 'base' }],
  ] as const) {
    if (reading.kind !== 'payload') throw new Error(reading.kind);
    const [field, value] = Response.field(reading, requirement, '0xabc');
    expect(field).toBe(name);
    expect(JSON.parse(Buffer.from(value, 'base64').toString())).toEqual({
      success: true,
      transaction: '0xabc',
      payer: wallet.address.toLowerCase(),
      ...said,
    });
  }
});

test('no text in the place of a payment makes the reader throw', () => {
  const json = fc.oneof(fc.jsonValue(), fc.string()).map(Payer.base64);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), json), (field) => {
      const reading = Payload.read({ paymentSignature: [field], xPayment: [] });
      expect(['malformed', 'payload']).toContain(reading.kind);
      if (reading.kind === 'malformed') expect(Payload.refusals).toHaveProperty(reading.reason);
    }),
    { numRuns: 2_000 },
  );
});
