import { createHash } from 'node:crypto';
import { erc6492SignatureValidatorByteCode } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openChain } from '../../src/adapters/evm/evm-rpc.ts';
import { signatureValidator } from '../../src/adapters/evm/signature-validator.ts';
import { judge, type Log, type Transfer } from '../../src/payment/x402/chain.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as Double from '../support/chain.ts';

const payer = '0x00000000000000000000000000000000000000f1';
const payTo = '0x00000000000000000000000000000000000000aa';
let payments = 0;

/** A transfer with a nonce of its own. */
function transfer(): Transfer {
  payments += 1;
  const nonce = `0x${createHash('sha256').update(`nonce ${payments}`).digest('hex')}`;
  return { asset: Double.usdc, from: payer, to: payTo, value: 500_000n, nonce };
}

describe('a transaction', () => {
  const paid = transfer();
  const other = { ...transfer(), from: '0x00000000000000000000000000000000000000f2' };
  const own = { ...paid, to: payer, value: 0n };

  test.each<[string, Log[], string]>([
    ['moved what was signed', Double.paymentLogs(paid), 'paid'],
    ['cancelled the authorization', [Double.canceledLog(paid)], 'canceled'],
    ['moved nothing to the payer itself', Double.paymentLogs(own), 'spent'],
    ['moved less', Double.paymentLogs({ ...paid, value: 499_999n }), 'spent'],
    ['moved more', Double.paymentLogs({ ...paid, value: 500_001n }), 'spent'],
    ['paid another address', Double.paymentLogs({ ...paid, to: other.from }), 'spent'],
    ['used the authorization and moved nothing', [Double.usedLog(paid)], 'spent'],
    ['moved the amount without an authorization', [Double.transferLog(paid)], 'none'],
    ['moved a worthless token', Double.paymentLogs({ ...paid, asset: payer }), 'none'],
    [
      'used the authorization, and a worthless token moved',
      [Double.usedLog(paid), Double.transferLog({ ...paid, asset: payer })],
      'spent',
    ],
    [
      'made a plain transfer beside an empty one',
      [...Double.paymentLogs(own), Double.transferLog(paid)],
      'spent',
    ],
    [
      'made a plain transfer before an empty one',
      [Double.transferLog(paid), ...Double.paymentLogs(own)],
      'spent',
    ],
    ['used another nonce', Double.paymentLogs({ ...paid, nonce: other.nonce }), 'none'],
    ['settled another payer’s payment', Double.paymentLogs(other), 'none'],
    ['settled two payments', [...Double.paymentLogs(other), ...Double.paymentLogs(paid)], 'paid'],
    [
      'used two authorizations and moved the money once',
      [Double.usedLog(paid), Double.usedLog({ ...paid, nonce: other.nonce }), Double.transferLog(paid)],
      'spent',
    ],
  ])('that %s is judged as that', (_, logs, judged) => {
    expect(judge(logs, paid)).toBe(judged);
  });

  test('that settled two payments of one wallet at one price pays for both', () => {
    const twin = { ...paid, nonce: other.nonce };
    const logs = [...Double.paymentLogs(paid), ...Double.paymentLogs(twin)];
    expect([judge(logs, paid), judge(logs, twin)]).toEqual(['paid', 'paid']);
    const short = [...Double.paymentLogs(paid), Double.usedLog(twin)];
    expect([judge(short, paid), judge(short, twin)]).toEqual(['paid', 'spent']);
  });
});

