import * as AddressBlock from '../identity/address-block.ts';
import * as Claim from '../identity/claim.ts';
import * as SignIn from '../identity/sign-in.ts';
import * as SignInMail from '../identity/sign-in-mail.ts';
import { id } from '../kernel/id.ts';
import * as Registering from './registration.ts';
import type { Shop } from './shop.ts';

/** Where a link leads; its token comes in the query, which no log has. */
export const path = '/shop/account/link';

export type Asked =
  /** A mail is on its way, if the address takes mail. */
  | { kind: 'sent' }
  | { kind: 'limited'; retryAfterSeconds: number }
  /** The mail server is out of reach; nothing has happened. */
  | { kind: 'away' };

/**
 * Sends a person a link to sign in with. An address that has no account gets a mail that says so: so the answer is the same, and takes as long.
 * @param browser a secret of the browser that asks
 */
export async function ask(
  shop: Shop,
  { signIns, mailer, secret }: Claim.Office,
  { email, browser }: { email: string; browser: string },
  address: string,
): Promise<Asked> {
  const token = SignIn.newToken();
  const link = {
    id: id('sin'),
    email,
    mailbox: Claim.mailboxDigest(secret, email),
    block: AddressBlock.isLoopback(address) ? null : AddressBlock.of(address),
    tokenDigest: SignIn.digest(token),
    browserDigest: SignIn.digest(browser),
    expiresMs: shop.clock() + SignIn.linkLifeMs,
  };
  const standing = await signIns.start(link);
  if (standing.kind === 'limited') return standing;
  const { publicUrl } = shop;
  const letter = SignInMail.write({
    to: email,
    name: shop.catalog.storefront.name,
    publicUrl,
    link: standing.known ? `${publicUrl}${path}?token=${token}` : null,
  });
  if ((await mailer.send(letter)) !== 'away') return { kind: 'sent' };
  await signIns.forget(link.id);
  return { kind: 'away' };
}

/** How a link stands in a browser. */
export function look({ signIns }: Claim.Office, token: string, browser: string | null): Promise<SignIn.Look> {
  return signIns.look(SignIn.digest(token), browser && SignIn.digest(browser));
}

export type Entered =
  | { kind: 'entered'; account: string; assertion: string }
  | { kind: 'elsewhere' | 'gone' };

/** Takes a link, and opens a session of the account whose person reads that mail. */
export async function enter(
  shop: Shop,
  { signIns }: Claim.Office,
  { token, browser, email }: { token: string; browser: string | null; email: string | null },
): Promise<Entered> {
  const outcome = await signIns.end(SignIn.digest(token), browser && SignIn.digest(browser), email);
  if (outcome.kind !== 'signed_in') return outcome;
  const { assertion } = await Registering.session(shop, outcome.account);
  return { kind: 'entered', account: outcome.account, assertion: assertion.token };
}
