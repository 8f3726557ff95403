import type * as Schema from '@sluice/kernel/json-schema';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Leaf } from './leaf.ts';
import type { Operation } from './price-list.ts';
import type * as Slot from './slot.ts';

/** An operation that is sold, with all that its description says of it. */
export type Offer = {
  at: number;
  operation: Operation;
  id: string;
  summary: string;
  /** The parts of its description with their weights. */
  texts: readonly { name: string; text: string; weight: number }[];
  slots: readonly Slot.Slot[];
  /** The values that it is asked about. */
  asks: readonly Ask[];
  /** The operations that find the numbers which it needs by a name. */
  finders: readonly Finder[];
  /** The values in its responses. */
  gives: readonly Leaf[];
  /** The words of its name, by which it is called for. */
  heads: ReadonlySet<string>;
  body: Schema.Node | null;
  example: unknown;
  validate: ValidateFunction;
};

/** A slot that names what is asked about, with the words that do so and the operations whose answers have it. */
export type Ask = {
  slot: Slot.Slot;
  words: readonly string[];
  makers: readonly Maker[];
};

/** An operation whose response has a value, where, and if the value is the key of the things that it is about. */
export type Maker = { at: number; leaf: Leaf; isOwn: boolean };

/** An operation that finds a thing by its name, and the numbers of one item of its answer that another operation needs. */
export type Finder = { at: number; name: Slot.Slot; values: readonly { ask: Ask; leaf: Leaf }[] };
