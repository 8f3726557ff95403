/** One message in plain text. */
export type Mail = { to: string; subject: string; text: string };

/** `refused`: nobody receives mail at that address, as far as our mail server knows. `away`: nobody can say now. */
export type Posted = 'sent' | 'refused' | 'away';

/** Who takes the shop's mail to its readers; an adapter implements it. Never rejects, and answers within a bound. */
export interface Mailer {
  send(mail: Mail): Promise<Posted>;
}
