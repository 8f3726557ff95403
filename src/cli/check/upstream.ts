import type { Catalog } from '../../catalog/catalog.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('upstream');

export type Settings = {
  url: string;
  key: string;
  catalog: Catalog;
  /** True for the bundled data interface, which `sluice start` runs. */
  isBundled: boolean;
  /** A request that is free for the seller, such as `GET /me`, for a catalogue without one. */
  probe: string | null;
};

const byHand = 'name a GET that is free for you: --probe "GET /me"';
/** Fills path parameters. No resource has this name, so the upstream finds nothing. */
const unusedName = 'sluice-check';

/**
 * Checks that the API answers and accepts the key. Only a GET is sent: one that is free in the catalogue, or one for a resource that does
 * not exist. The key is proved when the same request is refused without it.
 */
export async function checkUpstream(settings: Settings): Promise<Finding.Finding[]> {
  const { url, key, catalog, isBundled, probe } = settings;
  const path = probe === null ? harmless(catalog.operations) : /^GET (\/\S*)$/.exec(probe)?.[1];
  if (path === undefined) return [problem(`--probe ${probe} is not of the form "GET /path"`)];
  try {
    const { header, value } = catalog.upstream.key;
    const bare = await ask(`${url}${path ?? '/'}`, {});
    const reached = ok(`${url} answers`);
    if (path === null)
      return [
        reached,
        unproved('whether it accepts the key: the catalogue has no GET that is certain to be free', byHand),
      ];
    if (key === '') {
      return isRefusal(bare)
        ? [reached, problem(`it requires a key: GET ${path} answers ${bare}`, 'set UPSTREAM_API_KEY')]
        : [reached, ok(`it requires no key: GET ${path} answers ${bare}`)];
    }
    const withKey = await ask(`${url}${path}`, { [header]: value.replaceAll('{key}', key) });
    return [reached, judge(path, withKey, bare, header), ...(await unofferedFindings(url, catalog))];
  } catch (fault) {
    if (isBundled) return [unproved(`the bundled data API at ${url} is not running`, 'sluice start runs it')];
    return [
      problem(
        `${url} does not respond: ${Finding.reason(fault)}`,
        'check UPSTREAM_URL, and that the API is running',
      ),
    ];
  }
}

function judge(path: string, withKey: number, bare: number, header: string): Finding.Finding {
  const said = `GET ${path} answers ${withKey} with the key, ${bare} without`;
  if (isRefusal(withKey))
    return problem(
      `it rejects the key: ${said}`,
      `check UPSTREAM_API_KEY, and that its header is ${header} (upstream.key in the catalogue)`,
    );
  if (withKey >= 500 || withKey === 429)
    return unproved(`whether it accepts the key: ${said}`, 'run the check again later');
  if (isRefusal(bare)) return ok(`it accepts the key: ${said}`);
  return unproved(`whether it accepts the key: ${said}, so this request needs none`, byHand);
}

/** Title in the description of the bundled data API, which leaves out the operations that it cannot serve. */
const dataApiTitle = 'Professional B2B data API';

/** Reports operations for sale that the data API does not offer: those from live profiles need a source. */
async function unofferedFindings(url: string, { operations }: Catalog): Promise<Finding.Finding[]> {
  const description = await describedBy(url);
  if (description?.info?.title !== dataApiTitle) return [];
  const paths = description.paths ?? {};
  return operations
    .filter(({ method, path }) => paths[path]?.[method.toLowerCase()] === undefined)
    .map(({ method, path }) =>
      problem(
        `the catalogue sells ${method} ${path}, which the data API does not offer now`,
        'set DIRECT_LIVE_URL for live profiles, or remove the operation from the catalogue',
      ),
    );
}

type Description = { info?: { title?: string }; paths?: Record<string, Record<string, unknown>> };

/** Description of the upstream; null if it has none at this address. */
async function describedBy(url: string): Promise<Description | null> {
  const answer = await fetch(`${url}/openapi.json`, {
    headers: { accept: 'application/json', 'user-agent': 'sluice' },
    redirect: 'manual',
    signal: AbortSignal.timeout(Finding.answerMsMax),
  });
  const body: unknown = await answer.json().catch(() => null);
  return answer.ok && typeof body === 'object' ? (body as Description | null) : null;
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** A free GET without parameters; else one for something that is not there. Null where there is neither. */
export function harmless(operations: readonly Operation[]): string | null {
  const reads = operations.filter(({ method }) => method === 'GET');
  const isFree = ({ units, service }: Operation) =>
    (units.kind === 'fixed' && units.units === 0) || service.price === 0;
  const free = reads.find((operation) => isFree(operation) && !operation.path.includes('{'));
  const absent = reads.find(({ path }) => /\{[^/]+\}$/.test(path));
  return free?.path ?? absent?.path.replaceAll(/\{[^/]+\}/g, unusedName) ?? null;
}

async function ask(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': 'sluice', ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(Finding.answerMsMax),
  });
  await answer.body?.cancel();
  return answer.status;
}
