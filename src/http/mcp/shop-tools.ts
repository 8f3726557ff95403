import type { Advice } from '../../advisor/advice.ts';
import * as Manifest from '../../catalog/manifest.ts';
import * as PriceMatrix from '../../catalog/price-matrix.ts';
import * as Account from '../../journeys/account.ts';
import type * as Quote from '../../journeys/quote.ts';
import type { Shop } from '../../journeys/shop.ts';
import { caller, unidentified } from '../edge.ts';
import { error, json, unprocessable } from '../reply.ts';
import * as IdentityRoutes from '../routes/identity.ts';
import * as Arguments from './arguments.ts';
import * as BuyTool from './buy-tool.ts';
import type { SoldTool } from './sold-tool.ts';
import { type Tool, told } from './tool.ts';

type Schema = Tool['listed']['inputSchema'];

/** What a caller may do here besides calling what is sold: ask, look, register, buy. */
export function of(
  shop: Shop,
  ask: Quote.Ask,
  sold: readonly SoldTool[],
  clientAddressHeader: string | null,
): Tool[] {
  return [
    guide(ask, sold),
    ...catalogue(shop),
    register(clientAddressHeader),
    BuyTool.of(shop, clientAddressHeader),
    account(),
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

function guide(ask: Quote.Ask, sold: readonly SoldTool[]): Tool {
  return tool(
    'shop_guide',
    'What to call for a goal',
    'Free. From a goal in plain words to the tools to call, in order, with their arguments; what it costs, which plan pays for it, and what is missing. Ask this first.',
    {
      goal: { type: 'string', minLength: 1, maxLength: 2000, description: 'What is wanted, in plain words.' },
      quantity: { type: 'integer', minimum: 1, description: 'How many results are wanted.' },
      budgetUsd: { type: 'number', description: 'The most that may be spent, in USD.' },
      budgetExclusive: { type: 'boolean' },
      reviewAfterCalls: { type: 'integer', minimum: 1 },
      requirements: { type: 'array', items: { type: 'string' } },
      humanAvailable: { type: 'boolean', description: 'Whether a person can be asked to pay by card.' },
      payment: { type: 'string', enum: ['x402', 'mpp', 'card'] },
    },
    ['goal'],
    async ({ requestId }, args) => {
      const asked = ask(args);
      return asked.kind === 'fault'
        ? told(unprocessable(asked.faults, requestId))
        : told(json(200, { success: true, ...asTools(asked.advise() as Advice, sold) }));
    },
  );
}

/** An advice whose requests are calls of tools. */
function asTools(
  { guide: _guide, guideUrl, operations, steps, ...advice }: Advice,
  sold: readonly SoldTool[],
) {
  const callOf = (request: Advice['steps'][number]['request']) => {
    const { operation } = operations.find((it) => it.request === request) ?? {};
    const found = sold.find((it) => it.operation.id === operation);
    return request && found && { name: found.listed.name, arguments: Arguments.of(found.form, request) };
  };
  return {
    ...advice,
    guide_url: guideUrl,
    operations: operations.map(({ request, method: _method, path: _path, ...rest }) => ({
      ...rest,
      tool: callOf(request)?.name,
    })),
    steps: steps.map((step) => ({
      do: step.do,
      note: step.note,
      tool:
        step.do === 'register'
          ? { name: 'shop_register', arguments: {} }
          : step.do === 'buy'
            ? {
                name: 'shop_purchase',
                arguments: { plan: advice.plan?.id, ...(step.request?.body as object) },
              }
            : (callOf(step.request) ?? null),
    })),
  };
}

function catalogue({ catalog, publicUrl, description }: Shop): Tool[] {
  const context = { baseUrl: publicUrl, description };
  const { name, plans, prices, payment } = Manifest.manifest(catalog, {
    baseUrl: publicUrl,
    rails: ['mpp', 'card'],
  });
  const slugs = catalog.services.map(({ slug }) => slug);
  return [
    tool(
      'shop_services',
      'What is sold',
      'Free. The services of this shop with their prices, and its plans.',
      {},
      [],
      async () =>
        told(
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
      'Free. What a unit of one service costs under each plan, and the most that one call can cost.',
      { service: { type: 'string', enum: slugs } },
      ['service'],
      async ({ requestId }, { service }) => {
        const detail = PriceMatrix.detail(catalog, String(service ?? ''), context);
        return detail === null
          ? told(error(404, 'not_found', `No such service. Services: ${slugs.join(', ')}.`, requestId))
          : told(json(200, { success: true, ...detail }));
      },
    ),
  ];
}

function register(clientAddressHeader: string | null): Tool {
  return tool(
    'shop_register',
    'Open an account',
    'Free, and once. Gives an access_token, good for an hour: send it as `Authorization: Bearer` with every request to this server. The new account has free trial units.',
    {},
    [],
    async ({ shop, c }) => told(await IdentityRoutes.register(shop, c, clientAddressHeader)),
    false,
  );
}

function account(): Tool {
  return tool(
    'shop_account',
    'My account',
    'Free. Balance, plans and what is left of them, for the bearer.',
    {},
    [],
    async ({ shop, c }) => {
      const known = await caller(shop, c, true);
      if (known.kind === 'refused') return told(known.reply);
      if (known.kind === 'absent') return told(unidentified(shop, c, { kind: 'absent' }));
      return told(json(200, await Account.overview(shop, known.account)));
    },
  );
}
