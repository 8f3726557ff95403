import { type Query, query } from '../query.ts';
import { companyId, lookup } from './sql.ts';

const slug = 'naomi-whitaker';
const person_network_url = `https://www.network.example/in/${slug}`;
const company = 'tessera-health';
const company_network_url = `https://www.network.example/company/${company}`;

function enriched(name: string, body: object, statement: (version: number) => string): Query {
  return query(`enrichment: ${name}`, `/v2/enrichment/${name}`, body, lookup(statement));
}

/** Lookups of single records by a key. */
export const queries: readonly Query[] = [
  enriched(
    'person',
    { person_network_url },
    (g) => `select slug, record from direct.person where version = ${g} and slug = '${slug}'`,
  ),
  enriched(
    'email',
    { person_network_url },
    (g) =>
      `select p.slug, e.email, e.job_order, e.company_slug, e.email_domain
       from direct.person p join direct.email e on e.version = p.version and e.person_id = p.id
       where p.version = ${g} and p.slug = '${slug}' and e.verified_at >= now() - interval '30 days'
       order by e.job_order`,
  ),
  enriched(
    'phone',
    { person_network_url },
    (g) =>
      `select p.slug, n.phone
       from direct.person p join direct.phone n on n.version = p.version and n.person_id = p.id
       where p.version = ${g} and p.slug = '${slug}' order by n.kind = 'mobile' desc limit 1`,
  ),
  enriched(
    'email-to-person',
    { email: 'naomi@tessera-health.example' },
    (g) =>
      `select p.slug, p.record
       from direct.email e join direct.person p on p.version = e.version and p.id = e.person_id
       where e.version = ${g} and e.email = 'naomi@tessera-health.example'
         and e.verified_at >= now() - interval '30 days'
       order by e.job_order limit 1`,
  ),
  enriched(
    'phone-to-person',
    { phone: '+16175550142' },
    (g) =>
      `select p.slug, p.record
       from direct.phone n join direct.person p on p.version = n.version and p.id = n.person_id
       where n.version = ${g} and n.phone = '+16175550142' limit 1`,
  ),
  enriched(
    'company',
    { company_network_url },
    (g) => `select * from direct.company where version = ${g} and id = ${companyId(company, g)}`,
  ),
  enriched(
    'domain-to-network',
    { domain: `https://www.${company}.example` },
    (g) =>
      `select c.slug, c.name
       from direct.company_domain d join direct.company c on c.version = d.version and c.id = d.company_id
       where d.version = ${g} and d.domain = '${company}.example' order by d.rank, c.id limit 11`,
  ),
  enriched(
    'network-to-domain',
    { company_network_url },
    (g) => `select slug, email_domain from direct.company where version = ${g} and slug = '${company}'`,
  ),
  query('current date', '/v2/utils/current-date', { region: 'Europe/Berlin' }, null),
];
