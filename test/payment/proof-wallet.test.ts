import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { hashTypedData, keccak256, toHex } from 'viem/utils';
import { expect, test } from 'vitest';
import * as TypedData from '../../src/payment/typed-data.ts';
import * as Wallet from '../../src/payment/wallet.ts';
import { twin } from '../support/payer.ts';

type Hex = `0x${string}`;
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value));
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const text = fc.string({ unit: 'binary', maxLength: 80 }).filter((value) => value.isWellFormed());

/** One struct of every type that is signed, for both implementations; viem leaves an empty version out of the domain. */
const data = fc.record({
  name: text,
  version: text.filter((version) => version !== ''),
  chainId: fc.nat(),
  contract: fc.option(hex(20), { nil: undefined }),
  address: hex(20),
  word: hex(32),
  number: uint256,
  text,
});

test('hashes typed data as viem does', () => {
  fc.assert(
    fc.property(data, ({ name, version, chainId, contract, address, word, number, text }) => {
      const domain = { name, version, chainId, ...(contract && { verifyingContract: contract }) };
      const ours = TypedData.digest({
        domain,
        primaryType: 'Thing',
        fields: [
          { name: 'a', type: 'address', value: address.toUpperCase().replace('0X', '0x') },
          { name: 'w', type: 'bytes32', value: word },
          { name: 'n', type: 'uint256', value: number },
          { name: 't', type: 'string', value: text },
        ],
      });
      const theirs = hashTypedData({
        domain,
        types: {
          Thing: [
            { name: 'a', type: 'address' },
            { name: 'w', type: 'bytes32' },
            { name: 'n', type: 'uint256' },
            { name: 't', type: 'string' },
          ],
        },
        primaryType: 'Thing',
        message: { a: address as Hex, w: word as Hex, n: number, t: text },
      });
      expect(toHex(ours)).toBe(theirs);
    }),
    { numRuns: 200 },
  );
});

test('finds the address of whoever signed, and of nobody else', async () => {
  await fc.assert(
    fc.asyncProperty(hex(32), hex(32), async (key, digest) => {
      const account = privateKeyToAccount(key as Hex);
      const signature = Wallet.readSignature(await account.sign({ hash: digest as Hex }));
      if (signature.kind !== 'signature') throw new Error(signature.kind);
      expect(Wallet.recover(signature, Buffer.from(digest.slice(2), 'hex'))).toBe(
        account.address.toLowerCase(),
      );
      const another = Buffer.from(keccak256(digest as Hex).slice(2), 'hex');
      expect(Wallet.recover(signature, another)).not.toBe(account.address.toLowerCase());
    }),
    { numRuns: 30 },
  );
});

test('takes one form of a signature: 65 bytes, v 27 or 28, the low s', async () => {
  const account = privateKeyToAccount(`0x${'07'.repeat(32)}`);
  const good = await account.sign({ hash: `0x${'11'.repeat(32)}` });
  const rs = good.slice(0, 130);
  expect(Wallet.readSignature(good).kind).toBe('signature');
  expect(Wallet.readSignature(good.toUpperCase().replace('0X', '0x')).kind).toBe('signature');
  expect(Wallet.readSignature(twin(good)).kind).toBe('malleable');
  for (const v of ['00', '01', '1a', '1d', '25', '']) {
    expect(Wallet.readSignature(rs + v).kind).toBe('malformed');
  }
  const zero = '0'.repeat(64);
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  const [r, s] = [good.slice(2, 66), good.slice(66, 130)];
  for (const [first, second] of [
    [zero, s],
    [r, zero],
    [order, s],
    [r, order],
  ])
    expect(Wallet.readSignature(`0x${first}${second}1b`).kind).toBe('malformed');
  expect(Wallet.readSignature(`${good}00`).kind).toBe('contract');
  for (const other of [undefined, null, 7, {}, '', '0x', good.slice(2), `${good}0`, `${rs}zz`])
    expect(Wallet.readSignature(other).kind).toBe('malformed');
});

test('an r that is no point of the curve is nobody’s signature, and no fault', () => {
  fc.assert(
    fc.property(hex(64), hex(32), fc.constantFrom('1b', '1c'), (rs, digest, v) => {
      const signature = Wallet.readSignature(rs + v);
      if (signature.kind !== 'signature') return;
      const found = Wallet.recover(signature, Buffer.from(digest.slice(2), 'hex'));
      if (found !== null) expect(found).toMatch(/^0x[0-9a-f]{40}$/);
    }),
    { numRuns: 100 },
  );
});

test('an address made of a label is the same each time, and another for another label', () => {
  expect(Wallet.addressOf('a')).toMatch(/^0x[0-9a-f]{40}$/);
  expect(Wallet.addressOf('a')).toBe(`0x${keccak256(toHex('a')).slice(-40)}`);
  expect(Wallet.addressOf('a')).not.toBe(Wallet.addressOf('b'));
});
