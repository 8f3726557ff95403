import * as Smtp from '../../adapters/mail/smtp.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('mail');

/** Greets the mail server and signs in; sends nothing. `isBundled`: the mailbox of `sluice start`. */
export async function look(url: string, isBundled: boolean): Promise<Finding.Finding> {
  if (url === '')
    return unproved(
      'none is sent: no account can be claimed by email',
      'SMTP_URL and MAIL_FROM, if you want that',
    );
  const { host } = new URL(url);
  try {
    await Smtp.greet(url);
    return ok(isBundled ? `the bundled mailbox, ${host}` : `${host} greets and lets us in`);
  } catch (fault) {
    if (isBundled) return unproved(`the bundled mailbox at ${host} does not run`, 'sluice start runs it');
    return problem(`${host}: ${Finding.reason(fault)}`, 'is SMTP_URL right?');
  }
}
