import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import * as Challenge from '../../src/payment/challenge.ts';
import * as Proof from '../../src/payment/proof.ts';
import * as StripeCharge from '../../src/payment/stripe-charge.ts';
import * as TempoProof from '../../src/payment/tempo-proof.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as Requirement from '../../src/payment/x402/requirement.ts';
import * as Payer from '../support/payer.ts';

const nowMs = Date.UTC(2030, 0, 1);
const wallet = Payer.payer(Buffer.alloc(32, 7));
const settings: Proof.ProofSettings = {
  publicUrl: 'https://shop.example',
  path: '/quote',
  description: 'Advice',
  serviceName: 'Shop',
  networks: [Network.base, Network.baseSepolia],
  tempoChainId: TempoProof.chains.test,
  secrets: { current: 'a secret of more than thirty-two bytes' },
};
const here = Proof.route(settings);
const body = Buffer.from('{"goal":"leads"}');
const none: Proof.ProofFields = {
  authorization: [],
  paymentAuthorization: [],
  paymentSignature: [],
  xPayment: [],
};

const offered = (route: Proof.ProofRoute, at = 0) =>
  Requirement.toJson(
    route.terms.requirements[at] ?? (here.terms.requirements[0] as Requirement.Requirement),
  ) as unknown as Payer.Requirement;
const challenge = (route = here, nonce = 'n1') => Proof.challenge(route, body, nonce, nowMs);

/** Returns the outcome of a proof: its refusal, or the candidate whose signature is valid. */
function judge(fields: Partial<Proof.ProofFields>, { route = here, sent = body, atMs = nowMs } = {}) {
  const reading = Proof.read(route, { ...none, ...fields }, sent, atMs);
  if (reading.kind === 'refused') return reading.reason;
  if (reading.kind !== 'candidate') return reading.kind;
  return Proof.isSigned(reading.candidate) ? reading.candidate : `${reading.candidate.scheme}_signer`;
}
const x402 = (value: unknown) => ({ paymentSignature: [Payer.base64(value)] });
const mpp = (credential: string) => ({ authorization: [credential] });

describe('a proof by x402', () => {
  test('names its wallet in lower case, whatever the chain', async () => {
    for (const at of [0, 1]) {
      const sent = await Payer.pay2(wallet, offered(here, at), { nowMs }, { url: here.resource.url });
      expect(judge(x402(sent))).toMatchObject({
        wallet: wallet.address.toLowerCase(),
        chain: offered(here, at).network,
        expiresMs: nowMs + Proof.lifeSeconds * 1000,
      });
    }
  });

  test('for another shop or another route does not fit here, though it says that it does', async () => {
    for (const other of [{ publicUrl: 'https://evil.example' }, { path: '/other' }]) {
      const elsewhere = Proof.route({ ...settings, ...other });
      expect(offered(elsewhere).payTo).not.toBe(offered(here).payTo);
      const sent = await Payer.pay2(wallet, offered(elsewhere), { nowMs });
      expect(judge(x402(sent))).toBe('x402_requirement');
      expect(judge(x402({ ...sent, accepted: offered(here) }))).toBe('x402_pay_to');
      const { authorization, signature } = sent.payload;
      const forged = { ...authorization, to: offered(here).payTo };
      expect(
        judge(x402({ ...sent, accepted: offered(here), payload: { signature, authorization: forged } })),
      ).toBe('x402_signer');
    }
  });

  test('of more than nothing is no proof', async () => {
    const sent = await Payer.pay2(wallet, offered(here), { nowMs, authorization: { value: '1' } });
    expect(judge(x402(sent))).toBe('x402_amount');
  });
});

