import type { Change, Journal } from './journal.ts';

/** The state of the sandbox: rows by table and id, in the order of their creation. */
export type Store = {
  tables: Map<string, Map<string, Row>>;
  /** Written since the last commit. */
  changes: Change[];
  journal: Journal | null;
};

type Row = { readonly id: string };

/** A table's name, which carries the type of its rows. */
export type Table<R extends Row> = { readonly name: string; readonly rows?: R };

/** Rows per table; beyond it, each new row removes the oldest. */
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

/** Inserts a row, or replaces the one with its id, and returns it. */
export function put<R extends Row>(store: Store, { name }: Table<R>, row: R): R {
  apply(store, [name, row.id, row]);
  store.changes.push([name, row.id, row]);
  return row;
}

export function remove<R extends Row>(store: Store, { name }: Table<R>, id: string): void {
  apply(store, [name, id, null]);
  store.changes.push([name, id, null]);
}

/** Makes all changes since the last commit durable, as one line; call it before the response is sent. */
export function commit(store: Store): void {
  if (store.changes.length > 0) store.journal?.append(store.changes);
  store.changes = [];
}

/** Applies a change from a journal. */
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

/** Returns the whole store as the changes that create it. */
export function state(store: Store): Change[] {
  return [...store.tables].flatMap(([name, rows]) => [...rows].map(([id, row]): Change => [name, id, row]));
}
