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
  /** The addresses verified since then, in the order of the profile, at most `emailsMax`. */
  emails(ref: PersonRef, verifiedSinceMs: number): Promise<WorkEmail[]>;
  /** A US number in E.164: the mobile one, else the direct one. */
  phone(ref: PersonRef): Promise<string | null>;
  /** Whose address it is; the one whose more recent position it belongs to, where it has gone from hand to hand. */
  personByEmail(email: string, verifiedSinceMs: number): Promise<Person | null>;
  personByPhone(e164: string): Promise<Person | null>;
};

export const emailsMax = 50;

/** An address that no mail server has confirmed for longer is as good as a guess, and guesses are never answered. */
const freshDaysMax = 30;

/** The earliest verification that still counts at `nowMs`. */
export function verifiedSince(nowMs: number): number {
  return nowMs - freshDaysMax * 86_400_000;
}
