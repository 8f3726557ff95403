import type { PersonRef } from '../filters/person-url.ts';
import type { Person } from '../records/person.ts';

/** An email address of a person at one of the companies of their career. */
export type WorkEmail = {
  email: string;
  /** Position of the profile that it belongs to, from 1. */
  jobOrder: number;
  companySlug: string | null;
  domain: string;
};

/** Finds contacts of people, and people by their contacts, in one data-set version. */
export type Contacts = {
  person(ref: PersonRef): Promise<Person | null>;
  /** Up to `emailsMax` addresses confirmed by a mail server within `span`, in the order of the profile. */
  emails(ref: PersonRef, span: Span): Promise<WorkEmail[]>;
  /** A US number in E.164: the mobile number, otherwise the direct one. */
  phone(ref: PersonRef): Promise<string | null>;
  /** The person with the address. If several had it, the one whose more recent position it belongs to. */
  personByEmail(email: string, span: Span): Promise<Person | null>;
  personByPhone(e164: string): Promise<Person | null>;
};

export const emailsMax = 50;

/** Period in which a verification counts. */
export type Span = { sinceMs: number; nowMs: number };

/** Addresses are not returned if no mail server has confirmed them within this many days. */
export const freshDaysMax = 30;

/** Period of verifications that count at `nowMs`. Excludes future times, which imported data may contain. */
export function fresh(nowMs: number): Span {
  return { sinceMs: nowMs - freshDaysMax * 86_400_000, nowMs };
}
