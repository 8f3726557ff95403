import { distributionByCountry } from '../companies/distribution-by-country.ts';
import { distributionByDepartment } from '../companies/distribution-by-department.ts';
import { domainToNetwork } from '../companies/domain-to-network.ts';
import { networkToDomain } from '../companies/network-to-domain.ts';
import { profile } from '../companies/profile.ts';
import { search as searchCompanies } from '../companies/search.ts';
import { tamByJobs } from '../companies/tam-by-jobs.ts';
import { tamByPeople } from '../companies/tam-by-people.ts';
import { email } from '../enrichment/email.ts';
import { emailToPerson } from '../enrichment/email-to-person.ts';
import { person } from '../enrichment/person.ts';
import { phone } from '../enrichment/phone.ts';
import { phoneToPerson } from '../enrichment/phone-to-person.ts';
import { atCompany } from '../jobs/at-company.ts';
import { search as searchJobs } from '../jobs/search.ts';
import { keyInfo } from '../keys/key-info.ts';
import type { Operation } from '../operation.ts';
import { employeeFinder } from '../people/employee-finder.ts';
import { search as searchPeople } from '../people/search.ts';
import { waterfallKeyword } from '../people/waterfall-keyword.ts';
import { waterfallRealTime } from '../people/waterfall-real-time.ts';
import { currentDate } from '../time/current-date.ts';

/** All operations of the data API. */
export const operations: readonly Operation[] = [
  keyInfo,
  searchPeople,
  searchCompanies,
  employeeFinder,
  waterfallKeyword,
  waterfallRealTime,
  searchJobs,
  atCompany,
  tamByJobs,
  tamByPeople,
  email,
  phone,
  emailToPerson,
  phoneToPerson,
  person,
  profile,
  domainToNetwork,
  networkToDomain,
  distributionByCountry,
  distributionByDepartment,
  currentDate,
];

/** The operations that are offered with or without a live profile source. */
export function offered(hasLiveSource: boolean): readonly Operation[] {
  return hasLiveSource ? operations : operations.filter(({ needsLiveSource }) => !needsLiveSource);
}

/** `allowed_apis` of a key without restrictions, and the operations that keys can be restricted to. */
export const apis: readonly string[] = operations.map(({ path }) => path);
const storedApis: readonly string[] = offered(false).map(({ path }) => path);

/** The part of `apis` that is offered. */
export function offeredApis(hasLiveSource: boolean): readonly string[] {
  return hasLiveSource ? apis : storedApis;
}
