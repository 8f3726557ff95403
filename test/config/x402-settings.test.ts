import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import * as X402Settings from '../../src/process/x402-settings.ts';

const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const complete = { X402_PAY_TO: payTo, X402_FACILITATOR_URL: 'https://facilitator.example' };

function read(env: Record<string, string>, production = true) {
  const faults: string[] = [];
  const coin = X402Settings.read({ ...complete, ...env }, production, faults);
  return { coin, faults };
}

const ids = (env: Record<string, string>) => read(env).coin?.networks.map(({ network }) => network.id);

it('takes no stablecoin payments where nothing says so', () => {
  const faults: string[] = [];
  expect(X402Settings.read({}, true, faults)).toBeNull();
  expect(faults).toEqual([]);
});

it('sells on Base in production and on its test network elsewhere, for an address in lower case', () => {
  expect(read({}).coin).toMatchObject({
    payTo: payTo.toLowerCase(),
    facilitatorKey: { kind: 'none' },
    networks: [{ network: { id: 'eip155:8453' }, rpcUrl: null }],
  });
  expect(read({}, false).coin?.networks[0]?.network.id).toBe('eip155:84532');
});

it.each([
  // The addresses of EIP-55.
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  // Without capitals, or of capitals alone, there is no checksum.
  '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
])('takes the address %s', (address) => {
  expect(read({ X402_PAY_TO: address }).faults).toEqual([]);
});

it.each([
  ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', 'checksum'],
  ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', 'must be an address'],
  [`0x${'0'.repeat(40)}`, 'zero address'],
  ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'own contract'],
])('refuses the address %s, to which money would be lost', (address, what) => {
  const { faults } = read({ X402_PAY_TO: address });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(what);
});

it('offers several networks in their order, each with its own RPC address', () => {
  const { coin, faults } = read({
    X402_NETWORK: 'eip155:137, eip155:8453 eip155:42161',
    X402_RPC_URL: 'eip155:8453=https://base.example/key eip155:137=https://polygon.example',
  });
  expect(faults).toEqual([]);
  expect(coin?.networks.map(({ network, rpcUrl }) => [network.id, rpcUrl])).toEqual([
    ['eip155:137', 'https://polygon.example'],
    ['eip155:8453', 'https://base.example/key'],
    ['eip155:42161', null],
  ]);
});

it('sells for tokens that it does not know, which count when they are final', () => {
  const token = { network: 'eip155:50', asset: `0x${'12'.repeat(20)}`, name: 'USDC', version: '2' };
  const tokens = { X402_TOKENS: JSON.stringify([token]) };
  expect(ids(tokens)).toEqual(['eip155:50']);
  expect(ids({ ...tokens, X402_NETWORK: 'eip155:8453,eip155:50' })).toEqual(['eip155:8453', 'eip155:50']);
  expect(read(tokens).coin?.networks[0]?.network).toMatchObject({
    chainId: 50,
    assetName: 'USDC',
    legacyName: null,
    finality: 'finalized',
  });
});

it('counts blocks as final as it is told', () => {
  const finality = (env: Record<string, string>) => read(env).coin?.networks[0]?.network.finality;
  expect(finality({ X402_CONFIRMATIONS: '12' })).toBe(12);
  expect(finality({ X402_CONFIRMATIONS: 'safe' })).toBe('safe');
  expect(finality({})).toBe(2);
});

it.each([
  ['X402_NETWORK', 'eip155:50'],
  ['X402_NETWORK', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
  ['X402_TOKENS', '[{"network":"base"}]'],
  ['X402_TOKENS', 'not JSON'],
  ['X402_CONFIRMATIONS', '0'],
  ['X402_CONFIRMATIONS', 'soon'],
  ['X402_RPC_URL', 'http://rpc.example'],
  ['X402_RPC_URL', 'http://127.0.0.1:8545'],
  ['X402_RPC_URL', 'eip155:137=https://polygon.example'],
  ['X402_RPC_URL', 'https://one.example https://two.example'],
  ['X402_FACILITATOR_URL', 'http://facilitator.example'],
  ['X402_FACILITATOR_URL', ''],
  ['X402_FACILITATOR_KEY_ID', 'key'],
  ['X402_FACILITATOR_KEY_SECRET', 'secret'],
  ['X402_FACILITATOR_TOKEN', 'two words'],
])('says what is wrong with %s=%s', (name, value) => {
  const { faults } = read({ [name]: value });
  expect(faults.length).toBeGreaterThan(0);
  for (const fault of faults) expect(fault).toContain(name.replace(/_(ID|SECRET)$/, ''));
});

it('takes one kind of key for the facilitator, and repeats none of it', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  const cdp = { X402_FACILITATOR_KEY_ID: 'key', X402_FACILITATOR_KEY_SECRET: secret };
  expect(read(cdp)).toMatchObject({ faults: [], coin: { facilitatorKey: { kind: 'cdp', keyId: 'key' } } });
  expect(read({ X402_FACILITATOR_TOKEN: 'fac_1' }).coin?.facilitatorKey).toEqual({
    kind: 'bearer',
    token: 'fac_1',
  });
  expect(read({ ...cdp, X402_FACILITATOR_TOKEN: 'fac_1' }).faults).toHaveLength(1);
  const spoilt = read({ ...cdp, X402_FACILITATOR_KEY_SECRET: 'hush-hush' }).faults.join();
  expect(spoilt).toContain('X402_FACILITATOR_KEY_SECRET');
  expect(spoilt).not.toContain('hush-hush');
});
