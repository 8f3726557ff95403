import type { Catalog } from '../catalog/catalog.ts';
import { type NamedUpstream, type Variable, variablesOf } from '../catalog/named-upstream.ts';
import { urlProblem } from '../catalog/upstream-rules.ts';
import type { Env } from './settings.ts';

/** The address and the secrets of a named upstream, read from the environment. */
export type UpstreamValues = {
  url: string;
  /** Empty when the upstream needs no key; several keys are used in turn. */
  keys: readonly string[];
  oauth: { tokenUrl: string; clientId: string; clientSecret: string } | null;
};

export type ReadValues =
  | { ok: true; values: ReadonlyMap<string, UpstreamValues> }
  /** Each fault starts with the name of the variable and never contains its value. */
  | { ok: false; faults: string[] };

const keysMax = 100;
const isKey = /^[!-~]+$/;

/** Reads the values of all named upstreams. Reports all faults at once. */
export function read({ upstreams }: Pick<Catalog, 'upstreams'>, env: Env): ReadValues {
  const faults: string[] = [];
  const values = new Map([...upstreams].map(([name, upstream]) => [name, valuesOf(upstream, env, faults)]));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, values };
}

/** Returns the variables that the upstreams name and the environment does not have. */
export function missing({ upstreams }: Pick<Catalog, 'upstreams'>, env: Env): string[] {
  const named = [...upstreams.values()].flatMap(variablesOf).map(({ variable }) => variable);
  return [...new Set(named)].filter((variable) => !env[variable]);
}

function valuesOf(upstream: NamedUpstream, env: Env, faults: string[]): UpstreamValues {
  const { name, url, key, oauth, rotatesKeys } = upstream;
  const where = (place: string) => `upstreams.${name}.${place} in the catalogue`;
  const text = (value: string | Variable, place: string): string => {
    if (typeof value === 'string') return value;
    const found = env[value.env]?.trim() ?? '';
    if (found === '') faults.push(`${value.env} is missing: ${where(place)} names it`);
    return found;
  };
  const address = (value: string | Variable, place: string): string => {
    const found = text(value, place).replace(/\/+$/, '');
    const problem = found === '' ? null : urlProblem(found);
    if (problem !== null && typeof value === 'object')
      faults.push(`${value.env} ${problem} (${where(place)} names it)`);
    return found;
  };
  const secret = (value: Variable, place: string): string => {
    const found = text(value, place);
    if (found !== '' && !isKey.test(found))
      faults.push(`${value.env} has characters that a key cannot have: use printable ASCII without spaces`);
    return found;
  };
  const keys = (from: Variable): string[] => {
    if (!rotatesKeys) return [secret(from, 'key.from')];
    const found = [
      ...new Set(
        text(from, 'key.from')
          .split(/[,\s]+/)
          .filter(Boolean),
      ),
    ];
    if (found.some((one) => !isKey.test(one)))
      faults.push(`${from.env} has characters that a key cannot have: use printable ASCII`);
    if (found.length > keysMax) faults.push(`${from.env} has more than ${keysMax} keys`);
    return found;
  };
  return {
    url: address(url, 'url'),
    keys: key === null ? [] : keys(key.from),
    oauth: oauth && {
      tokenUrl: address(oauth.tokenUrl, 'oauth.token_url'),
      clientId: text(oauth.clientId, 'oauth.client_id'),
      clientSecret: secret(oauth.clientSecret, 'oauth.client_secret'),
    },
  };
}
