import type { CompanyCondition } from '../filters/company-filter.ts';
import type { CompanyRef } from '../filters/network-url.ts';
import type { Company } from '../records/company.ts';
import type { Headcount } from '../records/distribution.ts';

/** Identifies a company for further queries. */
export type Found = { id: number; slug: string };
/** A company found by its domain. */
export type Named = { slug: string; name: string };
export type FoundCompany = { id: number; company: Company };

/** The companies of one data-set version. Their ids follow their size, from the largest to the smallest. */
export type Companies = {
  find(ref: CompanyRef): Promise<Found | null>;
  profile(ref: CompanyRef): Promise<Company | null>;
  byIds(ids: readonly number[]): Promise<Map<number, Company>>;
  /** Counts the companies that meet the condition, exactly. */
  count(condition: CompanyCondition): Promise<number>;
  /** Up to `limit` matches with ids above `after`, in order. `total` is the result of `count`; it selects the query plan. */
  page(condition: CompanyCondition, total: number, after: number, limit: number): Promise<FoundCompany[]>;
  /** Up to `limit` companies that use one of the domains, best match first. Earlier domains in the list rank higher. */
  atDomain(domains: readonly string[], limit: number): Promise<Named[]>;
  /** Domain of the company's email addresses; null if it or the company is unknown. */
  emailDomain(ref: CompanyRef): Promise<string | null>;
  /** Number of employees by country code, `unknown` for those without one; in descending order. */
  headcountByCountry(companyId: number): Promise<Headcount[]>;
  /** Number of employees by job function, `Other` for those without one; in descending order. */
  headcountByFunction(companyId: number): Promise<Headcount[]>;
};
