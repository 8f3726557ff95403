import * as Smtp from '../../adapters/mail/smtp.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('mail');

/** Connects to the mail server and signs in, without sending mail. `isBundled`: the mailbox of `sluice start`. */
export async function checkMail(
  url: string,
  publicUrl: string,
  isBundled: boolean,
): Promise<Finding.Finding> {
  if (url === '')
    return unproved(
      'no mail is sent, so no account can be claimed by email',
      'set SMTP_URL and MAIL_FROM to send mail',
    );
  const { host } = new URL(url);
  try {
    await Smtp.greet(url, new URL(publicUrl).hostname);
    return ok(isBundled ? `the bundled mailbox, ${host}` : `${host} accepts the connection and the sign-in`);
  } catch (fault) {
    if (isBundled) return unproved(`the bundled mailbox at ${host} is not running`, 'sluice start runs it');
    return problem(`${host}: ${Finding.reason(fault)}`, 'check SMTP_URL');
  }
}
