import type { Texts } from '../text/texts.ts';
import type { Mail } from './mail.ts';

export type SignInLetter = {
  to: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  /** The link that signs in to the account; null when the reader has none. */
  link: string | null;
  /** The link accepts an invitation. */
  joins: boolean;
  /** Time until the link expires. */
  lifeMs: number;
};

/** Writes the mail for a sign-in. Only its reader learns that an account exists or does not. */
export function signInMail(texts: Texts, { to, name, publicUrl, link, joins, lifeMs }: SignInLetter): Mail {
  const shop = name.replace(/\s+/g, ' ').trim();
  if (link === null)
    return {
      to,
      subject: texts.text('mail.no_account.subject', { shop }),
      text: texts.text('mail.no_account.text', { shop, url: publicUrl, start: `${publicUrl}/shop/account` }),
    };
  const kind = joins ? 'mail.join' : 'mail.sign_in';
  return {
    to,
    subject: texts.text(`${kind}.subject`, { shop }),
    text: texts.text(`${kind}.text`, { shop, url: publicUrl, link, minutes: lifeMs / 60_000 }),
  };
}
