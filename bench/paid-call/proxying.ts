import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Aim from './aim.ts';
import * as Contest from './contest.ts';
import type * as Load from './load.ts';
import * as Nginx from './nginx.ts';
import { type Effort, type Findings, type Part, table } from './part.ts';
import * as Stage from './stage.ts';
import * as Storefront from './storefront.ts';

const connections = 64;
/** Pause between two requests of a connection when latency is measured, so that the total stays below a thousand requests per second. */
const waitMs = 64;
const bareProxies = ['hono', 'reply-from', 'httpxy', 'http-proxy'];
const one = 'sluice, 1 account';
const many = 'sluice, 1,000 accounts';

/** Measures every contender with every size of response, against nginx. */
export const sizes: Part = async (stage, effort) => {
  const nginx = stage.keep(await Nginx.proxy(stage.dir, stage.upstreamUrl, 1));
  const shop = await openShop(stage, 1);
  const other = effort.against === null ? null : await openShop(stage, 1, effort.against);
  const proxies = await Stage.bareProxies(stage, bareProxies);
  const findings: Findings = { lines: [], aims: [] };
  for (const size of Object.keys(Nginx.sizes) as Nginx.Size[]) {
    const load = loadOf(size, shop, effort);
    const results = await contest(effort, [
      bare('nginx', nginx, load),
      ...proxies.map((proxy) => bare(proxy.name, proxy, load)),
      selling(one, shop, stage, load),
      selling(many, shop, stage, { ...load, tokens: shop.tokens.many }),
      ...(other ? [selling('the other checkout', other, stage, loadOf(size, other, effort))] : []),
    ]);
    findings.lines.push('', `Answers of ${Nginx.sizes[size] / 1_000} KB`, ...results.lines());
    if (size === 'small') findings.aims.push(...smallAims(results));
  }
  return findings;
};

function smallAims(results: Results): Aim.Aim[] {
  const paid = results.of(one);
  return [
    Aim.atMost('CPU of a paid call, times nginx, 1.5 KB', results.against('nginx', one, gateway), 3),
    Aim.atMost('the same with PostgreSQL', results.against('nginx', one, both), 4.5),
    ...bareProxies.map((name) =>
      Aim.atMost(`CPU of a paid call, times bare ${name}`, results.against(name, one, gateway), 1),
    ),
    Aim.atLeast(
      'settlements that share a commit, 64 callers',
      Contest.spread(paid.map(({ perCommit }) => perCommit)),
      15,
    ),
  ];
}

/** Measures the same with two processes each. */
export const processes: Part = async (stage, effort) => {
  const nginx = stage.keep(await Nginx.proxy(stage.dir, stage.upstreamUrl, 2));
  const single = await openShop(stage, 1);
  const pair = await openShop(stage, 2);
  const load = loadOf('small', single, effort);
  const pairLoad = loadOf('small', pair, effort);
  const results = await contest(effort, [
    bare('nginx', nginx, load),
    selling('sluice, 1 process, 1 account', single, stage, load),
    selling('sluice, 2 processes, 1 account', pair, stage, pairLoad),
    selling('sluice, 2 processes, 1,000 accounts', pair, stage, { ...pairLoad, tokens: pair.tokens.many }),
  ]);
  return { lines: ['', 'Two processes, answers of 1.5 KB', ...results.lines()], aims: [] };
};

