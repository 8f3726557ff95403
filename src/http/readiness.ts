import type { Shop } from '../journeys/shop.ts';

/** What has to be so before this process takes a call. */
export async function checks(
  shop: Pick<Shop, 'lane' | 'upstream'>,
  isDraining: () => boolean,
): Promise<Record<'serving' | 'ledger' | 'upstream', boolean>> {
  return { serving: !isDraining(), ledger: shop.lane.ready, upstream: await shop.upstream.probe() };
}
