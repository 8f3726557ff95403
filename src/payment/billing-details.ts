import { countries } from '@sluice/kernel/countries';
import type { Texts } from '../text/texts.ts';

/** The company and address on the receipts of an account. */
export type BillingDetails = {
  /** A company, or a person. */
  name: string;
  /** Street, postal code and city, in lines; empty when the card page did not ask for it. */
  address: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** A VAT id or another tax number, in capital letters without spaces; empty when there is none. */
  taxId: string;
};

/** The record of billing details. */
export interface BillingRecord {
  of(account: string): Promise<BillingDetails | null>;
  /** Replaces the details; null removes them. */
  set(account: string, details: BillingDetails | null): Promise<void>;
}

const charsMax = { name: 200, address: 500 };
const taxIdPattern = /^[A-Z0-9]{4,24}$/;

export type ParsedDetails =
  | { kind: 'details'; details: BillingDetails | null }
  | { kind: 'fault'; faults: { field: string; message: string }[] };

/** Parses the form of the billing details. A form without a name, an address and a tax id removes them. */
export function parse(texts: Texts, form: URLSearchParams): ParsedDetails {
  const typed = (field: string) => (form.get(field) ?? '').trim();
  const name = typed('name');
  const address = typed('address')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
  const country = typed('country').toUpperCase();
  const taxId = normalTaxId(typed('tax_id'));
  if (name === '' && address === '' && taxId === '') return { kind: 'details', details: null };
  const faults: { field: string; message: string }[] = [];
  const check = (field: string, isRight: boolean, message: string) =>
    isRight || faults.push({ field, message });
  check('name', name !== '' && name.length <= charsMax.name, texts.text('fault.details_name'));
  const problem = address === '' ? 'fault.details_no_address' : 'fault.details_address';
  check('address', address !== '' && address.length <= charsMax.address, texts.text(problem));
  check('country', countries.includes(country), texts.text('fault.details_country'));
  check('tax_id', taxId === '' || taxIdPattern.test(taxId), texts.text('fault.details_tax_id'));
  if (faults.length > 0) return { kind: 'fault', faults };
  return { kind: 'details', details: { name, address, country, taxId } };
}

/** The entries of a payer on the processor's card page. */
export type PageDetails = {
  business: string | null;
  name: string | null;
  taxId: string | null;
  address: {
    line1: string | null;
    line2: string | null;
    postalCode: string | null;
    city: string | null;
    state: string | null;
    country: string | null;
  } | null;
};

/**
 * Returns the details of a company that its payer entered on the card page. Returns null for a payer who named neither a company nor a tax id,
 * and where the page gives no usable country. A tax id in another format is left out.
 */
export function ofCardPage({ business, name, taxId, address }: PageDetails): BillingDetails | null {
  const company = (business ?? name ?? '').trim().slice(0, charsMax.name);
  const country = address?.country?.toUpperCase() ?? '';
  const id = normalTaxId(taxId ?? '');
  if ((business === null && id === '') || company === '' || !countries.includes(country)) return null;
  const place = [address?.postalCode, address?.city, address?.state].filter(Boolean).join(' ');
  const printed = [address?.line1, address?.line2, place].filter(Boolean).join('\n');
  return {
    name: company,
    address: printed.slice(0, charsMax.address),
    country,
    taxId: taxIdPattern.test(id) ? id : '',
  };
}

function normalTaxId(typed: string): string {
  return typed.toUpperCase().replace(/[\s.-]/g, '');
}

/** The details in lines, as they are printed. */
export function lines(texts: Texts, { name, address, country, taxId }: BillingDetails): string[] {
  const printed = address === '' ? [] : address.split('\n');
  const taxLine = taxId === '' ? [] : [texts.text('details.tax_line', { id: taxId })];
  return [name, ...printed, countryName(country, texts.language), ...taxLine];
}

/** The name of a country in a language; its code where the language has none. */
export function countryName(code: string, language: string): string {
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code;
}
