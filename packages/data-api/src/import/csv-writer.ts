/** Formats a CSV line (RFC 4180), without line break, that `CsvReader` and `Columns` parse to the same entry. */
export function line(names: readonly string[], entry: object): string {
  return names.map((name) => cell(at(entry, name.split('.')))).join(',');
}

function at(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const next = Array.isArray(value) ? value[Number(step) - 1] : (value as Record<string, unknown>)[step];
  return at(next, rest);
}

function cell(value: unknown): string {
  const text = spelled(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function spelled(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  const isPlain = Array.isArray(value) && value.every((item) => typeof item === 'string' && plain.test(item));
  return isPlain ? value.join(';') : JSON.stringify(value);
}

/** Items that can be written in a list separated by `;`. */
const plain = /^[^;[\s](?:[^;]*[^;\s])?$/;
