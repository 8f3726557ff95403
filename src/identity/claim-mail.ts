import type { Texts } from '../text/texts.ts';
import { codeLifeMs } from './claim.ts';
import type { Mail } from './mail.ts';

export type ClaimLetter = {
  to: string;
  code: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  /** True when the recipient already has an account here, into which the claimed one is merged. */
  known: boolean;
};

/** The email with the claim code. It explains the effect of the code, because a stranger may ask the recipient for it. */
export function claimMail(texts: Texts, { to, code, name, publicUrl, known }: ClaimLetter): Mail {
  const shop = name.replace(/\s+/g, ' ').trim();
  const shown = `${code.slice(0, 3)} ${code.slice(3)}`;
  return {
    to,
    subject: texts.text('mail.claim.subject', { shop, code: shown }),
    text: texts.text('mail.claim.text', {
      shop,
      url: publicUrl,
      code: shown,
      minutes: codeLifeMs / 60_000,
      effect: texts.text(known ? 'mail.claim.merges' : 'mail.claim.owns'),
    }),
  };
}
