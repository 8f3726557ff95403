import type { CompanyCondition } from '../filters/company-filter.ts';
import type { CompanyRef } from '../filters/network-url.ts';
import type { Company } from '../records/company.ts';
import type { Headcount } from '../records/distribution.ts';

/** Enough of a company to ask about it. */
export type Found = { id: number; slug: string };
/** A company as the answer to a domain. */
export type Named = { slug: string; name: string };
export type FoundCompany = { id: number; company: Company };

/** The companies of one generation of the data. Their ids are their order: from the largest to the smallest. */
export type Companies = {
  find(ref: CompanyRef): Promise<Found | null>;
  profile(ref: CompanyRef): Promise<Company | null>;
  byIds(ids: readonly number[]): Promise<Map<number, Company>>;
  /** How many companies meet the condition, exactly. */
  count(condition: CompanyCondition): Promise<number>;
  /** Those after `after`, in order, at most `limit`. `total` is what `count` gave, and decides how to look for them. */
  page(condition: CompanyCondition, total: number, after: number, limit: number): Promise<FoundCompany[]>;
  /** Companies that one of the domains leads to, the closest first, at most `limit`; earlier domains count for more. */
  atDomain(domains: readonly string[], limit: number): Promise<Named[]>;
  /** What stands after the @ of the company's addresses; null where that or the company is not known. */
  emailDomain(ref: CompanyRef): Promise<string | null>;
  /** Employees by country code, `unknown` for those without one; the most first. */
  headcountByCountry(companyId: number): Promise<Headcount[]>;
  /** Employees by job function, `Other` for those without one; the most first. */
  headcountByFunction(companyId: number): Promise<Headcount[]>;
};
