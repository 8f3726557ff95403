import type { Texts } from '../../text/texts.ts';
import type { Mail } from '../mail.ts';
import { accountText } from './invitation.ts';
import type { Role } from './role.ts';

export type InvitationLetter = {
  to: string;
  role: Role;
  /** The address of the owner of the account. */
  owner: string;
  /** The address of the person who invites. */
  inviter: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  link: string;
  days: number;
};

/** Writes the mail with an invitation. It has no words of the person who invites, so that it cannot carry advertising. */
export function invitationMail(texts: Texts, letter: InvitationLetter): Mail {
  const { to, role, owner, inviter, name, publicUrl, link, days } = letter;
  const shop = name.replace(/\s+/g, ' ').trim();
  return {
    to,
    subject: texts.text('mail.invitation.subject', { shop, inviter }),
    text: texts.text('mail.invitation.text', {
      ...{ shop, url: publicUrl, inviter, link, days },
      account: accountText(texts, { inviter, owner }),
      role: texts.text(`role.${role}`),
    }),
  };
}
