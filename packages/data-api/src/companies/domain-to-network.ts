import * as Found from '../enrichment/found.ts';
import * as Domain from '../filters/domain.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import type { Named } from './companies.ts';

/** Maximum number of companies returned besides the best match. */
const othersMax = 10;

const other = Schema.named(
  'CompanyAtDomain',
  Schema.object({ company_network_url: Schema.text(), company_name: Schema.text() }),
);

/** `POST /v2/enrichment/domain-to-network`: finds the company behind a domain. */
export const domainToNetwork = define({
  id: 'enrichment.domain_to_network',
  method: 'POST',
  path: '/v2/enrichment/domain-to-network',
  summary: 'Company behind a domain',
  about:
    'Returns the company that uses a domain, and in `other` the next best matches. An exact match of the host name ranks before a match of its parent domain, the main domain or website of a company before its other domains, and larger companies before smaller ones.',
  cost: '1 record in total where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('DomainToNetworkRequest', Schema.object({ domain: Domain.field })),
  answer: Schema.named(
    'DomainToNetworkAnswer',
    Schema.object({
      found: Found.field,
      company_network_url: Schema.nullable(Schema.text()),
      company_name: Schema.nullable(Schema.text()),
      other: Schema.about(
        'Further companies that use the domain, best match first.',
        Schema.list(other, othersMax),
      ),
    }),
  ),
  example: {
    request: { domain: 'https://www.northwind-analytics.example' },
    answer: {
      found: true,
      company_network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
      company_name: 'Northwind Analytics',
      other: [
        {
          company_network_url: `${NetworkUrl.origin}/company/northwind-labs`,
          company_name: 'Northwind Labs',
        },
      ],
    },
  },
  prepare(body, call) {
    const domains = Domain.candidates(Domain.parsed(body.domain));
    const run = async () => {
      const [best, ...others] = (await call.data.companies.atDomain(domains, 1 + othersMax)).map(named);
      const notFound = { company_network_url: null, company_name: null };
      return {
        body: { found: best !== undefined, ...(best ?? notFound), other: others },
        recordsUsed: best ? 1 : 0,
      };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});

function named({ slug, name }: Named) {
  return { company_network_url: NetworkUrl.companyUrl({ kind: 'slug', slug }), company_name: name };
}
