import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as LiveCascade from '../live/cascade.ts';
import { define } from '../operation.ts';
import * as Profile from '../records/profile.ts';
import * as Schema from '../schema/schema.ts';
import * as Waterfall from './waterfall.ts';

const placesMax = 2;

const result = Schema.named(
  'RealTimeProfile',
  Schema.object({
    ...Profile.fields,
    ranking: Waterfall.ranking,
    icp: Waterfall.icp,
    what_matched: Schema.about(
      'The requested titles that were found, and the field they were found in.',
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

/**
 * `POST /api/search/waterfall-icp-real-time`: people of one company who match the first step that finds anyone, from the
 * live profile source. If it fails, the call fails: stored profiles are what the keyword search sells.
 */
export const waterfallRealTime = define({
  id: 'search.waterfall_icp_real_time',
  method: 'POST',
  path: '/api/search/waterfall-icp-real-time',
  summary: 'Waterfall ICP search in real time',
  about:
    'Tries the steps of the cascade in order and stops at the first one that finds anyone: all results match that step, the best connected first. Profiles are read from a live source during the call, so they include people whom the keyword search does not find yet. If no one is found, the list is empty and the call costs nothing. If the source does not answer in time, the call fails with 503 and costs nothing. Unknown fields of a profile are left out.',
  cost: '1 record for each profile returned.',
  acceptsForms: false,
  usageOnlyInHeaders: true,
  needsLiveSource: true,
  limited: true,
  request: Schema.named(
    'WaterfallRealTimeRequest',
    Schema.object({
      company_network_url: NetworkUrl.companyUriField,
      cascade: Cascade.cascade,
      max_results: Schema.about(
        'Maximum number of profiles, and so of records that the call can cost.',
        Waterfall.resultsWanted,
      ),
    }),
  ),
  answer: Schema.named('WaterfallRealTimeAnswer', Waterfall.answer(result)),
  example: {
    request: {
      company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
      cascade: [
        { include_title: ['Director Operations'], location: ['US'], include_headline_search: true },
        { include_title: ['Operations'], exclude_title: ['Intern'], location: ['WORLD'] },
      ],
      max_results: 5,
    },
    answer: {
      company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
      max_results: 5,
      results_length: 1,
      results: [resultExample],
    },
  },
  prepare(body, call) {
    const { live } = call;
    if (live === null) return { kind: 'no_live_source' };
    const run = async (granted: number) => {
      const ref = NetworkUrl.parsed(body.company_network_url);
      const known = await call.data.companies.profile(ref);
      const url = known?.network_url ?? NetworkUrl.companyUrl(ref);
      const number = known?.network_id ?? (ref.kind === 'number' ? ref.number : null);
      const found = await LiveCascade.find(live, { url, number }, body.cascade, granted, call.requestId);
      const results = found.map(({ record, icp, companyName, whatMatched }, index) => ({
        ...Profile.toProfile(record, { name: companyName ?? known?.name ?? null, url, number }, call.nowMs),
        ranking: index + 1,
        icp,
        what_matched: whatMatched,
      }));
      return Waterfall.outcome(url, body.max_results, results);
    };
    return { kind: 'ready', recordsMax: body.max_results, run };
  },
});
