import * as Found from '../enrichment/found.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Schema from '../schema/schema.ts';

/** `POST /v2/enrichment/company`: the profile of one company. */
export const profile = define({
  id: 'enrichment.company',
  method: 'POST',
  path: '/v2/enrichment/company',
  summary: 'Company by its network URL',
  about:
    'Returns the profile of one company. If the company is not in the data set, `found` is false and the call costs nothing.',
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('CompanyRequest', Schema.object({ company_network_url: NetworkUrl.companyField })),
  answer: Schema.named(
    'CompanyAnswer',
    Schema.object({ found: Found.field, company: Schema.nullable(Company.company) }),
  ),
  example: {
    request: { company_network_url: Company.example.network_url },
    answer: { found: true, company: Company.example },
  },
  prepare(body, call) {
    const ref = NetworkUrl.parsed(body.company_network_url);
    const run = async () => {
      const company = await call.data.companies.profile(ref);
      return { body: { found: company !== null, company }, recordsUsed: company === null ? 0 : 1 };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});
