import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Schema from '@sluice/kernel/json-schema';
import { type AuditResponse, type Finding, finding, type HttpClient, json, why } from './http-client.ts';
import { path } from './paths.ts';

/** An operation of the audited description. */
export type AuditedOperation = {
  at: string;
  method: string;
  path: string;
  operation: Schema.Node;
  payment: Schema.Node | null;
};

const pagesMax = 100;
const pageBytesMax = 64 * 1024;
const findingsOfAPageMax = 20;
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Reads and checks all pages of the description. */
export async function checkOpenApi(
  client: HttpClient,
  origin: string,
): Promise<{ operations: AuditedOperation[]; pages: number; findings: Finding[] }> {
  const first = origin + path.openapi;
  const findings: Finding[] = [];
  const operations: AuditedOperation[] = [];
  const seen = new Set<string>();
  for (let at: string | null = first; at !== null; ) {
    seen.add(at);
    const answer = await client({ url: at });
    const document = Schema.node(json(answer));
    if (answer.status !== 200 || typeof document.openapi !== 'string') {
      const says = answer.status === 200 ? 'no OpenAPI document' : why(answer);
      findings.push(
        finding('error', 'openapi_missing', at, says, 'Serve an OpenAPI 3 document; crawlers start with it.'),
      );
      break;
    }
    const here = operationsOf(document, at);
    const about = [...ofPage(document, answer, at, origin), ...here.flatMap(ofOperation)];
    findings.push(...about.slice(0, findingsOfAPageMax));
    operations.push(...here);
    if (at === first) findings.push(...(await cached(client, answer, at)));
    const next: string | null = nextOf(document, answer);
    const wrong = next === null ? null : isWrong(next, origin, seen);
    if (wrong !== null)
      findings.push(finding('error', 'page_unreachable', at, wrong, 'Link the next page of this very shop.'));
    at = wrong === null ? next : null;
  }
  return { operations, pages: seen.size, findings: [...findings, ...ofAll(operations, first)] };
}

function isWrong(next: string, origin: string, seen: ReadonlySet<string>): string | null {
  if (URL.parse(next)?.origin !== origin) return `the next page is at ${next}, which is not this shop`;
  if (seen.has(next)) return `the next page ${next} was there before`;
  return seen.size >= pagesMax ? `more than ${pagesMax} pages` : null;
}

/** Returns the URL of the next page, from the description or from its `Link` header (RFC 8288). */
function nextOf(document: Schema.Node, { headers }: AuditResponse): string | null {
  const said = Schema.text(Schema.node(document.info)['x-next']);
  return said || (/<([^>]+)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1] ?? null);
}

