import type { Catalog } from '../../catalog/catalog.ts';
import type { Operation } from '../../catalog/operation.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('upstream');

export type Settings = {
  url: string;
  key: string;
  catalog: Catalog;
  /** It is the bundled data interface, which `sluice start` runs. */
  isBundled: boolean;
  /** `GET /me`: a request that costs the seller nothing, where the catalogue shows none. */
  probe: string | null;
};

const byHand = 'name a GET that costs you nothing: --probe "GET /me"';
/** Stands where a path wants a name: nothing is called so, and nothing is found. */
const nobody = 'sluice-check';

/**
 * Does the API answer, and does it take the key? Only GET is sent: one that the catalogue gives away, or one for something that is not
 * there. The key is proved where the same request is refused without it.
 */
export async function look(settings: Settings): Promise<Finding.Finding[]> {
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
        unproved('whether it takes the key: the catalogue has no GET that is sure to cost nothing', byHand),
      ];
    if (key === '') {
      return isRefusal(bare)
        ? [reached, problem(`it wants a key: GET ${path} answers ${bare}`, 'UPSTREAM_API_KEY')]
        : [reached, ok(`it wants no key: GET ${path} answers ${bare}`)];
    }
    const withKey = await ask(`${url}${path}`, { [header]: value.replaceAll('{key}', key) });
    return [reached, judge(path, withKey, bare, header)];
  } catch (fault) {
    if (isBundled)
      return [unproved(`the bundled data interface at ${url} does not run`, 'sluice start runs it')];
    return [
      problem(`${url} does not answer: ${Finding.reason(fault)}`, 'is UPSTREAM_URL right, and the API up?'),
    ];
  }
}

function judge(path: string, withKey: number, bare: number, header: string): Finding.Finding {
  const said = `GET ${path} answers ${withKey} with the key, ${bare} without`;
  if (isRefusal(withKey))
    return problem(
      `it refuses the key: ${said}`,
      `is UPSTREAM_API_KEY right, and ${header} the header that bears it (upstream.key in the catalogue)?`,
    );
  if (withKey >= 500 || withKey === 429)
    return unproved(`whether it takes the key: ${said}`, 'try again later');
  if (isRefusal(bare)) return ok(`it takes the key: ${said}`);
  return unproved(`whether it takes the key: ${said}, so this request wants none`, byHand);
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** A free GET without parameters; else one for something that is not there. Null where there is neither. */
function harmless(operations: readonly Operation[]): string | null {
  const reads = operations.filter(({ method }) => method === 'GET');
  const isFree = ({ units, service }: Operation) =>
    (units.kind === 'fixed' && units.units === 0) || service.price === 0;
  const free = reads.find((operation) => isFree(operation) && !operation.path.includes('{'));
  const absent = reads.find(({ path }) => /\{[^/]+\}$/.test(path));
  return free?.path ?? absent?.path.replaceAll(/\{[^/]+\}/g, nobody) ?? null;
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
