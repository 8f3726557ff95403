import { codeLifeMs } from './claim.ts';
import type { Mail } from './mail.ts';

export type Letter = {
  to: string;
  code: string;
  /** The shop's name and address. */
  name: string;
  publicUrl: string;
  /** The reader has an account here, which takes the new one in. */
  known: boolean;
};

/** The mail with the code. It says what the code does to whoever is asked for it, as it may be asked for by a stranger. */
export function write({ to, code, name, publicUrl, known }: Letter): Mail {
  const effect = known
    ? `You have an account here already. The agent's account becomes a part
of it: what is left on it is added to yours, and the agent can spend
what is on your account.`
    : `The account and what is left on it become yours; the agent goes on
using it.`;
  const shop = name.replace(/\s+/g, ' ').trim();
  return {
    to,
    subject: `Your code for ${shop}`,
    text: `An agent asks to hand its account over to you, at
${shop}, ${publicUrl}

    ${code.slice(0, 3)} ${code.slice(3)}

Tell the agent this code if you agree. It works once, for ${codeLifeMs / 60_000} minutes.

${effect}

If you know of no such agent, do nothing, and tell nobody the code.
`,
  };
}
