import { readFile } from 'node:fs/promises';
import { nearest } from '@sluice/kernel/did-you-mean';
import { sha256Hex } from '@sluice/kernel/digest';
import { isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml';
import { defaults } from './defaults.ts';
import { countName, namesIn, namesOf, parse as parseTemplate, type Template } from './template.ts';
import { english, Texts } from './texts.ts';

/** The texts of a shop, and the digest of the file that changes them; empty without a file. */
export type LoadedTexts = { texts: Texts; digest: string };

export type ParsedTexts = { ok: true; texts: Texts } | { ok: false; faults: string[] };

const languageKey = 'language';
const unitsKey = 'units';
const ownKeys = [languageKey, unitsKey];
const textCharsMax = 1_048_576;
const shownCharsMax = 60;

/** Notes a fault of the file at the position of a key or value. */
type Refuse = (node: unknown, reason: string) => void;
type Entry = { key: string; keyNode: unknown; value: unknown };

/**
 * Reads the file with the seller's texts; the English defaults apply without one.
 * @param units the units of the catalogue, which the file may translate
 * Throws one Error whose message has a line for each fault: `file:line:column reason`.
 */
export async function read(path: string | null, units: readonly string[]): Promise<LoadedTexts> {
  if (path === null) return { texts: english, digest: '' };
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path}:1:1 the file of TEXTS cannot be read (${error.code})`);
  });
  const parsed = parse(text, path, units);
  if (!parsed.ok) throw new Error(parsed.faults.join('\n'));
  return { texts: parsed.texts, digest: sha256Hex(text) };
}

/** Parses the seller's texts, or returns all faults in the order of the lines. `file` names the file in the faults. */
export function parse(text: string, file: string, units: readonly string[]): ParsedTexts {
  if (text.length > textCharsMax)
    return { ok: false, faults: [`${file}:1:1 the file is longer than ${textCharsMax} characters`] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const found: { offset: number; reason: string }[] = document.errors.map(({ pos, code, message }) => ({
    offset: pos[0],
    reason: code === 'DUPLICATE_KEY' ? 'this key occurs twice: keep one' : `not readable as YAML: ${message}`,
  }));
  const refuse: Refuse = (node, reason) =>
    found.push({ offset: (node as { range?: [number] } | null)?.range?.[0] ?? 0, reason });
  const entries = entriesOf(document.contents, refuse);
  const language = languageOf(entries, refuse);
  const rules = new Intl.PluralRules(language ?? english.language);
  const texts = new Map<string, Template>();
  for (const entry of entries.filter(({ key }) => !ownKeys.includes(key))) {
    const changed = textOf(entry, rules, refuse);
    if (changed !== null) texts.set(entry.key, changed);
  }
  const changedUnits = unitsOf(entries, units, rules, refuse);
  if (found.length === 0) return { ok: true, texts: new Texts({ language, units: changedUnits, texts }) };
  const faults = found
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, reason }) => {
      const { line, col } = lines.linePos(offset);
      return `${file}:${line}:${col} ${reason}`;
    });
  return { ok: false, faults };
}

/** The keys of a mapping with their values; a file without any content has none. */
function entriesOf(node: unknown, refuse: Refuse): Entry[] {
  if (node === null || (isScalar(node) && node.value === null)) return [];
  if (!isMap(node)) {
    refuse(node, 'must be a mapping of keys to texts');
    return [];
  }
  return node.items.map(({ key, value }: Pair) => ({
    key: isScalar(key) ? String(key.value) : '',
    keyNode: key,
    value,
  }));
}

function languageOf(entries: readonly Entry[], refuse: Refuse): string | null {
  const entry = entries.find(({ key }) => key === languageKey);
  if (entry === undefined) return null;
  const tag = isScalar(entry.value) ? String(entry.value.value) : '';
  try {
    const [language] = Intl.getCanonicalLocales(tag);
    if (language !== undefined && Intl.DateTimeFormat.supportedLocalesOf(language).length > 0)
      return language;
  } catch {
    // The tag is malformed, which is reported below.
  }
  refuse(
    entry.value,
    `language must be the tag of a language that Node.js knows, such as de or pt-BR: "${tag}"`,
  );
  return null;
}

/** The text of a key of this program; null when it has a fault. */
function textOf({ key, keyNode, value }: Entry, rules: Intl.PluralRules, refuse: Refuse): Template | null {
  const original = Object.hasOwn(defaults, key) ? (defaults as Record<string, Template>)[key] : undefined;
  if (original === undefined) {
    refuse(
      keyNode,
      `unknown key ${key.slice(0, shownCharsMax)}.${meant(key, [...Object.keys(defaults), ...ownKeys])}`,
    );
    return null;
  }
  const isLong = typeof original === 'string' && original.includes('\n');
  if (isMap(value)) {
    if (typeof original !== 'string') return formsOf(value, { key, names: namesOf(original), rules }, refuse);
    refuse(value, `${key} must be one text: it has no number that selects a form`);
    return null;
  }
  return plainText(value, { key, names: namesOf(original), isLong, mayOmitCount: false }, refuse);
}

/** The plural forms of a text: `other`, and any further category of the language. */
function formsOf(
  value: unknown,
  { key, names, rules }: { key: string; names: ReadonlySet<string>; rules: Intl.PluralRules },
  refuse: Refuse,
): Template | null {
  const categories: readonly string[] = rules.resolvedOptions().pluralCategories;
  const forms: Record<string, string> = {};
  for (const entry of entriesOf(value, refuse)) {
    if (!categories.includes(entry.key)) {
      const known = `the plural forms of this language are ${categories.join(', ')}`;
      refuse(
        entry.keyNode,
        `${key} has the unknown plural form ${entry.key.slice(0, shownCharsMax)}: ${known}`,
      );
      continue;
    }
    const mayOmitCount = entry.key !== 'other';
    const text = plainText(entry.value, { key, names, isLong: false, mayOmitCount }, refuse);
    if (text !== null) forms[entry.key] = text;
  }
  const { other, ...rest } = forms;
  if (other !== undefined) return { ...rest, other };
  refuse(value, `${key} needs the plural form other`);
  return null;
}

/** The limits of a text: it has the placeholders of the default, and line breaks only where the default has some. */
type Limits = { key: string; names: ReadonlySet<string>; isLong: boolean; mayOmitCount: boolean };

function plainText(
  node: unknown,
  { key, names, isLong, mayOmitCount }: Limits,
  refuse: Refuse,
): string | null {
  const value = isScalar(node) ? node.value : null;
  if (typeof value !== 'string' || value.trim() === '') {
    refuse(node, `${key} must be a text; write it in quotes if it looks like a number`);
    return null;
  }
  const text = isLong ? value : value.replace(/\n$/, '');
  if (!isLong && /[\r\n]/.test(text)) {
    refuse(node, `${key} must be one line`);
    return null;
  }
  const parsed = parseTemplate(text);
  if (parsed === null) {
    refuse(node, `${key} has a brace that does not belong to a placeholder such as {amount}`);
    return null;
  }
  const found = namesIn(parsed);
  const unknown = [...found].filter((name) => !names.has(name));
  const missing = [...names].filter((name) => !found.has(name) && !(mayOmitCount && name === countName));
  for (const name of unknown)
    refuse(node, `${key} has the unknown placeholder {${name}}.${allowed(name, names)}`);
  for (const name of missing) refuse(node, `${key} lacks the placeholder {${name}}`);
  return unknown.length + missing.length === 0 ? text : null;
}

function unitsOf(
  entries: readonly Entry[],
  units: readonly string[],
  rules: Intl.PluralRules,
  refuse: Refuse,
): Map<string, Template> {
  const changed = new Map<string, Template>();
  const section = entries.find(({ key }) => key === unitsKey);
  if (section === undefined) return changed;
  for (const { key, keyNode, value } of entriesOf(section.value, refuse)) {
    if (!units.includes(key)) {
      refuse(keyNode, `units: the catalogue has no unit ${key.slice(0, shownCharsMax)}.${meant(key, units)}`);
      continue;
    }
    const limits = { key: `units.${key}`, names: new Set<string>(), rules };
    const forms = isMap(value)
      ? formsOf(value, limits, refuse)
      : plainText(value, { ...limits, isLong: false, mayOmitCount: false }, refuse);
    if (forms !== null) changed.set(key, forms);
  }
  return changed;
}

function meant(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === null ? ' List all keys with: sluice texts' : ` Did you mean ${near}?`;
}

function allowed(name: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return ' This text has no placeholders.';
  const near = nearest(name, [...names]);
  if (near !== null) return ` Did you mean {${near}}?`;
  return ` Allowed: ${[...names].map((one) => `{${one}}`).join(', ')}`;
}
