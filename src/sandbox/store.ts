import type { Change, Journal } from './journal.ts';

/** All that the sandbox remembers: rows by table and id, in the order of their making. */
export type Store = {
  tables: Map<string, Map<string, Row>>;
  /** Written since the last commit. */
  changes: Change[];
  journal: Journal | null;
};

type Row = { readonly id: string };

/** A table's name, which carries the type of its rows. */
export type Table<R extends Row> = { readonly name: string; readonly rows?: R };

/** A sandbox that reaches this forgets the oldest row of the table for each new one. */
const rowsMax = 100_000;

/** An empty store that keeps nothing on disk. */
export function empty(): Store {
  return { tables: new Map(), changes: [], journal: null };
}

/** Names a table; its rows are replaced whole, never changed in place. */
export function table<R extends Row>(name: string): Table<R> {
  return { name };
}

export function get<R extends Row>(store: Store, { name }: Table<R>, id: string): R | undefined {
  return store.tables.get(name)?.get(id) as R | undefined;
}

/** Every row of the table, oldest first. */
export function all<R extends Row>(store: Store, { name }: Table<R>): R[] {
  return [...(store.tables.get(name)?.values() ?? [])] as R[];
}

export function oldest<R extends Row>(store: Store, { name }: Table<R>): R | undefined {
  return store.tables.get(name)?.values().next().value as R | undefined;
}

/** Writes a row, new or in the place of the one with its id, and hands it back. */
export function put<R extends Row>(store: Store, { name }: Table<R>, row: R): R {
  apply(store, [name, row.id, row]);
  store.changes.push([name, row.id, row]);
  return row;
}

export function remove<R extends Row>(store: Store, { name }: Table<R>, id: string): void {
  apply(store, [name, id, null]);
  store.changes.push([name, id, null]);
}

/** Makes everything written since the last commit durable, as one line; to be called before the answer goes out. */
export function commit(store: Store): void {
  if (store.changes.length > 0) store.journal?.append(store.changes);
  store.changes = [];
}

/** Applies a change that a journal holds. */
export function apply(store: Store, [name, id, row]: Change): void {
  const rows = store.tables.get(name) ?? new Map<string, Row>();
  store.tables.set(name, rows);
  if (row === null) {
    rows.delete(id);
    return;
  }
  rows.set(id, row as Row);
  if (rows.size > rowsMax) {
    const oldest = rows.keys().next();
    if (!oldest.done) rows.delete(oldest.value);
  }
}

/** The whole store as the changes that would make it. */
export function state(store: Store): Change[] {
  return [...store.tables].flatMap(([name, rows]) => [...rows].map(([id, row]): Change => [name, id, row]));
}
