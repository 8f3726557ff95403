import * as Enums from '../filters/enums.ts';
import * as Schema from '../schema/schema.ts';
import { distributionOperation } from './headcounts.ts';

/** `POST /v2/enrichment/company-distribution-by-department`: headcount of a company by job function. */
export const distributionByDepartment = distributionOperation({
  label: 'department',
  labelSchema: Schema.about(
    'The job function; `Other` also for people whose function is not known.',
    Schema.choice(Enums.jobFunctions),
  ),
  unknown: 'Other',
  answerName: 'DistributionByDepartmentAnswer',
  summary: 'Headcount by department',
  countedBy: 'their job function',
  count: (companies, companyId) => companies.headcountByFunction(companyId),
  example: [
    ['Engineering', 223],
    ['Sales & Business Development', 150],
    ['Other', 39],
  ],
});