describe('a proof by the Payment scheme', () => {
  test('names its wallet, and is claimed by its challenge until that expires', async () => {
    expect(judge(mpp(await Payer.prove(wallet, challenge())))).toMatchObject({
      wallet: wallet.address.toLowerCase(),
      chain: 'eip155:42431',
      claimKey: `mpp ${challenge().id}`,
      expiresMs: nowMs + Proof.lifeSeconds * 1000,
    });
  });

  test('fits one body, one route, one shop and one setting', async () => {
    const credential = await Payer.prove(wallet, challenge());
    expect(judge(mpp(credential), { sent: Buffer.from('{"goal":"more"}') })).toBe('mpp_foreign');
    for (const [other, reason] of [
      [{ path: '/other' }, 'mpp_foreign'],
      [{ publicUrl: 'https://evil.example' }, 'mpp_foreign'],
      [{ tempoChainId: TempoProof.chains.main }, 'mpp_foreign'],
      [{ secrets: { current: 'another secret of more than thirty-two bytes' } }, 'mpp_unknown'],
    ] as const) {
      expect(judge(mpp(credential), { route: Proof.route({ ...settings, ...other }) })).toBe(reason);
    }
  });

  test('fits no challenge that was changed, or issued by nobody', async () => {
    const ours = challenge();
    for (const changed of [
      { realm: 'evil.example' },
      { request: CanonicalJson.encode(TempoProof.request(wallet.address, 42431)) },
      { expires: new Date(nowMs + 86_400_000).toISOString() },
      { opaque: CanonicalJson.encode({ route: '/quote', nonce: 'n2' }) },
      { id: challenge(here, 'n2').id },
    ])
      expect(judge(mpp(await Payer.prove(wallet, { ...ours, ...changed })))).toBe('mpp_unknown');
  });

  test('is taken until its challenge expires, also under the secret before', async () => {
    const credential = await Payer.prove(wallet, challenge());
    const endMs = nowMs + Proof.lifeSeconds * 1000;
    expect(judge(mpp(credential), { atMs: endMs - 1 })).toHaveProperty('wallet');
    expect(judge(mpp(credential), { atMs: endMs })).toBe('mpp_expired');
    const secrets = {
      current: 'a newer secret of more than thirty-two bytes',
      previous: settings.secrets.current,
    };
    expect(judge(mpp(credential), { route: Proof.route({ ...settings, secrets }) })).toHaveProperty('wallet');
  });

  test('is refused when it pays, and when its source is none', async () => {
    const prove = (wishes: Parameters<typeof Payer.prove>[2]) =>
      Payer.prove(wallet, challenge(), wishes).then((credential) => judge(mpp(credential)));
    expect(await prove({ payload: { type: 'hash', hash: '0x00' } })).toBe('mpp_payload');
    expect(await prove({ payload: { type: 'transaction' } })).toBe('mpp_payload');
    const address = wallet.address;
    for (const source of [
      '',
      address,
      `did:pkh:eip155:042431:${address}`,
      `did:pkh:eip155:42431:${address}/`,
      `did:pkh:eip155:42431:${address} `,
      `did:pkh:eip155:42431:${address}00`,
      `did:pkh:solana:42431:${address}`,
    ])
      expect(await prove({ source })).toBe('mpp_source');
    expect(await prove({ chainId: 4217 })).toBe('mpp_chain');
    expect(await prove({ source: `did:pkh:eip155:4217:${address}` })).toBe('mpp_chain');
  });

  test('is refused when anything else was signed, or by anyone else', async () => {
    const other = Payer.payer();
    const ours = challenge();
    const signers = [
      Payer.prove(wallet, ours, { challengeId: 'another' }),
      Payer.prove(wallet, ours, { realm: 'evil.example' }),
      Payer.prove(wallet, ours, { chainId: 4217, source: `did:pkh:eip155:42431:${wallet.address}` }),
      Payer.prove(wallet, ours, { account: other.address }),
      Payer.prove(wallet, ours, { source: `did:pkh:eip155:42431:${other.address}` }),
    ];
    for (const credential of await Promise.all(signers)) expect(judge(mpp(credential))).toBe('mpp_signer');
  });

  test('is refused with the twin of its signature, and with a contract’s', async () => {
    const [, encoded = ''] = (await Payer.prove(wallet, challenge())).split(' ');
    const { payload } = CanonicalJson.decode(encoded) as { payload: { signature: string } };
    const signed = (signature: string) =>
      Payer.prove(wallet, challenge(), { payload: { signature } }).then((c) => judge(mpp(c)));
    expect(await signed(Payer.twin(payload.signature))).toBe('mpp_malleable');
    expect(await signed(`${payload.signature}00`)).toBe('mpp_contract_wallet');
    expect(await signed('0x00')).toBe('mpp_signature');
  });

  test('by another method is told which one is taken', async () => {
    const card = Challenge.issue(
      {
        realm: here.realm,
        method: StripeCharge.method,
        intent: StripeCharge.intent,
        request: StripeCharge.request(Money.ofCents(50), {
          networkId: 'profile_1',
          paymentMethodTypes: ['card'],
        }),
        expiresAtMs: nowMs + 1000,
        opaque: { order: 'pur_1' },
      },
      settings.secrets,
    );
    expect(judge(mpp(await Payer.prove(wallet, card)))).toBe('mpp_method');
    expect(Proof.problem('mpp_method').type).toMatch(/method-unsupported$/);
  });
});

