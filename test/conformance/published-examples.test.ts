import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifyWebhook } from '../../sdk/typescript/src/webhook.ts';
import * as Grants from '../../src/identity/oauth/grants.ts';
import { readDirectory } from '../../src/identity/web-bot-auth.ts';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import * as TypedData from '../../src/payment/typed-data.ts';
import * as Wallet from '../../src/payment/wallet.ts';
import * as Published from './published-values.ts';
import * as Vectors from './vectors.ts';

const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
const signatures = JSON.parse(
  readFileSync(new URL('../fixtures/message-signatures.json', import.meta.url), 'utf8'),
) as { vectors: unknown[] };

test('the code challenge of RFC 7636, appendix B', () => {
  expect(Grants.challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

test('the thumbprint of RFC 8037, appendix A.3', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
  const keys = readDirectory({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] });
  expect([...(keys?.keys() ?? [])]).toEqual(['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k']);
});

test('the example of Standard Webhooks', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const { payload } = await verifyWebhook(
    '{"test": 2432232314}',
    headers,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    { now: 1_614_265_330_000 },
  );
  expect(payload).toEqual({ test: 2432232314 });
});

test.each(Published.canonicalNumbers)('the canonical text of the number %s (RFC 8785)', (bits, text) => {
  const number = Buffer.from(bits, 'hex').readDoubleBE();
  if (text === null) expect(() => CanonicalJson.canonicalize(number)).toThrow(TypeError);
  else expect(CanonicalJson.canonicalize(number)).toBe(text);
});

test.each(Published.walletAddresses)('the checksum of %s (EIP-55)', (address) => {
  expect(Wallet.checksummed(address.toLowerCase())).toBe(address);
});

test('the domain and the signer of the example of EIP-712', () => {
  const { domain, domainSeparator, digest, signature, signer } = Published.etherMail;
  expect(Buffer.from(TypedData.domainSeparator(domain)).toString('hex')).toBe(domainSeparator);
  const read = Wallet.readSignature(signature);
  if (read.kind !== 'signature') throw new Error(read.kind);
  expect(Wallet.recover(read, Buffer.from(digest, 'hex'))).toBe(signer);
});

test('docs/conformance.md states how many vectors of each kind the tests run', () => {
  const [, section = ''] = page.split('## Published vectors');
  const [table = ''] = section.split('\n## ');
  const stated = [...table.matchAll(/^\| ([^|]+) \| ([\d,]+) \|/gm)].map(([, name, count]) => [name, count]);
  const counted = {
    'HTTP requests': Vectors.requests.length,
    'ways to hide a transfer coding': Vectors.families.length,
    'HTTP responses': Vectors.responses.length,
    'chunked bodies': Vectors.chunkBodies.length,
    'JSON texts': Vectors.jsonTexts.length,
    'message signatures': signatures.vectors.length,
    'numbers in canonical JSON': Published.canonicalNumbers.length,
    'wallet addresses': Published.walletAddresses.length,
  };
  expect(stated).toEqual(
    Object.entries(counted).map(([name, count]) => [name, count.toLocaleString('en-US')]),
  );
  expect(page).toContain(`of ${Object.keys(Vectors.sources).length} public projects`);
});
