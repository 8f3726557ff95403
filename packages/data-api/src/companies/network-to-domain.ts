import * as Found from '../enrichment/found.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Schema from '../schema/schema.ts';

/** `POST /v2/enrichment/network-to-domain`: finds the domain of a company's email addresses. */
export const networkToDomain = define({
  id: 'enrichment.network_to_domain',
  method: 'POST',
  path: '/v2/enrichment/network-to-domain',
  summary: 'Email domain of a company',
  about:
    "Returns the domain of a company's email addresses, which can differ from the domain of its website. If the company is not in the data set, or its email domain is not known, `found` is false and the call costs nothing.",
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named(
    'NetworkToDomainRequest',
    Schema.object({ company_network_url: NetworkUrl.companyField }),
  ),
  answer: Schema.named(
    'NetworkToDomainAnswer',
    Schema.object({ found: Found.field, email_domain: Schema.nullable(Schema.text()) }),
  ),
  example: {
    request: { company_network_url: Company.example.network_url },
    answer: { found: true, email_domain: 'northwind-analytics.example' },
  },
  prepare(body, call) {
    const ref = NetworkUrl.parsed(body.company_network_url);
    const run = async () => {
      const domain = await call.data.companies.emailDomain(ref);
      return { body: { found: domain !== null, email_domain: domain }, recordsUsed: domain === null ? 0 : 1 };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});
