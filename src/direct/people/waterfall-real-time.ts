import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import { headline } from '../records/person.ts';
import * as Profile from '../records/profile.ts';
import * as Schema from '../schema/schema.ts';
import type { Candidate } from './people.ts';
import * as Waterfall from './waterfall.ts';

const placesMax = 2;

const result = Schema.named(
  'RealTimeProfile',
  Schema.object({
    ...Profile.fields,
    ranking: Waterfall.ranking,
    icp: Waterfall.icp,
    what_matched: Schema.about(
      'The titles asked for that were found, and where.',
      Schema.list(
        Schema.object({
          value: Schema.text(),
          key: Schema.about('`job_title` or `headline`.', Schema.text()),
        }),
        Cascade.titlesMax * placesMax,
      ),
    ),
  }),
);

const resultExample: Schema.Value<typeof result> = {
  ...Profile.example,
  ranking: 1,
  icp: 1,
  what_matched: [
    { value: 'Director Operations', key: 'job_title' },
    { value: 'Director Operations', key: 'headline' },
  ],
};

/** `POST /api/search/waterfall-icp-real-time`: the people whom the first step that finds any finds. */
export const waterfallRealTime = define({
  id: 'search.waterfall_icp_real_time',
  method: 'POST',
  path: '/api/search/waterfall-icp-real-time',
  api: '/search/waterfall-icp-real-time',
  summary: 'Waterfall ICP search in real time',
  about:
    'Tries the steps of the cascade in order and stops at the first that finds anybody: all results are of that step, the best connected first. A company that is not in the data set has an empty list, which costs nothing. What is not known of a profile is left out of it.',
  cost: '1 record for each profile returned.',
  acceptsForms: false,
  usageOnlyInHeaders: true,
  limited: true,
  request: Schema.named(
    'WaterfallRealTimeRequest',
    Schema.object({
      company_network_url: NetworkUrl.companyUriField,
      cascade: Cascade.cascade,
      max_results: Schema.about(
        'How many profiles at most, and so the most records that the call can cost.',
        Waterfall.resultsWanted,
      ),
    }),
  ),
  answer: Schema.named('WaterfallRealTimeAnswer', Waterfall.answer(result)),
  example: {
    request: {
      company_network_url: 'https://www.network.example/company/tessera-health',
      cascade: [
        { include_title: ['Director Operations'], location: ['US'], include_headline_search: true },
        { include_title: ['Operations'], exclude_title: ['Intern'], location: ['WORLD'] },
      ],
      max_results: 5,
    },
    answer: {
      company_network_url: 'https://www.network.example/company/tessera-health',
      max_results: 5,
      results_length: 1,
      results: [resultExample],
    },
  },
  prepare(body, call) {
    const run = async (granted: number) => {
      const { url, company, candidates } = await Waterfall.find(body, 0, granted, call);
      const matched = candidates.filter(({ icp }) => icp === candidates[0]?.icp);
      const details = company && (await call.data.companies.byIds([company.id])).get(company.id);
      const employer = { name: details?.name ?? null, url, number: details?.network_id ?? null };
      const results = matched.map((candidate, index) => ({
        ...Profile.toProfile(candidate.record, employer, call.nowMs),
        ranking: index + 1,
        icp: candidate.icp,
        what_matched: whatMatched(candidate, body.cascade[candidate.icp - 1]),
      }));
      return Waterfall.outcome(url, body.max_results, results);
    };
    return { kind: 'ready', recordsMax: body.max_results, run };
  },
});

function whatMatched({ title, record }: Candidate, step: Cascade.Step | undefined) {
  const places = [
    { key: 'job_title', text: title },
    ...(step?.include_headline_search ? [{ key: 'headline', text: headline(record) }] : []),
  ];
  return places.flatMap(({ key, text }) =>
    (step?.include_title ?? [])
      .filter((value) => text !== null && Cascade.isFound(value, text))
      .map((value) => ({ value, key })),
  );
}
