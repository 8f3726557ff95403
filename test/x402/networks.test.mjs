import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_ASSETS } from '@x402/evm';
import { evm } from 'x402/types';
import * as Network from '../../src/payment/x402/network.ts';

test('networks and tokens are those of the official packages', () => {
  for (const { id, chainId, asset, assetName, assetVersion, legacyName } of Network.known) {
    const [official] = DEFAULT_ASSETS[id] ?? [];
    if (official)
      assert.deepEqual(
        { asset, name: assetName, version: assetVersion, decimals: 6 },
        {
          asset: official.asset,
          name: official.name,
          version: official.version,
          decimals: official.decimals,
        },
        id,
      );
    const legacy = evm.config[chainId];
    assert.ok(official ?? legacy, `${id} is known to one of the packages`);
    if (legacyName !== null) {
      assert.equal(legacy.usdcAddress.toLowerCase(), asset.toLowerCase());
      assert.equal(legacy.usdcName, assetName);
    }
  }
});
