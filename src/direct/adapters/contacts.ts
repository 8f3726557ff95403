import * as Contacts from '../enrichment/contacts.ts';
import type { PersonRef } from '../filters/person-url.ts';
import * as PhoneNumber from '../filters/phone-number.ts';
import * as Person from '../records/person.ts';
import { confirmedAt } from './address-book.ts';
import type { Fragment, Sql } from './database.ts';

type Row = { record: Person.PersonRecord };
type EmailRow = { email: string; job_order: number; company_slug: string | null; email_domain: string };

const phonesMax = 20;

/** People, their addresses and their numbers in one generation. */
export function contacts(sql: Sql, generation: number): Contacts.Contacts {
  return {
    async person(ref) {
      const [row] = await sql<Row[]>`
        select record from direct.person where generation = ${generation} and id = ${idOf(sql, generation, ref)}`;
      return row ? Person.toPerson(row.record) : null;
    },
    async emails(ref, { sinceMs, nowMs }) {
      const rows = await sql<EmailRow[]>`
        select e.email, job_order, company_slug, email_domain
        from direct.email e left join direct.address a on a.email = e.email
        where generation = ${generation} and person_id = ${idOf(sql, generation, ref)}
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
        where generation = ${generation} and person_id = ${idOf(sql, generation, ref)}
        order by kind = 'mobile' desc nulls last, phone
        limit ${phonesMax}`;
      return rows.find(({ phone }) => PhoneNumber.parse(phone)?.kind === 'us')?.phone ?? null;
    },
    async personByEmail(email, { sinceMs, nowMs }) {
      const [row] = await sql<Row[]>`
        select p.record
        from direct.email e join direct.person p on p.generation = e.generation and p.id = e.person_id
        left join direct.address a on a.email = e.email
        where e.generation = ${generation} and e.email = ${email}
          and ${confirmedAt(sql)} between ${new Date(sinceMs)} and ${new Date(nowMs)}
        order by e.job_order, ${confirmedAt(sql)} desc, e.person_id
        limit 1`;
      return row ? Person.toPerson(row.record) : null;
    },
    async personByPhone(e164) {
      const [row] = await sql<Row[]>`
        select p.record
        from direct.phone n join direct.person p on p.generation = n.generation and p.id = n.person_id
        where n.generation = ${generation} and n.phone = ${e164}
        order by n.kind = 'mobile' desc nulls last, n.person_id
        limit 1`;
      return row ? Person.toPerson(row.record) : null;
    },
  };
}

/** The person meant; the first of them, should the owner's data give a number or a token to more than one. */
function idOf(sql: Sql, generation: number, ref: PersonRef): Fragment {
  return sql`(
    select p.id from direct.person p where p.generation = ${generation} and ${isMeant(sql, ref)} order by p.id limit 1
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