test('two proofs in one request are one too many, by whatever schemes', async () => {
  const sent = x402(await Payer.pay2(wallet, offered(here), { nowMs }));
  const credential = await Payer.prove(wallet, challenge());
  expect(judge({ ...sent, ...mpp(credential) })).toBe('many');
  expect(judge({ ...sent, ...mpp('Payment nonsense') })).toBe('many');
  expect(judge({ authorization: [credential, credential] })).toBe('many');
  expect(judge({ ...sent, authorization: ['Bearer x'] })).toHaveProperty('wallet');
  expect(judge({ authorization: ['Bearer x'] })).toBe('none');
});

test('whatever the headers hold, the answer is none, many, or one of the listed reasons', async () => {
  const good2 = await Payer.pay2(wallet, offered(here), { nowMs });
  const credential = (await Payer.prove(wallet, challenge())).slice('Payment '.length);
  const good1 = CanonicalJson.decode(credential);
  /** Returns a valid proof with one member replaced, at any depth. */
  const spoilt = (good: unknown) =>
    fc.tuple(fc.nat(), fc.jsonValue()).map(([at, value]) => replaceNth(good, at, value));
  const field = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.oneof(fc.jsonValue(), spoilt(good2), spoilt(good1)).map(Payer.base64),
  );
  const lines = fc.array(field, { maxLength: 2 });
  const payment = fc.array(
    field.map((value) => `Payment ${value}`),
    { maxLength: 2 },
  );
  fc.assert(
    fc.property(
      lines,
      lines,
      payment,
      payment,
      (paymentSignature, xPayment, authorization, paymentAuthorization) => {
        const fields = { paymentSignature, xPayment, authorization, paymentAuthorization };
        const reading = Proof.read(here, fields, body, nowMs);
        if (reading.kind === 'refused') {
          expect(Proof.reasons).toHaveProperty(reading.reason);
          const { type, detail } = Proof.problem(reading.reason);
          expect(type).toMatch(/^https:\/\/paymentauth\.org\/problems\/[a-z-]+$/);
          expect(detail).toMatch(/^[ -~]{10,200}$/);
        }
        // Only the valid proofs themselves are signed.
        if (reading.kind === 'candidate' && Proof.isSigned(reading.candidate))
          expect(reading.candidate.wallet).toBe(wallet.address.toLowerCase());
      },
    ),
    { numRuns: 3_000 },
  );
});

/** Returns a copy of a JSON value in which member `at`, counted depth first, is replaced. */
function replaceNth(value: unknown, at: number, other: unknown): unknown {
  let left = at % 16;
  const walk = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([name, member]) => [name, left-- === 0 ? other : walk(member)]),
    );
  };
  return walk(value);
}
