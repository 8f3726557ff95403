import {
  type GetPromptResult,
  ProtocolError,
  type ReadResourceResult,
  type Server,
} from '@modelcontextprotocol/server';
import * as Manifest from '../../catalog/manifest.ts';
import type { DiscoveryContext } from '../../discovery/discovery-context.ts';
import * as LlmsTxt from '../../discovery/llms-txt.ts';
import * as Paths from '../../discovery/paths.ts';
import * as Headers from '../../proxy/headers.ts';
import * as ResultTool from './result-tool.ts';
import * as SearchTools from './search-tools.ts';
import type { Exchange } from './tool.ts';
import type { Toolbox, ToolContext } from './toolbox.ts';

const notFound = -32_002;
const notAllowed = -32_001;
const invalidParams = -32_602;
const operationScheme = 'operation://';

type Document = {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  text: string;
};

/** The shop's documents as resources, and prompts that start with them. Built once. */
export type Documents = {
  documents: readonly Document[];
  shop: ToolContext;
  tools: Toolbox;
};

/** The dependencies of the documents. */
export type DocumentsContext = ToolContext & Pick<DiscoveryContext, 'reference'>;

export function open(shop: DocumentsContext, tools: Toolbox): Documents {
  const { reference, publicUrl, catalog, rails } = shop;
  const manifest = Manifest.manifest(catalog, { baseUrl: publicUrl, rails, links: Paths.links });
  const documents = [
    {
      ...{ path: Paths.path.manifest, name: 'prices', title: 'Prices' },
      description: 'Services, plans and prices of this shop: the authority for prices.',
      ...{ mimeType: 'application/json', text: JSON.stringify(manifest) },
    },
    {
      ...{ path: Paths.path.skill, name: 'skill', title: 'How to use this shop' },
      description: 'Register, ask, call, buy: the steps with their requests.',
      ...{ mimeType: 'text/markdown', text: LlmsTxt.skill(reference) },
    },
    {
      ...{ path: Paths.path.llms, name: 'llms', title: 'Overview' },
      description: 'The services of this shop, with links.',
      ...{ mimeType: 'text/markdown', text: LlmsTxt.llms(reference) },
    },
    {
      ...{ path: Paths.path.llmsFull, name: 'llms-full', title: 'All operations' },
      description: 'Every operation with its price and an example.',
      ...{ mimeType: 'text/markdown', text: LlmsTxt.llmsFull(reference) },
    },
  ].map(({ path, ...one }) => ({ uri: publicUrl + path, ...one }));
  return { documents, shop, tools };
}

