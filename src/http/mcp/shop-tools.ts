import type { Advice } from '@sluice/advisor/advice';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Manifest from '../../catalog/manifest.ts';
import * as PriceMatrix from '../../catalog/price-matrix.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Account from '../../journeys/account.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import type * as Quote from '../../journeys/quote.ts';
import type { AgentRegisterContext } from '../../journeys/registration.ts';
import type { Texts } from '../../text/texts.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import * as IdentityRoutes from '../api/identity.ts';
import { error, json, unprocessable } from '../reply.ts';
import { caller, unidentified } from '../request-context.ts';
import * as Arguments from './arguments.ts';
import * as BuyTool from './buy-tool.ts';
import type { SoldTool } from './sold-tool.ts';
import { type Tool, toolResult } from './tool.ts';

type Schema = Tool['listed']['inputSchema'];

/** The dependencies of the shop's own tools. */
export type ShopToolsContext = BuyTool.BuyContext &
  AgentRegisterContext &
  Account.AccountContext &
  Pick<CatalogContext, 'description'>;

/** The shop's own tools: the guide, the catalogue, registration, purchase and account. */
export function shopTools(
  shop: ShopToolsContext,
  ask: Quote.Ask,
  sold: readonly SoldTool[],
  clientAddressHeader: string | null,
): Tool[] {
  return [
    guide(shop.texts, ask, sold),
    ...catalogue(shop),
    register(shop, clientAddressHeader),
    BuyTool.buyTool(shop, clientAddressHeader),
    account(shop),
  ];
}

