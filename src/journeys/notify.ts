import type { MailContext } from '../identity/identity-context.ts';
import type { Mail } from '../identity/mail.ts';

/**
 * Queues mail to a person. A shop without mail sends nothing.
 * @param key identifies the message, which is sent once however often this is called
 * @returns true when no further attempt is needed
 */
export async function notify(shop: Pick<MailContext, 'mail'>, mail: Mail, key: string): Promise<boolean> {
  await shop.mail?.enqueue(mail, key);
  return true;
}
