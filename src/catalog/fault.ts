/** A mistake in the catalogue file: its position, counted from 1, and how to fix it. */
export type CatalogFault = {
  file: string;
  line: number;
  column: number;
  /** `services[0].price_usd`; empty when the text is not YAML or the whole file is meant. */
  path: string;
  reason: string;
};

/** Formats a fault as `catalog.yaml:12:5 reason`, which editors and terminals turn into a link. */
export function format(fault: CatalogFault): string {
  return `${fault.file}:${fault.line}:${fault.column} ${fault.reason}`;
}
