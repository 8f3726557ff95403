import { createHmac } from 'node:crypto';
import * as Digest from '@sluice/kernel/digest';
import type { Secrets } from './challenge.ts';

/** Distinguish these codes from the other texts that the secret signs, and from each other. */
const purposes = { purchase: 'receipt-link', invoice: 'receipt-link-invoice' };
const purchaseForm = /^pur_([0-9a-f]{32})$/;
const linkForm = /^[\w-]{44}$/;
const idBytes = 16;
/** More bits than can be guessed; with the id, a multiple of three bytes, so that each character of the text counts. */
const codeBytes = 17;
const invoiceForm = /^in_([0-9A-Za-z]{1,64})$/;
/** The id of an invoice, and 24 characters with a code of as many whole bytes. */
const invoiceLinkForm = /^([0-9A-Za-z]{1,64})([\w-]{24})$/;
const invoiceCodeBytes = 18;

/**
 * Returns a short text that opens the receipt of a purchase, or of the period or change of a plan that an invoice paid, and nothing else;
 * null for an id of another form. Only the shop can compute it: the id alone, which others know, opens nothing. Valid until the secret
 * has been replaced twice.
 */
export function issue(order: string, { current }: Pick<Secrets, 'current'>): string | null {
  const [, hex] = purchaseForm.exec(order) ?? [];
  if (hex !== undefined)
    return Buffer.concat([Buffer.from(hex, 'hex'), purchaseCode(hex, current)]).toString('base64url');
  const [, invoice] = invoiceForm.exec(order) ?? [];
  return invoice === undefined ? null : `${invoice}${invoiceCode(invoice, current)}`;
}

/** Returns the purchase or invoice of a text that this shop issued; null for any other text. */
export function verify(link: string, { current, previous }: Secrets): string | null {
  const secrets = [current, ...(previous === undefined ? [] : [previous])];
  return purchaseOf(link, secrets) ?? invoiceOf(link, secrets);
}

function purchaseOf(link: string, secrets: readonly string[]): string | null {
  if (!linkForm.test(link)) return null;
  const bytes = Buffer.from(link, 'base64url');
  const hex = bytes.subarray(0, idBytes).toString('hex');
  const sent = bytes.subarray(idBytes).toString('hex');
  return secrets.map((secret) => Digest.equal(sent, purchaseCode(hex, secret).toString('hex'))).includes(true)
    ? `pur_${hex}`
    : null;
}

function invoiceOf(link: string, secrets: readonly string[]): string | null {
  const [, invoice, sent] = invoiceLinkForm.exec(link) ?? [];
  if (invoice === undefined || sent === undefined) return null;
  return secrets.map((secret) => Digest.equal(sent, invoiceCode(invoice, secret))).includes(true)
    ? `in_${invoice}`
    : null;
}

function purchaseCode(hex: string, secret: string): Buffer {
  return code(purposes.purchase, hex, secret).subarray(0, codeBytes);
}

function invoiceCode(invoice: string, secret: string): string {
  return code(purposes.invoice, invoice, secret).subarray(0, invoiceCodeBytes).toString('base64url');
}

function code(purpose: string, id: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}|${id}`).digest();
}
