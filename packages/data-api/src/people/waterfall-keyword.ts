import { personExample } from '../enrichment/found.ts';
import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonFilter from '../filters/person-filter.ts';
import { define } from '../operation.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';
import * as Waterfall from './waterfall.ts';

const result = Schema.named(
  'Decider',
  Schema.object({ icp: Waterfall.icp, ranking: Waterfall.ranking, person: Person.person }),
);

/** `POST /v2/search/waterfall-icp-keyword`: people of one company, by the steps of a cascade. */
export const waterfallKeyword = define({
  id: 'search.waterfall_icp',
  method: 'POST',
  path: '/v2/search/waterfall-icp-keyword',
  summary: 'Waterfall ICP search',
  about:
    'Returns up to `max_results` people of one company: first those that match the first step of the cascade, the best connected first, then those that match the second, and so on. Each person is returned once. If the company is not in the data set, the list is empty and the call costs nothing.',
  cost: '1 record for each person returned.',
  acceptsForms: false,
  limited: true,
  request: Schema.named(
    'WaterfallKeywordRequest',
    Schema.object({
      company_network_url: NetworkUrl.companyField,
      cascade: Cascade.cascade,
      profile_min_connections: PersonFilter.minConnections,
      max_results: Schema.about(
        'Maximum number of people, and so of records that the call can cost.',
        Schema.optional(Waterfall.resultsWanted, Waterfall.resultsDefault),
      ),
    }),
  ),
  answer: Schema.named('WaterfallKeywordAnswer', Waterfall.answer(result)),
  example: {
    request: {
      company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
      cascade: [
        { include_title: ['COO', 'Director Operations'], exclude_title: ['Assistant'], location: ['US'] },
        { include_title: ['Operations'], location: ['WORLD'], include_headline_search: true },
      ],
      max_results: 5,
    },
    answer: {
      company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
      max_results: 5,
      results_length: 1,
      results: [{ icp: 1, ranking: 1, person: personExample }],
    },
  },
  prepare(body, call) {
    const run = async (granted: number) => {
      const { url, candidates } = await Waterfall.find(body, body.profile_min_connections, granted, call);
      const results = candidates.map(({ icp, record }, index) => ({
        icp,
        ranking: index + 1,
        person: Person.toPerson(record),
      }));
      return Waterfall.outcome(url, body.max_results, results);
    };
    return { kind: 'ready', recordsMax: body.max_results, run };
  },
});
