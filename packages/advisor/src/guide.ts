import * as Money from '@sluice/kernel/money';
import type { Advice, Cost, Step } from './advice.ts';

/** Characters that no reader sees, or that turn the direction of what follows. */
const unseen = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Escapes text of a caller to one line without Markdown syntax. */
function quote(text: string): string {
  const plain = text.replace(unseen, ' ').replace(/\s+/g, ' ').trim();
  return plain
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll('\\&', '&amp;')
    .replaceAll('\\<', '&lt;')
    .replaceAll('\\>', '&gt;');
}

/** The advice as Markdown, for a person or an agent that reads rather than parses. */
export function write(goal: string, shop: string, advice: Omit<Advice, 'guide' | 'guideUrl'>): string {
  const { status, operations, estimate, plan, steps, questions, notes } = advice;
  const parts = [`# What to call at ${quote(shop)}`, `> ${quote(goal)}`, verdicts[status]];
  if (operations.length > 0) {
    const rows = operations.map(
      ({ method, path, summary, calls, prices, estimate: own }, index) =>
        `${index + 1}. \`${method} ${path}\`: ${quote(summary)}. ${calls === 1 ? '1 call' : `Up to ${calls} calls`}, ${prices === undefined ? `${own.units_low} to ${own.units_high} units, ${own.cost_usd_low} to ${own.cost_usd_high} USD` : metered(prices, own)}.`,
    );
    parts.push(rows.join('\n'));
    parts.push(
      operations.some(({ prices }) => prices !== undefined)
        ? `**Cost**: at most ${estimate.cost_usd_high} USD for the requests below; the responses decide what is charged. This advice is free.`
        : `**Cost**: ${estimate.cost_usd_low} to ${estimate.cost_usd_high} USD for ${estimate.units_low} to ${estimate.units_high} units. This advice is free.`,
    );
  }
  if (plan !== null) parts.push(`**Plan**: \`${plan.id}\`, ${plan.amount_usd} USD. ${plan.why}`);
  if (questions.length > 0)
    parts.push(
      `**To be settled first**\n\n${questions.map((question) => `- ${quote(question)}`).join('\n')}`,
    );
  if (notes.length > 0) parts.push(notes.map((note) => `- ${quote(note)}`).join('\n'));
  for (const [index, step] of steps.entries()) parts.push(section(index + 1, step));
  return `${parts.join('\n\n')}\n`;
}

/** The prices of several meters, and what the request can cost. */
function metered(prices: string, { cost_usd_low, cost_usd_high }: Cost): string {
  return `${quote(prices)}: ${cost_usd_low} to ${cost_usd_high} USD by what the response counts`;
}

const verdicts: Readonly<Record<Advice['status'], string>> = {
  ready: 'This can be called at once: nothing has to be bought.',
  quoted: 'This can be done. Buy the plan below, then make the calls.',
  needs_input: 'This can be done, once what is missing is there.',
  blocked: 'This cannot be done within the limits that were given.',
  unknown:
    'No word of this goal is known here. Say in plain words which data is wanted, of whom, and how much.',
  unsupported: 'Nothing that is sold here does this.',
  unavailable: 'There is no advice at the moment: what is sold here is not described, or no plan opens it.',
};

function section(number: number, { do: what, note, request }: Step): string {
  const head = `## ${number}. ${what.charAt(0).toUpperCase()}${what.slice(1)}\n\n${note}`;
  if (request === null) return head;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const body = request.body === null ? [] : ['', JSON.stringify(request.body, null, 2)];
  const text = [`${request.method} ${request.url}`, ...headers, ...body].join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${head}\n\n${fence}http\n${text}\n${fence}`;
}

/** `0.38 USD`. */
export function usd(money: Money.Money): string {
  return `${Money.format(money)} USD`;
}
