import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { hint, nearest } from '@sluice/kernel/did-you-mean';
import type { z } from 'zod';
import * as NamedVariables from '../catalog/named-variables.ts';
import { bundledSettings } from './integration-settings.ts';
import type { Setting } from './setting.ts';
import { table } from './setting-table.ts';

/** Settings by name, as in the environment. An empty text means that the setting is not given. */
export type Env = Readonly<Record<string, string | undefined>>;

type Table = typeof table;
type Name = keyof Table;
type Value<N extends Name> =
  | z.output<Table[N]['schema']>
  | (Table[N] extends { default: string } ? never : null);

const settings: ReadonlyMap<string, Setting> = new Map(Object.entries(table));
const names = [...settings.keys()];
/** Settings that `<NAME>_FILE` can provide. */
const secrets = names.filter((name) => settings.get(name)?.secret);
/** Further settings of the programs that `sluice start` runs beside the storefront. */
const bundledPrefix = /^(DIRECT|SANDBOX|MAILBOX)_/;
/** Names that look like settings and belong to others: OpenTelemetry, Node, npm, PostgreSQL's image, the service links of Kubernetes. */
const foreign = /^(OTEL|NODE|npm|POSTGRES|PG)_|_PORT(_\d+_\w+)?$|_SERVICE_\w+$/;

/**
 * Returns a function that reads a setting of `env`: its parsed value, its default, or null. Everything that is wrong is added to
 * `faults`; each fault starts with the name of the setting.
 */
export function reader(env: Env, faults: string[]): <N extends Name>(name: N) => Value<N> {
  const parse = (name: Name): unknown => {
    const { schema, default: usual, required, about }: Setting = table[name];
    const text = env[name] || usual;
    if (text === undefined) {
      const isRequired =
        required === 'always' || (required === 'production' && env.NODE_ENV === 'production');
      if (isRequired) faults.push(`${name} is missing. ${plain(about)}`);
      return null;
    }
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    faults.push(...parsed.error.issues.map(({ message }) => `${name} ${message}`));
    return usual === undefined ? null : schema.parse(usual);
  };
  // The table gives each name its type; TypeScript cannot follow that through the look-up of the schema.
  return (name) => parse(name) as never;
}

export type Gathered =
  /** `warnings`: variables of the environment that look like misspelt settings. */
  { ok: true; env: Env; warnings: string[] } | { ok: false; faults: string[] };

/**
 * Returns the settings of `given` and of the files that it names: SETTINGS_FILE (lines of `NAME=value`; `given` takes precedence) and
 * `<NAME>_FILE` for secrets. Reads the files each time. Reports all faults at once, by name.
 * @param catalog the catalogue whose variables are settings too; the one of the settings by default
 */
export async function gather(given: Env, catalog?: string): Promise<Gathered> {
  const faults: string[] = [];
  const read = (name: string, path: string) =>
    readFile(path, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      faults.push(`${name}: ${path} cannot be read (${fault.code})`);
      return '';
    });
  const path = given.SETTINGS_FILE ?? '';
  const lines = path === '' ? '' : await read('SETTINGS_FILE', path);
  const fromFile: Env = parseEnv(lines);
  faults.push(...linesWithoutName(lines).map((line) => `${path}:${line} ${lineFault}`));
  const env: Record<string, string | undefined> = { ...fromFile };
  for (const [name, value] of Object.entries(given)) if (value) env[name] = value;
  const { variables } = NamedVariables.read(catalog ?? env.CATALOG);
  faults.push(...unknownNames(fromFile, variables).map((name) => `${name} in ${path} ${unknown(name)}`));
  for (const name of new Set([...secrets, ...variables])) {
    // The environment wins over the file with either of the two names.
    const from = given[name] || given[`${name}_FILE`] ? given : fromFile;
    const file = from[`${name}_FILE`];
    if (!file) continue;
    if (from[name]) faults.push(`${name} and ${name}_FILE are both set: remove one of them`);
    else env[name] = (await read(`${name}_FILE`, file)).trim();
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, env, warnings: misspelt(given, variables) };
}

/** Returns the names of the settings whose values differ. The bundled programs read theirs at their own start only. */
export function changed(before: Env, after: Env): string[] {
  const named = [...Object.keys(before), ...Object.keys(after)].filter(NamedVariables.isVariable);
  return [...new Set([...names, ...named])]
    .filter((name) => !Object.hasOwn(bundledSettings, name))
    .filter((name) => (before[name] ?? '') !== (after[name] ?? ''));
}

/** Returns true when a change of the setting requires a restart. */
export function isFixed(name: string): boolean {
  return settings.get(name)?.restart === true;
}

/** Removes the Markdown of a description. */
export function plain(about: string): string {
  return about.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** The line itself is not repeated: it may be part of a secret. */
const lineFault =
  'has no "=". Write NAME=value, put a value of several lines in quotes, or start a comment with "#".';

/** Returns the numbers of the lines that are not blank, no comment, no `NAME=` and not inside a quoted value. */
function linesWithoutName(text: string): number[] {
  const lines = text.split(/\r?\n/);
  const wrong: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, value] = /^[^=\s][^=]*=\s*(.*)$/.exec(line) ?? [];
    if (value === undefined) wrong.push(at + 1);
    const quote = /^["'`]/.exec(value ?? '')?.[0];
    if (quote === undefined || value?.includes(quote, 1)) continue;
    const end = lines.findIndex((later, index) => index > at && later.includes(quote));
    if (end > 0) at = end;
  }
  return wrong;
}

/** Names in a settings file that are neither settings nor settings of the bundled programs. */
function unknownNames(fromFile: Env, variables: ReadonlySet<string>): string[] {
  return Object.keys(fromFile).filter((name) => name === 'SETTINGS_FILE' || !isKnown(name, variables));
}

function isKnown(name: string, variables: ReadonlySet<string>): boolean {
  if (variables.has(name) || variables.has(name.replace(/_FILE$/, ''))) return true;
  return settings.has(name) || secrets.includes(name.replace(/_FILE$/, '')) || bundledPrefix.test(name);
}

function unknown(name: string): string {
  if (name === 'SETTINGS_FILE') return 'has no effect there: set it in the environment';
  const near = nearest(name, names);
  return `is not a setting.${near === null ? ' All settings: sluice settings' : ` ${hint(name, names)}`}`;
}

/** The environment holds the variables of other programs too, so only names that are close to a setting are reported. */
function misspelt(given: Env, variables: ReadonlySet<string>): string[] {
  return Object.keys(given)
    .filter(
      (name) => /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name) && !isKnown(name, variables) && !foreign.test(name),
    )
    .filter((name) => nearest(name, names) !== null)
    .map((name) => `${name} in the environment ${unknown(name)}`);
}
