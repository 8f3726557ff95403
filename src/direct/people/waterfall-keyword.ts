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

/** `POST /v2/search/waterfall-icp-keyword`: the people of one company who come nearest to those wanted. */
export const waterfallKeyword = define({
  id: 'search.waterfall_icp',
  method: 'POST',
  path: '/v2/search/waterfall-icp-keyword',
  api: '/search/waterfall-icp-keyword',
  summary: 'Waterfall ICP search',
  about:
    'Fills `max_results` places with people of one company: first with those whom the first step of the cascade finds, the best connected first, then with those of the second, and so on. Nobody comes twice. A company that is not in the data set has an empty list, which costs nothing.',
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
        'How many people at most, and so the most records that the call can cost.',
        Schema.optional(Waterfall.resultsWanted, Waterfall.resultsDefault),
      ),
    }),
  ),
  answer: Schema.named('WaterfallKeywordAnswer', Waterfall.answer(result)),
  example: {
    request: {
      company_network_url: 'https://www.network.example/company/tessera-health',
      cascade: [
        { include_title: ['[COO]', 'Director Operations'], exclude_title: ['Assistant'], location: ['US'] },
        { include_title: ['Operations'], location: ['WORLD'], include_headline_search: true },
      ],
      max_results: 5,
    },
    answer: {
      company_network_url: 'https://www.network.example/company/tessera-health',
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
