import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as Advisor from '../src/advisor.ts';
import * as GoalSet from '../test/goal-set.ts';

/** The chats whose goals are known of some APIs; the files of each follow on those of the one before. */
const chatCount = 3;

/** Reads an API with the goals of its seller: of one, two and three chats where several wrote them. None where its seller wrote none. */
export async function read(catalog: URL): Promise<Advisor.Advisor[]> {
  const own = new URL(catalog.href.replace(/\.yaml$/, '-taught.yaml'));
  if (!existsSync(own)) return [];
  const { advisor, document } = await GoalSet.advisor(own.href);
  const { prices, baseUrl, rails, path } = advisor;
  const { goals } = parse(readFileSync(own, 'utf8')) as { goals: string | string[] };
  const asks = [goals].flat().map((file) => asksOf(new URL(file, own)));
  if (asks.length % chatCount > 0) return [advisor];
  return [1, 2, 3].map((count) => {
    const left = new Set(asks.slice((asks.length / chatCount) * count).flat());
    const samples = (prices.samples ?? []).filter(({ ask }) => !left.has(ask));
    return Advisor.openAdvisor({ ...prices, samples }, document, baseUrl, rails, path);
  });
}

/** The goals of a file. */
function asksOf(file: URL): string[] {
  const { asks, chains = [], outside = [], vague = [] } = parse(readFileSync(file, 'utf8'));
  const texts = Object.values<string[]>(asks ?? {}).flat();
  return [...texts, ...chains.map(({ ask }: { ask: string }) => ask), ...outside, ...vague];
}
