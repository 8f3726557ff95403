import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as Metrics from '../../src/http/telemetry/metrics.ts';

type Panel = { title: string; panels?: Panel[]; targets?: { expr: string }[] };

const dashboard: { panels: Panel[] } = JSON.parse(readFileSync('docs/grafana/storefront.json', 'utf8'));
const monitoring = readFileSync('docs/monitoring.md', 'utf8');
const alerts = readFileSync('docs/grafana/alerts.yaml', 'utf8');
const writer = { ready: true, backlog: { calls: 0, ageMs: 0 } };

/** Returns the names of all metrics on /metrics, including the parts of histograms. */
async function printed(): Promise<Set<string>> {
  const shopTotals = () => Promise.reject(new Error('no database'));
  const eventTotals = shopTotals;
  const shop = { writer, clock: Date.now, shopTotals, eventTotals } as unknown as Parameters<
    typeof Metrics.createMetrics
  >[0];
  const metrics = Metrics.createMetrics(shop, new Map([['mail_failed', 2]]));
  const text = await metrics.text();
  expect(text).toContain('sluice_events_total{event="mail_failed"} 2');
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' || type === 'summary' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set(names);
}

const metricsIn = (text: string) => [
  ...new Set([...text.matchAll(/\b((?:sluice|nodejs|process)_[a-z0-9_]+)/g)].map(([, name = '']) => name)),
];

test('the dashboard asks for nothing that /metrics does not print', async () => {
  const targets = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(targets.length).toBeGreaterThan(20);
  const names = metricsIn(targets.join('\n'));
  expect(names.length).toBeGreaterThan(10);
  const known = await printed();
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

test('so do the alerts', async () => {
  const names = metricsIn(alerts);
  expect(names.length).toBeGreaterThan(4);
  const known = await printed();
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

test('each alert names series that are exported from the start, so that the first occurrence counts', async () => {
  const labels = (name: string) =>
    [...alerts.matchAll(new RegExp(`\\{${name}=~?"([^"]+)"\\}`, 'g'))].flatMap(([, value = '']) =>
      value.split('|'),
    );
  const events = labels('event');
  expect(events.length).toBeGreaterThan(10);
  expect(events.filter((event) => !Metrics.watched.includes(event))).toEqual([]);
  const codes: string[] = Metrics.watchedCodes.map(([, code]) => code);
  const asked = labels('code');
  expect(asked.length).toBeGreaterThan(1);
  for (const code of asked) expect(codes.some((known) => new RegExp(`^${code}$`).test(known))).toBe(true);
});

test('the file of alerts is what Prometheus reads: groups of rules with a name, an expression and a time', () => {
  const file = parse(alerts) as { groups: { name: string; rules: Record<string, string>[] }[] };
  expect(Object.keys(file)).toEqual(['groups']);
  const rules = file.groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(12);
  for (const { alert, expr = '', for: since = '1m', ...rest } of rules) {
    expect(alert).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(since).toMatch(/^\d+[smh]$/);
    expect(rest).toEqual({});
    const count = (sign: string) => expr.split(sign).length;
    expect([count('('), count('{'), count('[')], expr).toEqual([count(')'), count('}'), count(']')]);
    expect(count('"') % 2, expr).toBe(1);
  }
});

test('every panel of ours is shown: each metric that the shop counts is asked for', async () => {
  const asked = dashboard.panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr)
    .join('\n');
  const own = [...(await printed())].filter((name) => name.startsWith('sluice_') && !name.endsWith('_sum'));
  for (const name of own) expect(asked).toContain(name);
});

test('each alert has its first steps in docs/monitoring.md, and no other has', () => {
  const named = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const [, table = ''] = /\| Alert \| First steps \|\n\|[-|]+\n((?:\|.*\n)+)/.exec(monitoring) ?? [];
  const explained = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
  expect(explained.map(([, name]) => name).sort()).toEqual(named.sort());
});
