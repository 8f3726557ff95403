import enums from './enums.json' with { type: 'json' };

export const industries: readonly string[] = enums.industries;
/** Filter value for companies without an industry. */
export const industryUnknown = 'Unknown';
export const sizes: readonly string[] = enums.company_size_bands;
export const companyTypes: readonly string[] = enums.company_types;
export const fundingTypes: readonly string[] = enums.last_funding_types;
export const jobLevels: readonly string[] = enums.job_levels;
export const jobFunctions: readonly string[] = enums.job_functions;
export const seniorities: readonly string[] = enums.seniority;
export const employmentTypes: readonly string[] = enums.employment_types;
export const workArrangements: readonly string[] = enums.work_arrangements;
export { country, countryCodes } from './geography.ts';
