import { distributionByCountry } from '../companies/distribution-by-country.ts';
import { tamByJobs } from '../companies/tam-by-jobs.ts';
import { atCompany } from '../jobs/at-company.ts';
import { keyInfo } from '../keys/key-info.ts';
import type { Operation } from '../operation.ts';

/** Everything that this interface can be asked. */
export const operations: readonly Operation[] = [keyInfo, atCompany, tamByJobs, distributionByCountry];

/** What `allowed_apis` of an unrestricted key lists. */
export const apis: readonly string[] = operations.map((operation) => operation.api);
