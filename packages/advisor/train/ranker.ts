import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Goal from '../src/goal.ts';
import { common, concepts, intents } from '../src/knowledge.ts';
import * as Pairing from '../src/pairing.ts';
import * as Ranker from '../src/ranker.ts';
import { atOnce } from '../src/slices.ts';
import * as Translation from '../src/translation.ts';
import * as GoalSet from '../test/goal-set.ts';

export type Row = { goal: string; pairs: Pairing.Pairing[]; none: Pairing.Pairing; right: number[]; lang: string; weight: number };
type Listed = { g: string; first: string[]; lang: string; kind?: string; status?: string };

let opIds: string[] = [];
export async function rows(catalog: string): Promise<Row[]> {
  const address = (file: string) => pathToFileURL(resolve(file)).href;
  const { advisor } = await GoalSet.advisor(address(catalog));
  const own = advisor.surface.offers;
  opIds = own.map(({ operation }) => operation.id);
  const table = concepts({});
  const api = atOnce(Pairing.open(own, table, intents()));
  const listed = JSON.parse(readFileSync(catalog.replace(/yaml$/, 'json'), 'utf8')).goals as Listed[];
  const elsewhere = common().flatMap(({ asks }, at) => ((api.best[at] as number) < 0.3 ? [asks[at % asks.length] as string] : []));
  const outside = elsewhere.filter((_, at) => at % 12 === catalog.length % 12).map((g) => ({ g, first: [], lang: 'en', kind: 'pseudo', status: undefined }));
  return [...listed, ...(process.env.PSEUDO === '0' ? [] : outside)].flatMap(({ g, first, lang, kind, status }) => {
    if (kind === 'vague' || status === 'needs_input') return [];
    const asked = Pairing.ask(api, Goal.read(Translation.toEnglish(g, table).text), g);
    const right = first.length === 0 ? [own.length] : first.map((id) => own.findIndex(({ operation }) => operation.id === id));
    return [{ goal: g, pairs: Pairing.pair(api, asked), none: Pairing.nothing(api, asked), right: right.filter((at) => at >= 0), lang, weight: kind === 'pseudo' ? Number(process.env.PSEUDO ?? 0.15) : 1 }];
  });
}

export function train(all: readonly Row[], epochs = 150, l2 = 0.003): Ranker.Weights {
  const names = [...new Set(all.flatMap(({ pairs, none }) => [...Object.keys(pairs[0] ?? {}), ...Object.keys(none)]))];
  const n = names.length;
  const at = new Map(names.map((name, index) => [name, index]));
  const dense = all.map(({ pairs, none, right, weight }) => ({
    right,
    weight,
    rows: [...pairs, none].map((pairing) => {
      const own = Object.entries(pairing).filter(([, value]) => value !== 0);
      return { index: Int32Array.from(own, ([name]) => at.get(name) as number), value: Float64Array.from(own, ([, value]) => value) };
    }),
  }));
  const w = new Float64Array(n);
  const m = new Float64Array(n);
  const v = new Float64Array(n);
  const gradient = new Float64Array(n);
  for (let epoch = 1; epoch <= epochs; epoch++) {
    for (let k = 0; k < n; k++) gradient[k] = 2 * l2 * (w[k] as number);
    for (const { rows: own, right, weight } of dense) {
      const p = Ranker.probabilities(
        own.map(({ index, value }) => {
          let sum = 0;
          for (let k = 0; k < index.length; k++) sum += (w[index[k] as number] as number) * (value[k] as number);
          return sum;
        }),
      );
      const total = right.reduce((sum, each) => sum + (p[each] ?? 0), 0) || 1e-9;
      for (const [row, { index, value }] of own.entries()) {
        const wanted = right.includes(row) ? (p[row] as number) / total : 0;
        const error = (((p[row] as number) - wanted) * weight) / all.length;
        for (let k = 0; k < index.length; k++) {
          const place = index[k] as number;
          gradient[place] = (gradient[place] as number) + error * (value[k] as number);
        }
      }
    }
    for (let k = 0; k < n; k++) {
      const g = gradient[k] as number;
      m[k] = 0.9 * (m[k] as number) + 0.1 * g;
      v[k] = 0.99 * (v[k] as number) + 0.01 * g * g;
      w[k] = (w[k] as number) - (0.15 * ((m[k] as number) / (1 - 0.9 ** epoch))) / (Math.sqrt((v[k] as number) / (1 - 0.99 ** epoch)) + 1e-6);
    }
  }
  return Object.fromEntries(names.map((name, k) => [name, w[k] as number]));
}

export function judge(w: Ranker.Weights, own: readonly Row[]) {
  return own.map(({ goal, pairs, none, right, lang }) => {
    const p = Ranker.probabilities(Ranker.scores(w, pairs, none));
    const best = p.indexOf(Math.max(...p));
    return { goal, wanted: right, lang, best, p: p[best] as number, right: right.includes(best), outside: right[0] === pairs.length, saysOutside: best === pairs.length };
  });
}

if (process.argv[1]?.endsWith('train/ranker.ts')) {
  const files = process.argv.slice(2).filter((f) => f.endsWith('.yaml'));
  const sets = new Map<string, Row[]>();
  const names = new Map<string, string[]>();
  for (const file of files) { sets.set(file, await rows(file)); names.set(file, opIds); }
  const all: ReturnType<typeof judge> = [];
  for (const [file, own] of sets) {
    const w = train([...sets].filter(([other]) => other !== file).flatMap(([, rest]) => rest));
    const judged = judge(w, own.filter(({ weight }) => weight === 1));
    all.push(...judged);
    if (process.env.MISS && process.env.MISS.split(',').some((m) => file.includes(`/${m}.yaml`))) for (const j of judged) if (!j.right) console.log('  -', j.goal, '| got', names.get(file)?.[j.best] ?? 'none', j.p.toFixed(2), '| wanted', j.wanted.map((at) => names.get(file)?.[at] ?? 'none').join(' or '));
    const inside = judged.filter(({ outside }) => !outside);
    console.log(file.split('/').at(-1)?.padEnd(18), 'first', (judged.filter(({ right }) => right).length / judged.length * 100).toFixed(0), '% of', judged.length, 'inside', (inside.filter(({ right }) => right).length / inside.length * 100).toFixed(0));
  }
  const share = (of: typeof all) => `${(of.filter(({ right }) => right).length / of.length * 100).toFixed(1)} % of ${of.length}`;
  console.log('all', share(all), 'other languages', share(all.filter(({ lang }) => lang !== 'en')), 'outside', share(all.filter(({ outside }) => outside)));
  for (const t of [0.4, 0.5, 0.6, 0.7, 0.8]) {
    const confident = all.filter(({ p, saysOutside }) => p >= t && !saysOutside);
    console.log('threshold', t, 'confident', (confident.length / all.length * 100).toFixed(0), '% wrong', (confident.filter(({ right }) => !right).length / confident.length * 100).toFixed(1), '%');
  }
  const w = train([...sets.values()].flat());
  if (process.argv.includes('--save')) writeFileSync(new URL('../data/ranker.json', import.meta.url), `${JSON.stringify(Object.fromEntries(Object.entries(w).map(([n, x]) => [n, Math.round(x * 1000) / 1000])), null, 2)}\n`);
  else console.log(Object.entries(w).map(([n, x]) => `${n} ${x.toFixed(2)}`).join(', '));
}
