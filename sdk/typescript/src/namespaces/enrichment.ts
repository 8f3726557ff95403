import type { CallOptions, Connection } from '../connection.ts';
import * as Operation from '../operation.ts';
import type { Company, FairUsage, Person } from '../records.ts';

export interface PersonUrlParams {
  person_network_url: string;
}

export interface CompanyUrlParams {
  company_network_url: string;
}

export interface EmailParams {
  email: string;
}

export interface PhoneParams {
  /** E.164, such as `+12025550123`; a number without `+` is taken as a US number. */
  phone: string;
}

export interface DomainParams {
  /** A domain, or any address on it. */
  domain: string;
}

export interface PersonAnswer {
  found: boolean;
  person: Person | null;
  fair_usage: FairUsage;
}

export interface EmailAnswer {
  found: boolean;
  email: string | null;
  all_emails: WorkEmail[];
  fair_usage: FairUsage;
}

export interface WorkEmail {
  email: string;
  /** The position that it belongs to, from 1. */
  job_order_in_profile: number;
  company_network_url: string | null;
  email_domain: string;
}

export interface PhoneAnswer {
  found: boolean;
  /** E.164 */
  phone: string | null;
  fair_usage: FairUsage;
}

export interface CompanyAnswer {
  found: boolean;
  company: Company | null;
  fair_usage: FairUsage;
}

export interface DomainToNetworkAnswer {
  found: boolean;
  company_network_url: string | null;
  company_name: string | null;
  /** Further companies on the domain, the most likely first. */
  other: { company_network_url: string; company_name: string | null }[];
  fair_usage: FairUsage;
}

export interface NetworkToDomainAnswer {
  found: boolean;
  /** The domain of its mail, which may differ from that of its website. */
  email_domain: string | null;
  fair_usage: FairUsage;
}

export interface CountryDistribution {
  company_network_url: string;
  total_employees: number;
  /** By ISO 3166-1 alpha-2 code, or `unknown`; the most numerous first. The ratio is in percent. */
  distribution: { country: string; count: number; percentage_ratio: number }[];
  fair_usage: FairUsage;
}

export interface DepartmentDistribution {
  company_network_url: string;
  total_employees: number;
  /** The most numerous first. The ratio is in percent. */
  distribution: { department: string; count: number; percentage_ratio: number }[];
  fair_usage: FairUsage;
}

/** Details about one person or company. Data that is not found is free and no error: `found` is false. */
export class Enrichment {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * A profile with its whole career. 1 record when found.
   *
   * ```ts
   * const { person } = await sluice.enrichment.person({ person_network_url: 'https://www.network.example/in/ada-ito' });
   * ```
   */
  person(fields: PersonUrlParams, options?: CallOptions): Promise<PersonAnswer> {
    return this.#call('person', fields, options);
  }

  /**
   * The verified work email of a profile. 1 record when found, however many there are.
   *
   * ```ts
   * const { email } = await sluice.enrichment.email({ person_network_url: 'https://www.network.example/in/ada-ito' });
   * ```
   */
  email(fields: PersonUrlParams, options?: CallOptions): Promise<EmailAnswer> {
    return this.#call('email', fields, options);
  }

  /**
   * The mobile or direct phone of a profile; US numbers. 1 record when found.
   *
   * ```ts
   * const { phone } = await sluice.enrichment.phone({ person_network_url: 'https://www.network.example/in/ada-ito' });
   * ```
   */
  phone(fields: PersonUrlParams, options?: CallOptions): Promise<PhoneAnswer> {
    return this.#call('phone', fields, options);
  }

  /**
   * Finds the person with a work email. 1 record when found.
   *
   * ```ts
   * const { person } = await sluice.enrichment.email_to_person({ email: 'ada@northwind-analytics.example' });
   * ```
   */
  email_to_person(fields: EmailParams, options?: CallOptions): Promise<PersonAnswer> {
    return this.#call('email-to-person', fields, options);
  }

  /**
   * Finds the person with a phone; US numbers. 1 record when found.
   *
   * ```ts
   * const { person } = await sluice.enrichment.phone_to_person({ phone: '+12025550123' });
   * ```
   */
  phone_to_person(fields: PhoneParams, options?: CallOptions): Promise<PersonAnswer> {
    return this.#call('phone-to-person', fields, options);
  }

  /**
   * A company in full. 1 record when found.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * const { company } = await sluice.enrichment.company({ company_network_url });
   * ```
   */
  company(fields: CompanyUrlParams, options?: CallOptions): Promise<CompanyAnswer> {
    return this.#call('company', fields, options);
  }

  /**
   * The company page that belongs to a domain. 1 record when found.
   *
   * ```ts
   * const { company_network_url } = await sluice.enrichment.domain_to_network({ domain: 'northwind-analytics.example' });
   * ```
   */
  domain_to_network(fields: DomainParams, options?: CallOptions): Promise<DomainToNetworkAnswer> {
    return this.#call('domain-to-network', fields, options);
  }

  /**
   * The mail domain that belongs to a company page. 1 record when found.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * const { email_domain } = await sluice.enrichment.network_to_domain({ company_network_url });
   * ```
   */
  network_to_domain(fields: CompanyUrlParams, options?: CallOptions): Promise<NetworkToDomainAnswer> {
    return this.#call('network-to-domain', fields, options);
  }

  /**
   * Counts the employees of a company by country. 1 record if there are any.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * const { distribution } = await sluice.enrichment.company_distribution_by_country({ company_network_url });
   * ```
   */
  company_distribution_by_country(
    fields: CompanyUrlParams,
    options?: CallOptions,
  ): Promise<CountryDistribution> {
    return this.#call('company-distribution-by-country', fields, options);
  }

  /**
   * Counts the employees of a company by department. 1 record if there are any.
   *
   * ```ts
   * const company_network_url = 'https://www.network.example/company/northwind-analytics';
   * const { distribution } = await sluice.enrichment.company_distribution_by_department({ company_network_url });
   * ```
   */
  company_distribution_by_department(
    fields: CompanyUrlParams,
    options?: CallOptions,
  ): Promise<DepartmentDistribution> {
    return this.#call('company-distribution-by-department', fields, options);
  }

  #call<Answer extends object>(name: string, fields: object, options?: CallOptions): Promise<Answer> {
    return Operation.call(this.#connection, `/v2/enrichment/${name}`, fields, options);
  }
}
