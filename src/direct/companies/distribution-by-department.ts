import * as Enums from '../filters/enums.ts';
import { define } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Schema from '../schema/schema.ts';
import * as Headcounts from './headcounts.ts';

const department = Schema.about(
  'The job function; `Other` also for people whose function is not known.',
  Schema.choice(Enums.jobFunctions),
);

/** `POST /v2/enrichment/company-distribution-by-department`: what the employees of a company do. */
export const distributionByDepartment = define({
  id: 'enrichment.company_distribution_by_department',
  method: 'POST',
  path: '/v2/enrichment/company-distribution-by-department',
  api: '/enrichment/company-distribution-by-department',
  summary: 'Headcount by department',
  about:
    'Counts the employees of one company by their job function, the most numerous first. A company that is not in the data set, or has no employees there, has an empty distribution, which costs nothing.',
  cost: '1 record where there are employees to count, else none.',
  acceptsForms: false,
  limited: true,
  request: Headcounts.request,
  answer: Headcounts.answer('DistributionByDepartmentAnswer', { department }),
  example: {
    request: { company_network_url: Company.example.network_url },
    answer: {
      company_network_url: Company.example.network_url,
      total_employees: 412,
      distribution: [
        { department: 'Engineering', count: 223, percentage_ratio: 54.13 },
        { department: 'Sales & Business Development', count: 150, percentage_ratio: 36.41 },
        { department: 'Other', count: 39, percentage_ratio: 9.47 },
      ],
    },
  },
  prepare: (body, call) =>
    Headcounts.prepare(body.company_network_url, call, 'department', call.data.companies.headcountByFunction),
});