/** Measures the additional latency of a paid call over a bare proxy, at the same moderate rate. */
export const latency: Part = async (stage, effort) => {
  const nginx = stage.keep(await Nginx.proxy(stage.dir, stage.upstreamUrl, 1));
  const shop = await openShop(stage, 1);
  const load = { ...loadOf('small', shop, effort), waitMs, seconds: Math.max(effort.seconds, 2) };
  const results = await contest(effort, [
    bare('nginx', nginx, load),
    selling(one, shop, stage, load),
    selling(many, shop, stage, { ...load, tokens: shop.tokens.many }),
  ]);
  const added = (pick: (sample: Contest.Sample) => number) =>
    results.against('nginx', one, (paid, base) => pick(paid) - pick(base));
  return {
    lines: ['', 'At a moderate rate, answers of 1.5 KB', ...results.lines()],
    aims: [
      Aim.atMost(
        'added latency, median, ms',
        added(({ p50 }) => p50),
        1.5,
      ),
      Aim.atMost(
        'added latency, 99th percentile, ms',
        added(({ p99 }) => p99),
        6,
      ),
    ],
  };
};

type Compare = (one: Contest.Sample, base: Contest.Sample) => number;
const gateway: Compare = (one, base) => one.gatewayUs / base.gatewayUs;
const both: Compare = (one, base) => (one.gatewayUs + one.databaseUs) / base.gatewayUs;
const throughput: Compare = (one, base) => one.perSecond / base.perSecond;

type Results = {
  of(name: string): Contest.Sample[];
  against(base: string, name: string, compare: Compare): Contest.Spread;
  /** Returns the results, relative to the first contender. */
  lines(): string[];
};

async function contest(effort: Effort, contenders: readonly Contest.Contender[]): Promise<Results> {
  const samples = await Contest.inTurn(contenders, effort.rounds);
  const byName = new Map([...samples].map(([{ name }, list]) => [name, list]));
  const of = (name: string) => byName.get(name) ?? [];
  const against: Results['against'] = (base, name, compare) => Contest.paired(of(name), of(base), compare);
  const base = contenders[0]?.name ?? '';
  const row = (name: string) => {
    const median = (pick: (sample: Contest.Sample) => number) =>
      Aim.round(Contest.spread(of(name).map(pick)).median);
    return [
      name,
      Aim.spreadText(against(base, name, gateway)),
      Aim.spreadText(against(base, name, both)),
      Aim.spreadText(against(base, name, throughput)),
      median(({ gatewayUs }) => gatewayUs),
      median(({ databaseUs }) => databaseUs),
      median(({ perSecond }) => perSecond),
      median(({ p50 }) => p50),
      median(({ p99 }) => p99),
    ];
  };
  const head = [
    '',
    `CPU, times ${base}`,
    'with PostgreSQL',
    'throughput, times',
    'µs',
    'µs PG',
    'calls/s',
    'p50 ms',
    'p99 ms',
  ];
  return { of, against, lines: () => table([head, ...[...byName.keys()].map(row)]) };
}

/** Opens a storefront. Another checkout's storefront is opened by its own bench, because accounts differ between versions. */
async function openShop(stage: Stage.Stage, processes: number, checkout?: string): Promise<Storefront.Shop> {
  const { open } =
    checkout === undefined
      ? Storefront
      : ((await import(
          pathToFileURL(resolve(checkout, 'bench/paid-call/storefront.ts')).href
        )) as typeof Storefront);
  const dir = await mkdtemp(join(stage.dir, 'shop-'));
  return stage.keep(await open(dir, await stage.createDatabase(), stage.upstreamUrl, { processes }));
}

function loadOf(size: Nginx.Size, { tokens }: Storefront.Shop, { seconds }: Effort): Load.Load {
  const paths = Nginx.names(size).map((name) => `/v1/${name}`);
  return { paths, tokens: tokens.one, connections, waitMs: 0, seconds };
}

function bare(name: string, { url, pid }: { url: string; pid: number }, load: Load.Load): Contest.Contender {
  return { name, target: { name, urls: [url], gateway: [pid], database: [] }, load };
}

function selling(
  name: string,
  shop: Storefront.Shop,
  stage: Stage.Stage,
  load: Load.Load,
): Contest.Contender {
  const { urls, pids, commits } = shop;
  return { name, target: { name, urls, gateway: pids, database: [stage.postgresPid], commits }, load };
}
