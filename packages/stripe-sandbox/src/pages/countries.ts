import { countries } from '@sluice/kernel/countries';
import { html } from 'hono/html';
import type { Html } from './layout.ts';

const names = new Intl.DisplayNames('en', { type: 'region' });
const named = countries
  .map((code) => [code, names.of(code) ?? code] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, 'en'));

/** The options of a list of all countries, by their English names. */
export function countryOptions(chosen: string): Html {
  const options = named.map(
    ([code, name]) => html`<option value="${code}" ${code === chosen ? html`selected` : ''}>${name}</option>`,
  );
  return html`<option value="">Choose a country</option>${options}`;
}
