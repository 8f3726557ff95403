/**
 * Providers whose addresses have several spellings for one mailbox, by their own help pages. Only certain facts are listed: two people must
 * never count as one. `domain`: the canonical one of `domains`. `ignores`: characters of the local part that make no difference.
 */
const providers: readonly { domain: string; domains: readonly string[]; ignores: RegExp | null }[] = [
  { domain: 'gmail.com', domains: ['gmail.com', 'googlemail.com'], ignores: /\./g },
  { domain: 'proton.me', domains: ['proton.me', 'protonmail.com', 'pm.me'], ignores: /[._-]/g },
  { domain: 'icloud.com', domains: ['icloud.com', 'me.com', 'mac.com'], ignores: null },
];

const byDomain = new Map(providers.flatMap((one) => one.domains.map((domain) => [domain, one] as const)));

/**
 * Returns the mailbox of a valid, lower-case address, so that one person is recognized: without the tag of `ann+shop@`, which most providers
 * deliver to `ann@`, and in the provider's own spelling. It is for comparison; mail goes to the address as it was given.
 */
export function mailbox(email: string): string {
  const at = email.lastIndexOf('@');
  const [tagged, host] = [email.slice(0, at), email.slice(at + 1)];
  const name = tagged.replace(/\+.*$/, '');
  const provider = byDomain.get(host);
  if (provider === undefined) return `${name}@${host}`;
  const { domain, ignores } = provider;
  const spelled = ignores === null ? name : name.replace(ignores, '');
  return `${spelled || name}@${domain}`;
}
