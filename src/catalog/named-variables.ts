import { readFileSync } from 'node:fs';
import * as Source from './source.ts';
import * as SourceLocation from './source-location.ts';

/** The variables of the environment that a catalogue names for its upstreams. */
export type NamedVariables = {
  variables: ReadonlySet<string>;
  /** True when the catalogue has `upstreams`, so that UPSTREAM_URL and UPSTREAM_API_KEY have no meaning of their own. */
  hasUpstreams: boolean;
};

const none: NamedVariables = { variables: new Set(), hasUpstreams: false };

/**
 * A catalogue may only name variables of this form: the file is not secret and may be written by others, and must not be able to send the
 * shop's own secrets to an upstream.
 */
const form = /^UPSTREAM_[A-Z0-9_]*[A-Z0-9]$/;

/** Returns true when a catalogue may name the variable. */
export function isVariable(name: string): boolean {
  return form.test(name);
}

/**
 * Reads the variables that the catalogue file at `path` names. Nothing is validated and nothing thrown: the faults of the file are reported
 * where it is loaded.
 * @param path undefined or empty for the bundled catalogue, which names none
 */
export function read(path: string | undefined): NamedVariables {
  if (!path) return none;
  const text = textOf(path);
  if (!/upstreams/.test(text)) return none;
  const { value } = Source.read(text);
  const upstreams = SourceLocation.member({ value, path: [] }, 'upstreams');
  if (typeof upstreams.value !== 'object' || upstreams.value === null) return none;
  const variables = new Set<string>();
  collect(upstreams.value, variables);
  return { variables, hasUpstreams: true };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function collect(value: unknown, variables: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'env' && typeof inner === 'string' && isVariable(inner)) variables.add(inner);
    else collect(inner, variables);
  }
}
