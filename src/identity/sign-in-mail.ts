import type { Texts } from '../text/texts.ts';
import type { Mail } from './mail.ts';
import { accountText } from './team/invitation.ts';

/** An invitation by the address of its sender, null if they have left, and of the owner of the account. */
export type Invited = { inviter: string | null; owner: string };

export type SignInLetter = {
  to: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  /** The link that signs in to the account; null when the reader has none. */
  link: string | null;
  /** The invitation that the link accepts; null for none. */
  invitation: Invited | null;
  /** Time until the link expires. */
  lifeMs: number;
};

/** Writes the mail for a sign-in. Only its reader learns that an account exists or does not. */
export function signInMail(
  texts: Texts,
  { to, name, publicUrl, link, invitation, lifeMs }: SignInLetter,
): Mail {
  const shop = name.replace(/\s+/g, ' ').trim();
  if (link === null)
    return {
      to,
      subject: texts.text('mail.no_account.subject', { shop }),
      text: texts.text('mail.no_account.text', { shop, url: publicUrl, start: `${publicUrl}/shop/account` }),
    };
  const facts = { shop, url: publicUrl, link, minutes: lifeMs / 60_000 };
  if (invitation === null)
    return {
      to,
      subject: texts.text('mail.sign_in.subject', { shop }),
      text: texts.text('mail.sign_in.text', facts),
    };
  const inviter = invitation.inviter ?? texts.text('invitation.former_inviter');
  const account = accountText(texts, invitation);
  return {
    to,
    subject: texts.text('mail.join.subject', { shop, owner: invitation.owner }),
    text: texts.text('mail.join.text', { ...facts, inviter, account }),
  };
}
