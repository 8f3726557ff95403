import * as Description from '../../catalog/description.ts';
import type * as Match from '../../catalog/match.ts';
import type * as Quote from '../../journeys/quote.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as ShopTools from './shop-tools.ts';
import type { Described } from './sold-input.ts';
import * as SoldTool from './sold-tool.ts';
import type { Tool } from './tool.ts';
import { isObject } from './tool-schema.ts';

/** All tools of a shop, by name, in the order in which they are listed. Made once. */
export type Toolbox = ReadonlyMap<string, Tool>;

/** The shop's own tools, and one for each operation of the catalogue. */
export function of(
  shop: Shop,
  ask: Quote.Ask,
  matcher: Match.Matcher,
  clientAddressHeader: string | null,
): Toolbox {
  const described = operationsOf(shop.document);
  const names = new Set(ShopTools.of(shop, ask, [], clientAddressHeader).map(({ listed }) => listed.name));
  const sold: SoldTool.SoldTool[] = [];
  for (const operation of shop.catalog.operations) {
    const said = described.get(Description.key(operation.method, operation.path)) ?? null;
    const tool = SoldTool.of(operation, said, shop.document, matcher, names);
    names.add(tool.listed.name);
    sold.push(tool);
  }
  const all = [...ShopTools.of(shop, ask, sold, clientAddressHeader), ...sold];
  return new Map(all.map((tool) => [tool.listed.name, tool]));
}

function operationsOf(document: unknown): Map<string, Described> {
  const paths = isObject(document) && isObject(document.paths) ? document.paths : {};
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
        isObject(operation)
          ? [
              [
                Description.key(method.toUpperCase(), path),
                {
                  operation,
                  shared: isObject(item) && Array.isArray(item.parameters) ? item.parameters : [],
                },
              ] as const,
            ]
          : [],
      ),
    ),
  );
}
