/** The web mail of common providers, by the domain of the address. */
const providers: readonly [name: string, url: string, domains: readonly string[]][] = [
  ['Gmail', 'https://mail.google.com/', ['gmail.com', 'googlemail.com']],
  ['Outlook', 'https://outlook.live.com/mail/', ['outlook.com', 'hotmail.com', 'live.com', 'msn.com']],
  ['Yahoo', 'https://mail.yahoo.com/', ['yahoo.com', 'ymail.com']],
  ['iCloud', 'https://www.icloud.com/mail/', ['icloud.com', 'me.com', 'mac.com']],
  ['Proton', 'https://mail.proton.me/', ['proton.me', 'protonmail.com', 'pm.me']],
  ['GMX', 'https://www.gmx.net/', ['gmx.net', 'gmx.de']],
];

/** The web mail of an address; null where its provider is unknown. */
export function mailboxOf(email: string): { name: string; url: string } | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const found = providers.find(([, , domains]) => domains.includes(domain));
  return found === undefined ? null : { name: found[0], url: found[1] };
}
