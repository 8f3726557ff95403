/** The quantities that the upstream itself counts for one request. */
export type Usage = {
  api: string;
  model: string;
  input: number;
  /** The part of `input` that is cheaper, because it counts as cached. */
  cached: number;
  output: number;
  /** Images, files or transcriptions. */
  items: number;
};

/** A tool in the words that the three protocols share. */
export type Tool = { name: string; schema: unknown };

/** The answer of the model: a text, or a call of a tool with its arguments as JSON. */
export type Answer = {
  text: string;
  call: { name: string; arguments: string } | null;
  /** True if the maximum of the request cut the text off. */
  cut: boolean;
  usage: Usage;
};

export type Question = {
  api: string;
  model: string;
  /** Everything that counts as input: messages, instructions and tools, as they were sent. */
  input: unknown;
  /** The text to reply to. */
  last: string;
  maxTokens: number | undefined;
  tools: readonly Tool[];
};

export const models = ['small-1', 'large-1'];

/** The rule of this upstream: one token for every four bytes of UTF-8, rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Answers the same question always with the same text: an echo, or a call of the first tool. Input is counted on the JSON of `input`; a
 * quarter of it, rounded down, counts as cached.
 */
export function answer(question: Question): Answer {
  const input = tokensOf(JSON.stringify(question.input));
  const usage = { api: question.api, model: question.model, input, cached: Math.floor(input / 4), items: 0 };
  const tool = question.tools[0];
  if (tool !== undefined) {
    const call = { name: tool.name, arguments: JSON.stringify(example(tool.schema)) };
    return { text: '', call, cut: false, usage: { ...usage, output: tokensOf(call.name + call.arguments) } };
  }
  const full = `You said: ${question.last}`;
  const text = cutTo(full, question.maxTokens ?? 4096);
  return { text, call: null, cut: text !== full, usage: { ...usage, output: tokensOf(text) } };
}

/** Splits a text into the pieces of a stream; joined they are the text. */
export function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function cutTo(text: string, tokens: number): string {
  let taken = '';
  for (const character of text) {
    if (tokensOf(taken + character) > tokens) break;
    taken += character;
  }
  return taken;
}

/** Returns a value that fits a JSON Schema of a tool, as far as tools use it. */
function example(schema: unknown): unknown {
  const type = String(field(schema, 'type') ?? 'object').toLowerCase();
  if (type === 'string') return list(field(schema, 'enum'))[0] ?? 'Berlin';
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [example(field(schema, 'items'))];
  const properties = Object.entries(record(field(schema, 'properties')));
  return Object.fromEntries(properties.map(([name, inner]) => [name, example(inner)]));
}

export function field(value: unknown, name: string): unknown {
  return record(value)[name];
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Joins the texts in a message's content: a string, or parts with `text`. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => field(part, 'text'))
    .filter((text) => typeof text === 'string')
    .join('');
}
