import * as Company from '../entries/company.ts';
import * as Identity from '../entries/identity.ts';
import type { Kind } from '../entries/kind.ts';
import * as OwnKey from '../filters/own-key.ts';
import * as PhoneNumber from '../filters/phone-number.ts';
import type { Part, RowPlan } from './row-plan.ts';

type Row = Record<string, unknown>;
/** Completes the value of a row before validation. Null if the row contains no entry of the kind. */
export type Complete = (value: unknown) => unknown;

/** A row that nothing identifies. */
export class Unidentified {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const confirmedStatus = /^(?:valid|verified|deliverable|ok|accepted|true|yes)$/i;
const e164Pattern = /^\+[1-9]\d{6,14}$/;
const partsOfPeople = ['email', 'email_verified_at', 'email_status', 'phone', 'mobile_phone', 'company'];

/** Returns the function that completes the rows of a plan: addresses from identifying columns, and parts of people. */
export function completer(plan: RowPlan): Complete {
  const complete = plan.part === null ? ofKind(plan) : ofPart(plan.part, plan.trustsVerified);
  return (value) => (isRow(value) ? complete(value) : value);
}

function ofKind({ kind, targets, trustsVerified }: RowPlan): (row: Row) => unknown {
  const byKind: Readonly<Record<Kind, (row: Row) => unknown>> = {
    companies,
    people: targets === null ? (row) => people(row, null) : (row) => people(row, takeParts(row)),
    jobs,
    emails: (row) => emails(row, trustsVerified),
    phones,
  };
  return byKind[kind];
}

function companies(row: Row): unknown {
  if (!isKnown(row.network_url)) row.domain ??= domainOf(row);
  row.network_url ??= Identity.companyUrn(row);
  return row.network_url === null
    ? new Unidentified('Needs network_url, domain, website or name to identify the company')
    : row;
}

/** Facts of a row of people that identify the person, beside the name. */
type Facts = { email?: unknown; phone?: unknown; company: string | null };

function people(row: Row, parts: Facts | null): unknown {
  if (isKnown(row.network_url)) return row;
  const facts = parts ?? { company: employerOf(positionsOf(row)[0]) };
  for (const each of positionsOf(row)) each.company_network_url ??= urnOf(employerOf(each));
  const name = [row.first_name, row.last_name].filter(isKnown).join(' ');
  const urn = Identity.personUrn({ ...facts, name: isKnown(row.full_name) ? String(row.full_name) : name });
  if (urn === null)
    return new Unidentified('Needs network_url, email, or a name with a company, to identify the person');
  row.network_url = urn;
  return row;
}

/** Moves the company of a row into the first position, and takes the other parts out of the row. */
function takeParts(row: Row): Facts | null {
  if (!partsOfPeople.some((part) => part in row)) return null;
  const company = companyOf(row);
  if (company !== null) {
    const [position = {}, ...rest] = positionsOf(row);
    position.company_name ??= company.name;
    position.company_domain ??= domainOf(company);
    position.company_network_url ??= company.network_url;
    row.experiences = [position, ...rest];
  }
  const facts = {
    email: row.email,
    phone: row.phone ?? row.mobile_phone,
    company: company === null ? employerOf(positionsOf(row)[0]) : Identity.company(company),
  };
  for (const part of partsOfPeople) delete row[part];
  return facts;
}

/** The company of a row of people, with name, address and domain; null if the row has none. */
function companyOf(row: Row): Row | null {
  const { company } = row;
  if (!isRow(company)) return null;
  const name = company.name ?? domainOf(company);
  const networkUrl = company.network_url ?? Identity.companyUrn(company);
  return isKnown(name) && isKnown(networkUrl)
    ? { ...company, name, network_url: networkUrl, domain: domainOf(company) }
    : null;
}

function jobs(row: Row): unknown {
  row.company_network_url ??= urnOf(Identity.company({ domain: row.company_domain, name: row.company_name }));
  take(row, 'company_domain');
  if (typeof row.posted_at === 'string' && /^\d{4}-\d\d-\d\d$/.test(row.posted_at))
    row.posted_at = `${row.posted_at}T00:00:00Z`;
  row.id ??= Identity.jobId({
    ...row,
    company: isKnown(row.company_network_url) ? String(row.company_network_url) : null,
  });
  return row;
}

function emails(row: Row, trustsVerified: boolean): unknown {
  const status = take(row, 'status');
  if (!trustsVerified || (isKnown(status) && !confirmedStatus.test(String(status).trim())))
    row.verified_at = null;
  row.person_network_url ??= Identity.personUrn({ email: row.email, name: null, company: null });
  return row.person_network_url === null
    ? new Unidentified('Needs person_network_url, or a valid email of the person')
    : row;
}

function phones(row: Row): unknown {
  const email = take(row, 'email');
  row.phone = e164(row.phone);
  row.person_network_url ??= Identity.personUrn({ email, name: null, company: null });
  return row.person_network_url === null
    ? new Unidentified('Needs person_network_url, or the email of the person')
    : row;
}

/** Removes a member and returns its value. Rows without it stay as they are: `delete` would slow down reading them. */
function take(row: Row, name: string): unknown {
  if (!(name in row)) return undefined;
  const value = row[name];
  delete row[name];
  return value;
}

function ofPart(part: Part, trustsVerified: boolean): (row: Row) => unknown {
  if (part === 'company') return companyOf;
  return (row) => {
    const given = row[part];
    if (!isKnown(given)) return null;
    const company = companyOf(row);
    const { email_verified_at: verified_at, email_status: status } = row;
    const person = people(row, takeParts(row));
    if (!isRow(person)) return null;
    const owner = { person_network_url: person.network_url };
    if (part === 'email') {
      const entry = {
        ...owner,
        email: given,
        company_network_url: company?.network_url,
        verified_at,
        status,
      };
      return emails(entry, trustsVerified);
    }
    const phone = e164(given);
    // Without a country code, a number of a CRM export cannot be looked up.
    if (typeof phone !== 'string' || !e164Pattern.test(phone)) return null;
    return { ...owner, phone, ...(part === 'mobile_phone' && { kind: 'mobile' }) };
  };
}

/** Converts a number as people write it to E.164; returns other values unchanged. */
function e164(given: unknown): unknown {
  if (typeof given !== 'string' || e164Pattern.test(given)) return given;
  const number = PhoneNumber.parse(given);
  if (number?.kind === 'us') return number.e164;
  return given.trim().startsWith('+') ? `+${given.replace('(0)', '').replace(/\D/g, '')}` : given;
}

function employerOf(position: Row | undefined): string | null {
  return position ? Identity.company({ domain: position.company_domain, name: position.company_name }) : null;
}

function urnOf(company: string | null): string | null {
  return company === null ? null : OwnKey.urn('company', OwnKey.derive('company', company));
}

function domainOf(company: Row): string | null {
  const [given] = [company.domain, company.website].filter(isKnown);
  return typeof given === 'string' ? Company.domainOf(given) : null;
}

function positionsOf(row: Row): Row[] {
  return Array.isArray(row.experiences) ? row.experiences.filter(isRow) : [];
}

function isKnown(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
