import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import { token } from './catalogue-console.ts';
import * as Shop from './shop.ts';

export const catalogue = `# The shop of the test.
storefront: { name: Edited, contact: sales@example.com }   # shown to buyers
upstream: { key: { header: x-api-key } }
services:
  - slug: lists
    name: Lists          # by the piece
    price_usd: "0.001"
    operations:
      - { call: GET /v1/list, units: /count, units_max: 10 }
plans:
  - { id: credit, kind: credit, covers: "*" }
  - { id: small, kind: subscription, covers: "*", price_usd: "10.00", every: month, included: 100 }
`;

/** `here` and `there`: the catalogue files of `shop` and of `elsewhere`, the address of a process on another machine. */
type EditedShop = {
  shop: Shop.Shop;
  here: string;
  elsewhere: string;
  there: string;
  stop: () => Promise<void>;
};

/** Opens a shop whose catalogue can be edited in the console. */
export async function openEdited(): Promise<EditedShop> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  const [here, there] = [join(folder, 'here/catalog.yaml'), join(folder, 'there/catalog.yaml')];
  for (const path of [here, there]) {
    await mkdir(dirname(path));
    await writeFile(path, catalogue);
  }
  const upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token, CATALOG: here };
  const shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, env });
  return {
    ...{ shop, here, there, elsewhere: await shop.addStorefront({ CATALOG: there }) },
    async stop() {
      await shop.stop();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
