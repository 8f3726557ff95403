import { describe, expect, test, vi } from 'vitest';
import type * as PurchaseInput from '../../src/payment/purchase-input.ts';
import { breaches } from './shop-breaches.ts';
import { planted } from './shop-flaws.ts';

/** The shop without a flaw is in shop-value.long.ts. A flaw that needs a slow payment, time to pass and no later sale is in about every third batch. */
const mutantHistoriesMax = 144;
const mutantMs = 300_000;
/** Fixed, so that every run has the same histories; only the interleaving of their calls differs. */
const seed = 2;

const rules = vi.hoisted(() => ({ takesReturnUrls: false }));
vi.mock('../../src/payment/purchase-input.ts', async (original) => {
  const purchaseInput = await original<typeof PurchaseInput>();
  const refusedReturn: typeof purchaseInput.refusedReturn = (...given) =>
    rules.takesReturnUrls ? [] : purchaseInput.refusedReturn(...given);
  return { ...purchaseInput, refusedReturn };
});

describe('random histories find a shop in which', () => {
  test.each(planted)(
    'point %i: %s',
    async (...[, , only, says, flaw]) => {
      const found = await breaches(mutantHistoriesMax, { seed, flaw, only });
      expect(found).toContainEqual(expect.stringMatching(says));
    },
    mutantMs,
  );

  test(
    'point 8: a buyer without an account is sent away from the page that shows the tokens',
    async () => {
      rules.takesReturnUrls = true;
      const found = await breaches(mutantHistoriesMax, { seed, flaw: {}, only: ['buy'] });
      expect(found).toContainEqual(expect.stringMatching(/ no way into the account/));
    },
    mutantMs,
  );
});