function tool(
  name: string,
  title: string,
  description: string,
  properties: Schema['properties'],
  required: string[],
  call: Tool['call'],
  isReading = true,
): Tool {
  const inputSchema: Schema = {
    type: 'object',
    ...(properties && { properties }),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const annotations = {
    title,
    openWorldHint: false,
    ...(isReading ? { readOnlyHint: true } : { destructiveHint: false }),
  };
  return { isSold: false, listed: { name, title, description, inputSchema, annotations }, call };
}

function guide(texts: Texts, ask: Quote.Ask, sold: readonly SoldTool[]): Tool {
  return tool(
    'shop_guide',
    'What to call for a goal',
    'Free. Turns a goal in plain words into the tools to call, in order, with their arguments, the cost, the plan that pays for it, and missing information. Call this first.',
    {
      goal: { type: 'string', minLength: 1, maxLength: 2000, description: 'The goal in plain words.' },
      quantity: { type: 'integer', minimum: 1, description: 'Number of results wanted.' },
      budgetUsd: { type: 'number', description: 'Maximum amount to spend, in USD.' },
      budgetExclusive: { type: 'boolean' },
      reviewAfterCalls: { type: 'integer', minimum: 1 },
      requirements: { type: 'array', items: { type: 'string' } },
      humanAvailable: { type: 'boolean', description: 'True when a person can pay by card.' },
      payment: { type: 'string', enum: ['x402', 'mpp', 'card'] },
    },
    ['goal'],
    async ({ requestId, listsAll }, args) => {
      const asked = ask(args);
      return asked.kind === 'fault'
        ? toolResult(unprocessable(texts, asked.faults, requestId))
        : toolResult(
            json(200, { success: true, ...asTools((await asked.advise()) as Advice, sold, listsAll) }),
          );
    },
  );
}

/** An advice with tool calls in place of HTTP requests. */
function asTools(
  { guide: _guide, guideUrl, operations, steps, ...advice }: Advice,
  sold: readonly SoldTool[],
  listsAll: boolean,
) {
  const foundOf = (request: Advice['steps'][number]['request']) => {
    const { operation } = operations.find((it) => it.request === request) ?? {};
    return sold.find((it) => it.operation.id === operation);
  };
  const callOf = (request: Advice['steps'][number]['request']) => {
    const found = foundOf(request);
    if (!request || found === undefined) return undefined;
    const { name } = found.listed;
    const args = Arguments.argumentsOf(found.form, request);
    return listsAll
      ? { name, arguments: args }
      : { name: 'call_operation', arguments: { operation: name, arguments: args } };
  };
  return {
    ...advice,
    guide_url: guideUrl,
    operations: operations.map(({ request, method: _method, path: _path, ...rest }) => ({
      ...rest,
      tool: foundOf(request)?.listed.name,
    })),
    steps: steps.map((step) => ({ do: step.do, note: step.note, tool: toolOf(step) })),
  };

  function toolOf(step: Advice['steps'][number]) {
    switch (step.do) {
      case 'register':
        return { name: 'shop_register', arguments: {} };
      case 'buy': {
        const plan = { plan: advice.plan?.id, ...(step.request?.body as object) };
        return { name: 'shop_purchase', arguments: plan };
      }
      default:
        return callOf(step.request) ?? null;
    }
  }
}

function catalogue({
  catalog,
  publicUrl,
  description,
  rails,
}: Pick<CatalogContext, 'catalog' | 'description' | 'publicUrl' | 'rails'>): Tool[] {
  const context = { baseUrl: publicUrl, description };
  const { name, plans, prices, payment } = Manifest.manifest(catalog, {
    baseUrl: publicUrl,
    rails: rails.filter((rail) => rail !== 'x402'),
  });
  const slugs = catalog.services.map(({ slug }) => slug);
  return [
    tool(
      'shop_services',
      'Services and prices',
      'Free. The services of this shop with their prices, and its plans.',
      {},
      [],
      async () =>
        toolResult(
          json(200, {
            success: true,
            name,
            services: catalog.services.map(({ slug, name: called, description: about }) => ({
              slug,
              name: called,
              description: about,
            })),
            prices,
            plans,
            payment,
          }),
        ),
    ),
    tool(
      'shop_prices',
      'Prices of a service',
      'Free. The unit price of one service under each plan, and the maximum cost of one call.',
      { service: { type: 'string', enum: slugs } },
      ['service'],
      async ({ requestId }, { service }) => {
        const detail = PriceMatrix.detail(catalog, String(service ?? ''), context);
        return detail === null
          ? toolResult(
              error(404, 'not_found', `There is no such service. Services: ${slugs.join(', ')}.`, requestId),
            )
          : toolResult(json(200, { success: true, ...detail }));
      },
    ),
  ];
}

function register(
  shop: AgentRegisterContext & IdentityContext & TextsContext,
  clientAddressHeader: string | null,
): Tool {
  return tool(
    'shop_register',
    'Open an account',
    'Free; call it once. Returns an access_token that is valid for an hour: send it as `Authorization: Bearer` with every request to this server. The new account gets the free trial. If the result is proof_of_work_required, solve it and call again with challenge and solution.',
    {
      challenge: { type: 'string', description: 'The challenge of `proof_of_work`, if you got one.' },
      solution: { type: 'string', description: 'Its solution.' },
    },
    [],
    async ({ c }, { challenge, solution }) => {
      const work =
        typeof challenge === 'string' && typeof solution === 'string' ? { challenge, solution } : null;
      return toolResult(
        await IdentityRoutes.register(shop, c, clientAddressHeader, { work, credentialType: 'access_token' }),
      );
    },
    false,
  );
}

function account(shop: CallerContext & Account.AccountContext): Tool {
  return tool(
    'shop_account',
    'My account',
    'Free. Balance and plans of the account, with what is left of them.',
    {},
    [],
    async ({ c }) => {
      const known = await caller(shop, c, 'MCP account');
      if (known.kind === 'refused') return toolResult(known.reply);
      if (known.kind === 'absent') return toolResult(unidentified(shop, c, { kind: 'absent' }));
      return toolResult(json(200, await Account.overview(shop, known.account)));
    },
  );
}
