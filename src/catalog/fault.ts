/** A mistake in the catalogue file: where it stands, counted from 1, and how to mend it. */
export type Fault = {
  file: string;
  line: number;
  column: number;
  /** `services[0].price_usd`; empty where the text is no YAML or the whole file is meant. */
  path: string;
  reason: string;
};

/** `catalog.yaml:12:5 reason`, which editors and terminals turn into a link. */
export function format(fault: Fault): string {
  return `${fault.file}:${fault.line}:${fault.column} ${fault.reason}`;
}
