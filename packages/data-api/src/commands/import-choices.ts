import { createInterface } from 'node:readline/promises';
import * as CommandLine from '@sluice/kernel/command-line';
import { nearest } from '@sluice/kernel/did-you-mean';
import { kinds } from '../entries/kind.ts';
import * as Enums from '../filters/enums.ts';
import * as ColumnSchema from '../import/column-schema.ts';
import * as Columns from '../import/columns.ts';
import type { Mapping } from '../import/header-plan.ts';
import type { ChosenMatch, Proposal } from '../import/prepare.ts';
import * as Prepare from '../import/prepare.ts';
import * as ValueMatch from '../import/value-match.ts';

/** Values of the fields that have fixed ones, of every kind, by their name in `--match`; none for numbers. */
function fieldsWithValues(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const kind of kinds) {
    const schema = ColumnSchema.columnSchemaOf(kind);
    for (const name of Columns.namesOf(schema, 'first of a list')) {
      const node = Columns.nodeOf(schema, name);
      const values = node && ValueMatch.valuesOf(name, node);
      if (values) found.set(Prepare.fieldOf(name), values);
      else if (node?.kind === 'number') found.set(Prepare.fieldOf(name), []);
    }
  }
  return found;
}

/** Parses `--map "Column=field"`. Throws Misuse if no kind of data has the field. */
export function readMappings(texts: readonly string[]): Mapping[] {
  const schemas = kinds.map((kind) => ColumnSchema.columnSchemaOf(kind));
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [column, field] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (column === '')
      throw new CommandLine.Misuse(
        `--map must be "Column=field", such as "Firm=company.name", not "${text}"`,
      );
    if (field !== '' && !schemas.some((schema) => Columns.nodeOf(schema, field))) {
      const near = nearest(
        field,
        schemas.flatMap((schema) => Columns.namesOf(schema, 'first of a list')),
      );
      throw new CommandLine.Misuse(
        `--map "${text}": there is no field ${JSON.stringify(field)}. ${near ? `Did you mean ${JSON.stringify(near)}?` : 'List the fields: sluice data template people'}`,
      );
    }
    return { column, field, isUsed: false };
  });
}

/** Parses `--match "industry:Software=Software Development"`. Throws Misuse if the value is not one of the field's. */
export function readMatches(texts: readonly string[]): ChosenMatch[] {
  const fields = fieldsWithValues();
  return texts.map((text) => {
    const colon = text.indexOf(':');
    const equals = text.lastIndexOf('=');
    const field = text.slice(0, Math.max(colon, 0)).trim();
    if (colon < 1 || equals < colon)
      throw new CommandLine.Misuse(
        `--match must be "field:value=our value", such as "country:Germany=DE", not "${text}"`,
      );
    const allowed = fields.get(field);
    if (!allowed)
      throw new CommandLine.Misuse(
        `--match "${text}": ${JSON.stringify(field)} has neither fixed values nor numbers. Fields that have: ${[...fields.keys()].join(', ')}`,
      );
    const to = text.slice(equals + 1).trim();
    if (to !== '' && !(allowed.length === 0 ? /^\d+$/.test(to) : allowed.includes(to))) {
      const near =
        field === 'country' ? ValueMatch.match('country_code', to, Enums.countryCodes) : nearest(to, allowed);
      throw new CommandLine.Misuse(
        `--match "${text}": ${JSON.stringify(to)} is not a value of ${field}.${near ? ` Did you mean ${JSON.stringify(near)}?` : ''}`,
      );
    }
    return { field, from: text.slice(colon + 1, equals).trim(), to };
  });
}

/** Formats proposals as a list. */
export function formatProposals(proposals: readonly Proposal[]): string {
  const width = Math.max(...proposals.map(({ field }) => field.length));
  return proposals
    .map(({ field, value, rows, match }) => {
      const to = match === null ? 'none: left empty' : JSON.stringify(match);
      return `  ${field.padEnd(width)}  ${JSON.stringify(value)} (${rows} ${rows === 1 ? 'row' : 'rows'}) -> ${to}`;
    })
    .join('\n');
}

/** Formats proposals as the options that accept them. */
export function optionsFor(proposals: readonly Proposal[]): string {
  return proposals
    .map(({ field, value, match }) => `--match ${shellQuoted(`${field}:${value}=${match ?? ''}`)}`)
    .join(' ');
}

/** Quotes a text for a POSIX shell. */
function shellQuoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}

/** A person at a terminal who can answer questions. */
export type Terminal = { ask(question: string): Promise<string> };

/** Terminal of this process; null if input or messages are redirected. */
export function terminal(): Terminal | null {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  return {
    async ask(question) {
      const reader = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await reader.question(question);
      } finally {
        reader.close();
      }
    },
  };
}

/** Asks for consent. Anything but y or yes counts as no. */
export async function consents({ ask }: Terminal, proposals: readonly Proposal[]): Promise<boolean> {
  const list = formatProposals(proposals);
  const answer = await ask(`Some values differ from ours:\n${list}\nImport with these matches? [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Formats the reason why an import with proposals stops where there is no terminal to ask at. */
export function refusal(proposals: readonly Proposal[]): string {
  return [
    'Some values differ from ours. Proposed matches:',
    formatProposals(proposals),
    'Accept all of them with --yes, or choose each of them:',
    `  ${optionsFor(proposals)}`,
  ].join('\n');
}
