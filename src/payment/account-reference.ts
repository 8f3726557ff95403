import { createHmac } from 'node:crypto';
import * as Digest from '@sluice/kernel/digest';
import type { Secrets } from './challenge.ts';

/** The query parameter of a purchase that names the account to pay for. */
export const parameter = 'account';

/** Distinguishes these signatures from those of challenges, which have seven or eight parts. */
const purpose = 'account-reference';
const charsMax = 200;

/**
 * Returns a reference with which anyone can pay for `account`, and do nothing else: it is no token. Valid until the secret has been
 * replaced twice.
 */
export function issue(account: string, { current }: Pick<Secrets, 'current'>): string {
  return `${account}.${signature(account, current)}`;
}

/** Returns the account of a reference that this shop issued; null for any other text. */
export function verify(reference: string, { current, previous }: Secrets): string | null {
  const dot = reference.lastIndexOf('.');
  if (dot < 1 || reference.length > charsMax) return null;
  const account = reference.slice(0, dot);
  const sent = reference.slice(dot + 1);
  const secrets = [current, ...(previous === undefined ? [] : [previous])];
  return secrets.map((secret) => Digest.equal(sent, signature(account, secret))).includes(true)
    ? account
    : null;
}

function signature(account: string, secret: string): string {
  return createHmac('sha256', secret).update(`${purpose}|${account}`).digest('base64url');
}
