import { readdirSync, readFileSync } from 'node:fs';
import type { SluiceOptions } from 'sluice-client';

/** A case of the suite, as its README describes it. */
export type Case = {
  name: string;
  client?: SluiceOptions;
  env?: Record<string, string>;
  start?: string;
  random?: number[];
  wire?: Exchange[];
  steps?: Step[];
  error?: ExpectedError;
};

export type Exchange = {
  at?: number;
  request?: {
    method: string;
    url: string;
    headers?: Record<string, ExpectedHeader>;
    body?: unknown;
    form?: unknown;
  };
  answer: {
    status?: number;
    headers?: Record<string, string>;
    body?: unknown;
    text?: string;
    takes?: number;
    breaks?: boolean;
    fails?: 'refused' | 'connect_timeout' | 'timeout' | 'reset';
  };
};

export type ExpectedHeader = string | null | { matches?: string; as_in?: number; unlike?: number };

export type Step = {
  call: string;
  with?: Record<string, unknown>;
  options?: { timeout?: number; idempotency_key?: string; headers?: Record<string, string> };
  take?: { items?: { max_items?: number }; pages?: { max_pages?: number }; events?: object };
  charge?: unknown;
  result?: unknown;
  error?: ExpectedError;
  before?: unknown[];
};

export type ExpectedError = {
  type: string;
  message?: string | { matches: string };
  [member: string]: unknown;
};

const folder = new URL('../../suite/cases/', import.meta.url);

/** All cases, by their file. */
export function all(): { file: string; about: string; cases: Case[] }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, ...JSON.parse(readFileSync(new URL(file, folder), 'utf8')) }));
}
