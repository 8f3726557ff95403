import { createHmac } from 'node:crypto';
import * as Digest from '@sluice/kernel/digest';
import type { Secrets } from './challenge.ts';

/** Distinguishes these codes from the other texts that the secret signs. */
const purpose = 'receipt-link';
const purchaseForm = /^pur_([0-9a-f]{32})$/;
const linkForm = /^[\w-]{44}$/;
const idBytes = 16;
/** More bits than can be guessed; with the id, a multiple of three bytes, so that each character of the text counts. */
const codeBytes = 17;

/**
 * Returns a short text of 44 characters that opens the receipt of a purchase, and nothing else; null for an id of another form. Only the
 * shop can compute it: the id of a purchase alone, which others know, opens nothing. Valid until the secret has been replaced twice.
 */
export function issue(purchase: string, { current }: Pick<Secrets, 'current'>): string | null {
  const [, hex] = purchaseForm.exec(purchase) ?? [];
  if (hex === undefined) return null;
  return Buffer.concat([Buffer.from(hex, 'hex'), code(hex, current)]).toString('base64url');
}

/** Returns the purchase of a text that this shop issued; null for any other text. */
export function verify(link: string, { current, previous }: Secrets): string | null {
  if (!linkForm.test(link)) return null;
  const bytes = Buffer.from(link, 'base64url');
  const hex = bytes.subarray(0, idBytes).toString('hex');
  const sent = bytes.subarray(idBytes).toString('hex');
  const secrets = [current, ...(previous === undefined ? [] : [previous])];
  return secrets.map((secret) => Digest.equal(sent, code(hex, secret).toString('hex'))).includes(true)
    ? `pur_${hex}`
    : null;
}

function code(hex: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}|${hex}`).digest().subarray(0, codeBytes);
}