describe('a look at the chain', () => {
  const confirmations = 3;
  let node: Double.ChainDouble;
  const network = { ...Network.baseSepolia, finality: confirmations };
  const open = (finality: Network.Finality = confirmations) => openChain(node.url, { ...network, finality });
  const window = (sinceMs = Date.now() - 60_000) => ({ sinceMs, untilMs: sinceMs + 600_000 });

  beforeAll(async () => {
    node = await Double.open();
  });
  beforeEach(() => node.setMood('honest'));
  afterAll(() => node.close());

  test('finds a payment by its authorization, and by the transaction that is named', async () => {
    const paid = transfer();
    const transaction = node.mine(Double.paymentLogs(paid));
    node.pass(confirmations);
    for (const named of [null, transaction, `0x${'ab'.repeat(32)}`])
      expect(await open().evidence(paid, window(), named)).toEqual({ kind: 'paid', transaction });
  });

  test('counts a payment only when it has its confirmations', async () => {
    const paid = transfer();
    const transaction = node.mine(Double.paymentLogs(paid));
    const slow = open(20);
    expect((await slow.evidence(paid, window(), transaction)).kind).toBe('unused');
    node.pass(20);
    expect((await slow.evidence(paid, window(), transaction)).kind).toBe('paid');
    expect((await open('finalized').evidence(paid, window(), null)).kind).toBe('paid');
  });

  test('says of a payment that was made before the order that it is spent', async () => {
    const paid = transfer();
    const transaction = node.mine(Double.paymentLogs(paid), { timeMs: Date.now() - 90_000 });
    node.pass(confirmations);
    expect(await open().evidence(paid, window(), null)).toEqual({ kind: 'spent' });
    expect(await open().evidence(paid, window(), transaction)).toEqual({ kind: 'spent' });
  });

  test('says of a cancelled authorization that it is cancelled', async () => {
    const paid = transfer();
    const transaction = node.mine([Double.canceledLog(paid)]);
    node.pass(confirmations);
    expect(await open().evidence(paid, window(), null)).toEqual({ kind: 'canceled', transaction });
  });

  test('does not count a transaction that failed', async () => {
    const paid = transfer();
    const transaction = node.mine(Double.paymentLogs(paid), { isReverted: true });
    node.pass(confirmations);
    expect((await open().evidence(paid, window(), transaction)).kind).toBe('unused');
  });

  test('forgets a payment whose block was replaced', async () => {
    const paid = transfer();
    const transaction = node.mine(Double.paymentLogs(paid));
    node.pass(confirmations);
    node.reorganize(confirmations + 1);
    expect((await open().evidence(paid, window(), transaction)).kind).toBe('unused');
  });

  test('reads a provider’s logs in the ranges that it allows, and remembers them', async () => {
    const paid = transfer();
    node.pass(80);
    const transaction = node.mine(Double.paymentLogs(paid));
    node.pass(80);
    node.setMood('limited');
    const chain = open();
    expect(await chain.evidence(paid, window(), null)).toEqual({ kind: 'paid', transaction });
    node.spans.length = 0;
    expect((await chain.evidence(paid, window(), null)).kind).toBe('paid');
    expect(Math.max(...node.spans)).toBeLessThanOrEqual(10);
  });

  test('knows that an authorization was spent before the order, unless the node has forgotten that', async () => {
    const old = await Double.open();
    const paid = transfer();
    old.mine(Double.paymentLogs(paid), { timeMs: Date.now() - 3_000_000 });
    old.pass(100, Date.now() - 2_000_000);
    old.pass(60);
    const chain = openChain(old.url, network);
    expect((await chain.evidence(paid, window(), null)).kind).toBe('spent');
    old.setMood('pruned');
    expect((await chain.evidence(paid, window(), null)).kind).toBe('unseen');
    await chain.close();
    await old.close();
  });

  test('is repeated where a node fails, and ends where it is down', async () => {
    const paid = transfer();
    node.mine(Double.paymentLogs(paid));
    node.pass(confirmations);
    node.setMood('flaky');
    expect((await open().evidence(paid, window(), null)).kind).toBe('paid');
    node.setMood('down');
    await expect(open().evidence(paid, window(), null)).rejects.toThrow('503');
  });

  test('refuses a node of another chain', async () => {
    node.setChainId(1);
    await expect(open().evidence(transfer(), window(), null)).rejects.toThrow('serves chain 1');
    await expect(open().obstacle(transfer())).rejects.toThrow('serves chain 1');
    node.setChainId(network.chainId);
  });

  test('knows what cannot be settled any more', async () => {
    const paid = transfer();
    expect(await open().obstacle(paid)).toBeNull();
    expect(await open().obstacle({ ...paid, value: 10n ** 18n })).toBe('insufficient_funds');
    node.mine([Double.canceledLog(paid)]);
    expect(await open().obstacle(paid)).toBe('spent');
  });
});

test('the signature validator is the one that viem publishes', () => {
  expect(signatureValidator).toBe(erc6492SignatureValidatorByteCode);
});
