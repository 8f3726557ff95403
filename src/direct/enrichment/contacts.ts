import type { PersonRef } from '../filters/person-url.ts';
import type { Person } from '../records/person.ts';

/** An address of a person at one of the companies of the career. */
export type WorkEmail = {
  email: string;
  /** The position that it belongs to: 1 is the first of the profile. */
  jobOrder: number;
  companySlug: string | null;
  domain: string;
};

/** Who can be reached how, and who is behind an address or a number, in one generation of the data. */
export type Contacts = {
  person(ref: PersonRef): Promise<Person | null>;
  /** The addresses that a mail server confirmed within `span`, in the order of the profile, at most `emailsMax`. */
  emails(ref: PersonRef, span: Span): Promise<WorkEmail[]>;
  /** A US number in E.164: the mobile one, else the direct one. */
  phone(ref: PersonRef): Promise<string | null>;
  /** Whose address it is; the one whose more recent position it belongs to, where it has gone from hand to hand. */
  personByEmail(email: string, span: Span): Promise<Person | null>;
  personByPhone(e164: string): Promise<Person | null>;
};

export const emailsMax = 50;

/** From and to when a verification counts. */
export type Span = { sinceMs: number; nowMs: number };

/** An address that no mail server has confirmed for longer is as good as a guess, and guesses are never answered. */
export const freshDaysMax = 30;

/** The verifications that count at `nowMs`: neither too old nor still to come, whatever somebody's data say. */
export function fresh(nowMs: number): Span {
  return { sinceMs: nowMs - freshDaysMax * 86_400_000, nowMs };
}
