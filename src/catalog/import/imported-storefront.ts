import type { Node } from '@sluice/kernel/json-schema';
import type { Catalog } from '../catalog.ts';
import { deliveredStorefronts } from './delivered-storefronts.ts';

export const nameCharsMax = 80;
const proseCharsMax = 300;

/** Returns the name and description that an import gives the storefront, by the `info` of the API description. */
export function storefrontOf(info: Node): Pick<Catalog['storefront'], 'name' | 'description'> {
  return {
    name: line(text(info.title) ?? 'My API', nameCharsMax),
    description: line(text(info.summary) ?? text(info.description)?.split(/\n\s*\n/)[0] ?? '', proseCharsMax),
  };
}

/** Returns true for a storefront with a name, description or look of its own: imports and samples have the first two, and never a look. */
export function isBranded({ name, description, brand = {} }: Catalog['storefront'], info: Node): boolean {
  const given = [storefrontOf(info), ...deliveredStorefronts];
  const isGiven = given.some((one) => one.name === name && one.description === description);
  return !isGiven || (brand.colour ?? brand.logo) !== undefined;
}

/** Text in one line, cut off at `charsMax`. */
export function line(value: string, charsMax: number): string {
  const flat = value.replace(/\s+/g, ' ').trim();
  return flat.length <= charsMax ? flat : `${flat.slice(0, charsMax - 1)}…`;
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
