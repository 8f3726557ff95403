import type { Offer } from './offer.ts';

/** The deed that an operation does to the things that it is about, or that a goal wants done to them. */
export type Deed = 'make' | 'act' | 'change' | 'remove' | 'read';

/** The deeds of goals by the concepts of their verbs. */
const byConcept: Readonly<Record<string, Deed>> = {
  create: 'make',
  add: 'make',
  upload: 'make',
  publish: 'make',
  order: 'make',
  buy: 'make',
  reserve: 'make',
  schedule: 'make',
  subscribe: 'make',
  invite: 'make',
  save: 'make',
  generate: 'make',
  draw: 'make',
  start_run: 'make',
  send: 'act',
  reply: 'act',
  merge: 'act',
  transfer: 'act',
  approve: 'act',
  refund: 'act',
  pay: 'act',
  call: 'act',
  update: 'change',
  rename: 'change',
  assign: 'change',
  close: 'change',
  reopen: 'change',
  move: 'change',
  mark: 'change',
  delete: 'remove',
  cancel: 'remove',
  unsubscribe: 'remove',
};

/** Returns what the verbs of a goal want done. */
export function wanted(actions: ReadonlySet<string>): ReadonlySet<Deed> {
  return new Set([...actions].flatMap((name) => byConcept[name] ?? []));
}

const asRead = /^(?:list|search|find|browse|query|look ?up|get|read|show|fetch|check|compare|count)\b/i;

/** Returns what an operation does, by its method, its address and its summary. */
export function of({ operation: { method, path }, summary }: Offer): Deed {
  if (method === 'GET' || asRead.test(summary)) return 'read';
  if (method === 'DELETE') return 'remove';
  if (method === 'PUT' || method === 'PATCH') return 'change';
  return path.includes('{') ? 'act' : 'make';
}

/** Returns true when an address ends with the key of one thing. */
export function isOfOne(path: string): boolean {
  return /\}[^/{]*$/.test(path);
}