/** Adds the resources and prompts to a server. */
export function serve(product: Server, known: Documents, exchange: Exchange): void {
  product.setRequestHandler('resources/list', () => ({
    resources: known.documents.map(({ text, ...listed }) => ({ ...listed, size: Buffer.byteLength(text) })),
  }));
  product.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${operationScheme}{name}`,
        name: 'operation',
        title: 'An operation',
        description: 'The price, the arguments and the result fields of an operation.',
        mimeType: 'application/json',
      },
      {
        uriTemplate: `${ResultTool.scheme}{call}`,
        name: 'result',
        title: 'The result of a call',
        description:
          'The complete result of a call that call_operation cut. Needs the bearer token of its account; free.',
      },
    ],
  }));
  product.setRequestHandler('resources/read', ({ params }) => read(known, exchange, params.uri));
  product.setRequestHandler('prompts/list', () => ({ prompts }));
  product.setRequestHandler('prompts/get', ({ params }) =>
    prompt(known, params.name, params.arguments ?? {}),
  );
}

async function read(
  { documents, shop, tools }: Documents,
  exchange: Exchange,
  uri: string,
): Promise<ReadResourceResult> {
  const document = documents.find((it) => it.uri === uri);
  if (document !== undefined) {
    const { mimeType, text } = document;
    return { contents: [{ uri, mimeType, text }] };
  }
  if (uri.startsWith(operationScheme)) {
    const described = SearchTools.describe([...tools.values()], decodeURI(uri.slice(operationScheme.length)));
    if (described !== null)
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(described) }] };
  }
  if (uri.startsWith(ResultTool.scheme)) {
    const found = await ResultTool.read(shop, exchange, uri.slice(ResultTool.scheme.length));
    if (!('callId' in found))
      throw new ProtocolError(found.status === 404 ? notFound : notAllowed, String(found.body.message), {
        ...found.body,
        uri,
      });
    const mimeType = Headers.first(found.headers, 'content-type') ?? '';
    const isText = /json|^text\/|xml|^$/.test(mimeType);
    return {
      contents: [
        isText
          ? { uri, mimeType, text: found.body.toString() }
          : { uri, mimeType, blob: found.body.toString('base64') },
      ],
    };
  }
  throw new ProtocolError(notFound, 'There is no such resource. List them with resources/list.', { uri });
}

const prompts = [
  {
    name: 'find_and_call',
    title: 'Reach a goal with this shop',
    description: 'Find the operations for a goal, agree on the cost, and call them.',
    arguments: [
      { name: 'goal', description: 'The goal in plain words.', required: true },
      { name: 'budget_usd', description: 'The most to spend, such as "2.00".' },
    ],
  },
  {
    name: 'explain_prices',
    title: 'Explain the prices',
    description: 'Explain what this shop sells and what it costs.',
    arguments: [{ name: 'use', description: 'What you want to use it for.' }],
  },
  {
    name: 'explain_operation',
    title: 'Explain an operation',
    description: 'Explain the arguments, the result and the price of an operation.',
    arguments: [{ name: 'operation', description: 'Its name.', required: true }],
  },
];

function prompt(
  { documents, tools }: Documents,
  name: string,
  given: Readonly<Record<string, string>>,
): GetPromptResult {
  const known = prompts.find((it) => it.name === name);
  const missing = known?.arguments.find((it) => 'required' in it && !given[it.name]?.trim());
  if (known === undefined || missing !== undefined)
    throw new ProtocolError(
      invalidParams,
      known === undefined
        ? `There is no such prompt. Prompts: ${prompts.map((it) => it.name).join(', ')}.`
        : `The prompt needs the argument ${missing?.name}.`,
    );
  const said = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
  const attached = ({ uri, mimeType, text }: { uri: string; mimeType: string; text: string }) => ({
    role: 'user' as const,
    content: { type: 'resource' as const, resource: { uri, mimeType, text } },
  });
  const { description } = known;
  const document = (wanted: string) => documents.filter((it) => it.name === wanted).map(attached);
  switch (name) {
    case 'find_and_call': {
      const budget = given.budget_usd
        ? `Spend at most ${given.budget_usd} USD in total, and set max_cost_usd on every call.`
        : 'Report the cost and ask me before the first paid call.';
      return {
        description,
        messages: [
          said(
            `My goal: ${given.goal}\n\nAsk shop_guide first; it is free. If it is unsure, find operations with search_operations. ${budget} Call operations with call_operation, ask for only the fields that are needed, and report what was charged.`,
          ),
        ],
      };
    }
    case 'explain_prices': {
      const use = given.use ? ` I want to use it for: ${given.use}. Estimate the cost.` : '';
      return {
        description,
        messages: [
          said(`Explain what this shop sells, its plans and its prices.${use}`),
          ...document('prices'),
        ],
      };
    }
    default: {
      const described = SearchTools.describe([...tools.values()], given.operation ?? '');
      if (described === null)
        throw new ProtocolError(invalidParams, 'There is no such operation. Find it with search_operations.');
      const text = JSON.stringify(described);
      return {
        description,
        messages: [
          said('Explain this operation: what it returns, its arguments with an example, and its price.'),
          attached({ uri: `${operationScheme}${given.operation}`, mimeType: 'application/json', text }),
        ],
      };
    }
  }
}
