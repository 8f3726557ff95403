import * as Contacts from '../enrichment/contacts.ts';
import type { PersonRef } from '../filters/person-url.ts';
import * as PhoneNumber from '../filters/phone-number.ts';
import * as Person from '../records/person.ts';
import type { Fragment, Sql } from './database.ts';
import { confirmedAt } from './email-store.ts';

type Row = { record: Person.PersonRecord };
type EmailRow = { email: string; job_order: number; company_slug: string | null; email_domain: string };

const phonesMax = 20;

/** Reads people, email addresses and phone numbers of one data-set version. */
export function contacts(sql: Sql, version: number): Contacts.Contacts {
  return {
    async person(ref) {
      const [row] = await sql<Row[]>`
        select record from direct.person where version = ${version} and id = ${idOf(sql, version, ref)}`;
      return row ? Person.toPerson(row.record) : null;
    },
    async emails(ref, { sinceMs, nowMs }) {
      const rows = await sql<EmailRow[]>`
        select e.email, job_order, company_slug, email_domain
        from direct.email e left join direct.address a on a.email = e.email
        where version = ${version} and person_id = ${idOf(sql, version, ref)}
          and ${confirmedAt(sql)} between ${new Date(sinceMs)} and ${new Date(nowMs)}
        order by job_order, ${confirmedAt(sql)} desc, e.email
        limit ${Contacts.emailsMax}`;
      return rows.map((row) => ({
        email: row.email,
        jobOrder: row.job_order,
        companySlug: row.company_slug,
        domain: row.email_domain,
      }));
    },
    async phone(ref) {
      const rows = await sql<{ phone: string }[]>`
        select phone from direct.phone
        where version = ${version} and person_id = ${idOf(sql, version, ref)}
        order by kind = 'mobile' desc nulls last, phone
        limit ${phonesMax}`;
      return rows.find(({ phone }) => PhoneNumber.parse(phone)?.kind === 'us')?.phone ?? null;
    },
    async personByEmail(email, { sinceMs, nowMs }) {
      const [row] = await sql<Row[]>`
        select p.record
        from direct.email e join direct.person p on p.version = e.version and p.id = e.person_id
        left join direct.address a on a.email = e.email
        where e.version = ${version} and e.email = ${email}
          and ${confirmedAt(sql)} between ${new Date(sinceMs)} and ${new Date(nowMs)}
        order by e.job_order, ${confirmedAt(sql)} desc, e.person_id
        limit 1`;
      return row ? Person.toPerson(row.record) : null;
    },
    async personByPhone(e164) {
      const [row] = await sql<Row[]>`
        select p.record
        from direct.phone n join direct.person p on p.version = n.version and p.id = n.person_id
        where n.version = ${version} and n.phone = ${e164}
        order by n.kind = 'mobile' desc nulls last, n.person_id
        limit 1`;
      return row ? Person.toPerson(row.record) : null;
    },
  };
}

/** SQL for the id of the person. Imported data may give one number or token to several people; the first one wins. */
function idOf(sql: Sql, version: number, ref: PersonRef): Fragment {
  return sql`(
    select p.id from direct.person p where p.version = ${version} and ${isMeant(sql, ref)} order by p.id limit 1
  )`;
}

function isMeant(sql: Sql, ref: PersonRef): Fragment {
  switch (ref.kind) {
    case 'slug':
      return sql`p.slug = ${ref.slug}`;
    case 'profile':
      return sql`p.profile_token = ${ref.token}`;
    case 'sales':
      return sql`p.sales_token = ${ref.token}`;
    case 'member':
      return sql`p.member_number = ${ref.number}`;
  }
}
