import type { Mail } from './mail.ts';
import { linkLifeMs } from './sign-in.ts';

export type Letter = {
  to: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  /** What opens the account; null where the reader has none here. */
  link: string | null;
};

/** The mail that somebody asked for who wants to sign in. Its reader alone learns whether there is an account. */
export function write({ to, name, publicUrl, link }: Letter): Mail {
  const shop = name.replace(/\s+/g, ' ').trim();
  const asked = `Somebody asked to sign in with this address at\n${shop}, ${publicUrl}`;
  if (link === null)
    return {
      to,
      subject: `No account at ${shop}`,
      text: `${asked}

No account there has this address. If it was you: try another address of
yours, or start free at ${publicUrl}/shop/account

If it was not you, nothing has happened.
`,
    };
  return {
    to,
    subject: `Sign in to ${shop}`,
    text: `${asked}

If it was you, open this link in the browser in which you asked:

${link}

It works once, for ${linkLifeMs / 60_000} minutes. In another browser it asks for
this address first.

If it was not you, do nothing, and give the link to nobody.
`,
  };
}
