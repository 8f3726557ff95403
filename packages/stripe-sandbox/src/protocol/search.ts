import { invalid, type Refusal } from './refusal.ts';

/** One clause of a search: `status:'succeeded'`, `metadata['order']:'ord_1'`, `amount>500`. */
type Clause = {
  field: string;
  key: string | null;
  operator: ':' | '>' | '<' | '>=' | '<=';
  value: string;
  negated: boolean;
};

const quoted = `'((?:[^'\\\\]|\\\\.)*)'|"((?:[^"\\\\]|\\\\.)*)"`;
const clausePattern = new RegExp(
  `^\\s*(-?)([a-z_]+)(?:\\[(?:${quoted})\\])?\\s*(:|>=|<=|>|<)\\s*(?:${quoted}|(-?\\d+))\\s*`,
);
const clausesMax = 10;

/** Reads a query of clauses joined by AND, the part of the search language that the sandbox knows. */
export function parse(query: string, fields: readonly string[]): Clause[] | Refusal {
  const clauses: Clause[] = [];
  let rest = query;
  do {
    const match = clausePattern.exec(rest);
    if (!match || clauses.length === clausesMax) {
      return invalid(`The query cannot be understood from here: ${rest.slice(0, 100)}`, { param: 'query' });
    }
    const [whole, minus, field = '', key1, key2, operator, value1, value2, number] = match;
    if (!fields.includes(field) || (field === 'metadata') !== ((key1 ?? key2) !== undefined)) {
      return invalid(`Field ${field} is not searchable here; these are: ${fields.join(', ')}`, {
        param: 'query',
      });
    }
    clauses.push({
      field,
      key: unquoted(key1 ?? key2 ?? null),
      operator: operator as Clause['operator'],
      value: unquoted(value1 ?? value2 ?? null) ?? number ?? '',
      negated: minus === '-',
    });
    rest = rest.slice(whole.length);
    if (rest === '') return clauses;
    const and = /^AND\s/i.exec(rest);
    if (!and) return invalid(`Clauses are joined by AND: ${rest.slice(0, 100)}`, { param: 'query' });
    rest = rest.slice(and[0].length);
  } while (rest !== '');
  return invalid('The query ends after AND.', { param: 'query' });
}

/** Returns true when `row` matches every clause. */
export function meets(row: Record<string, unknown>, clauses: readonly Clause[]): boolean {
  return clauses.every((clause) => clause.negated !== isMet(row, clause));
}

function isMet(row: Record<string, unknown>, { field, key, operator, value }: Clause): boolean {
  const member = row[field];
  const found = key === null ? member : (member as Record<string, string>)[key];
  if (found === undefined || found === null) return false;
  switch (operator) {
    case ':':
      return String(found) === value;
    case '>':
      return Number(found) > Number(value);
    case '<':
      return Number(found) < Number(value);
    case '>=':
      return Number(found) >= Number(value);
    case '<=':
      return Number(found) <= Number(value);
  }
}

function unquoted(text: string | null): string | null {
  return text === null ? null : text.replace(/\\(.)/g, '$1');
}
