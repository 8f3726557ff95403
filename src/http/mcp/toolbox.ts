import { operationKey } from '@sluice/kernel/operation-key';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type * as Match from '../../catalog/match.ts';
import type * as Quote from '../../journeys/quote.ts';
import * as SearchTools from './search-tools.ts';
import * as ShopTools from './shop-tools.ts';
import type * as SoldCall from './sold-call.ts';
import type { DescribedOperation } from './sold-input.ts';
import * as SoldTool from './sold-tool.ts';
import type { Tool } from './tool.ts';
import { isObject } from './tool-schema.ts';

/** All tools of a shop by name, in the order of their listing. Built once. */
export type Toolbox = ReadonlyMap<string, Tool>;

/** The dependencies of all tools. Each tool takes only its own part. */
export type ToolContext = ShopTools.ShopToolsContext &
  SoldCall.SoldCallContext &
  SearchTools.SearchToolsContext &
  Pick<CatalogContext, 'document'>;

/** The shop's own tools, those that find and call operations, and one for each operation of the catalogue. */
export function toolsOf(
  shop: ToolContext,
  ask: Quote.Ask,
  matcher: Match.Matcher,
  clientAddressHeader: string | null,
): Toolbox {
  const described = operationsOf(shop.document);
  const shopTools = ShopTools.shopTools(shop, ask, [], clientAddressHeader);
  const names = new Set([...shopTools.map(({ listed }) => listed.name), ...SearchTools.names]);
  const sold: SoldTool.SoldTool[] = [];
  for (const operation of shop.catalog.operations) {
    // A WebSocket cannot be opened over MCP.
    if (operation.socket !== undefined) continue;
    const description = described.get(operationKey(operation.method, operation.path)) ?? null;
    const tool = SoldTool.soldTool(shop, operation, description, shop.document, matcher, names);
    names.add(tool.listed.name);
    sold.push(tool);
  }
  const all = [
    ...ShopTools.shopTools(shop, ask, sold, clientAddressHeader),
    ...SearchTools.searchTools(shop, sold),
    ...sold,
  ];
  return new Map(all.map((tool) => [tool.listed.name, tool]));
}

function operationsOf(document: unknown): Map<string, DescribedOperation> {
  const paths = isObject(document) && isObject(document.paths) ? document.paths : {};
  const described = new Map<string, DescribedOperation>();
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    const shared = Array.isArray(item.parameters) ? item.parameters : [];
    for (const [method, operation] of Object.entries(item))
      if (isObject(operation)) described.set(operationKey(method.toUpperCase(), path), { operation, shared });
  }
  return described;
}