function operationsOf(document: Schema.Node, page: string): AuditedOperation[] {
  return Object.entries(Schema.node(document.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const value = Schema.node(item)[method];
      if (value === undefined) return [];
      const operation: Schema.Node = { security: document.security, ...Schema.node(value) };
      const info = operation['x-payment-info'];
      const payment = info === undefined ? null : Schema.node(info);
      return [
        {
          at: `${page} ${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          operation,
          payment,
        },
      ];
    }),
  );
}

function ofPage(document: Schema.Node, { text }: AuditResponse, at: string, origin: string): Finding[] {
  const { title, version, contact } = Schema.node(document.info);
  const server = Schema.text(Schema.node(Schema.list(document.servers)[0]).url);
  const bytes = Buffer.byteLength(text);
  const dangling = refsOf(document).filter((ref) => !resolves(document, ref));
  const reachable = Schema.text(Schema.node(contact).email) || Schema.text(Schema.node(contact).url);
  return [
    ...(title && version
      ? []
      : [finding('error', 'info_missing', at, 'no info.title or info.version', 'State both.')]),
    ...(URL.parse(server, at)?.origin === origin
      ? []
      : [finding('error', 'server_elsewhere', at, `servers[0] is ${server}`, `Name ${origin}.`)]),
    ...dangling.map((ref) =>
      finding(
        'error',
        'reference_dangling',
        at,
        `${ref} is not on the page`,
        'Each page must be complete: add the component to it.',
      ),
    ),
    ...(bytes <= pageBytesMax
      ? []
      : [finding('warning', 'page_large', at, `${bytes} bytes`, `Cut pages below ${pageBytesMax} bytes.`)]),
    ...(reachable
      ? []
      : [finding('note', 'contact_missing', at, 'info.contact has no email or url', 'Say who is asked.')]),
  ];
}

function refsOf(value: unknown): string[] {
  const found = new Set<string>();
  const member = (key: string, item: unknown) => {
    if (key === '$ref' && typeof item === 'string') found.add(item);
    else if (key !== 'example' && key !== 'examples') collect(item);
  };
  const collect = (part: unknown) => {
    if (Array.isArray(part)) part.forEach(collect);
    else if (typeof part === 'object' && part !== null)
      for (const [key, item] of Object.entries(part)) member(key, item);
  };
  collect(value);
  return [...found];
}

function resolves(document: Schema.Node, ref: string): boolean {
  const pointer = ref.startsWith('#') ? JsonPointer.parse(ref.slice(1)) : null;
  return pointer !== null && JsonPointer.resolve(document, pointer) !== undefined;
}

function ofOperation({ at, method, operation, payment }: AuditedOperation): Finding[] {
  const security = Schema.list(operation.security);
  const amiss: [boolean, Finding['severity'], string, string, string][] = [
    [
      !Schema.text(operation.summary) && !Schema.text(operation.description),
      'warning',
      'words_missing',
      'no summary or description',
      'Say what it does: it is found by that.',
    ],
    [
      operation.security === undefined,
      'warning',
      'security_missing',
      'who may call it is not said',
      'Name a scheme, or [] for anybody.',
    ],
  ];
  if (payment !== null) {
    const { mode, amount, min, max } = Schema.node(payment.price);
    const isPriced =
      (mode === 'fixed' && amount !== undefined) ||
      (mode === 'dynamic' && min !== undefined && max !== undefined);
    const responses = Schema.node(operation.responses);
    amiss.push(
      [
        !isPriced &&
          Schema.list(payment.offers).length === 0 &&
          payment.amount === undefined &&
          payment.socket === undefined,
        'error',
        'price_missing',
        'x-payment-info has no price that can be budgeted',
        'State price: {mode: fixed, amount} or {mode: dynamic, min, max}.',
      ],
      [
        responses['402'] === undefined,
        'error',
        'refusal_missing',
        'it has a price and no 402',
        'Describe the 402.',
      ],
      [
        security.length > 0 && responses['401'] === undefined && Schema.text(payment.access) === 'plan',
        'warning',
        'refusal_missing',
        'it asks for a token and has no 401',
        'Describe the 401.',
      ],
      [
        Schema.list(payment.protocols).length === 0,
        'warning',
        'protocols_missing',
        'how it is paid is not said',
        'State x-payment-info.protocols.',
      ],
      [
        ['POST', 'PUT', 'PATCH'].includes(method) && operation.requestBody === undefined,
        'warning',
        'body_missing',
        'what it takes is not said',
        'Describe the requestBody.',
      ],
    );
  }
  return amiss
    .filter(([isAmiss]) => isAmiss)
    .map(([, severity, code, says, fix]) => finding(severity, code, at, says, fix));
}

function ofAll(operations: readonly AuditedOperation[], at: string): Finding[] {
  if (operations.length === 0)
    return [finding('error', 'nothing_described', at, 'no operation on any page', 'Describe what is sold.')];
  const ids = new Set<unknown>();
  const twice = operations.filter(({ method, path, operation }) => {
    const id = operation.operationId ?? `${method} ${path}`;
    return ids.has(id) || !ids.add(id);
  });
  const priced = operations.some(({ payment }) => payment !== null);
  return [
    ...(priced
      ? []
      : [
          finding('error', 'nothing_priced', at, 'no operation has x-payment-info', 'State what each costs.'),
        ]),
    ...twice
      .slice(0, findingsOfAPageMax)
      .map((it) =>
        finding('warning', 'operation_twice', it.at, 'its operationId was there before', 'Make each unique.'),
      ),
  ];
}

/** Checks that a page supports conditional requests (RFC 9110, section 13). */
async function cached(client: HttpClient, { headers }: AuditResponse, url: string): Promise<Finding[]> {
  const etag = headers.get('etag');
  const again = etag === null ? null : await client({ url, headers: { 'if-none-match': etag } });
  if (again?.status === 304) return [];
  const says = again === null ? 'no ETag' : `its own ETag gives ${again.status}, not 304`;
  return [finding('warning', 'not_cacheable', url, says, 'Send an ETag, and 304 to who has it.')];
}
