import { z } from 'zod';
import * as Store from '../store.ts';
import * as List from './list.ts';
import { missing } from './refusal.ts';
import { type Route, route } from './route.ts';

type Row = { readonly id: string; readonly created?: number; readonly date?: number };

type Page = z.infer<typeof pageParams>;
const pageParams = z.object({ ...List.pageParams, created: List.created });

/** `GET <path>/:id`: the row with that id, or a 404. */
export function retrieval<R extends { readonly id: string }>(
  path: string,
  gives: string,
  table: Store.Table<R>,
): Route {
  return route({
    method: 'GET',
    path: `${path}/:id`,
    gives,
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, table, id) ?? missing(gives, id),
  });
}

/**
 * `GET <path>`: a page of the rows whose members equal the parameters of the same name, made within `created` where
 * that is one of them; `where` speaks for parameters that mean something else, and then for all but `created`.
 */
export function listing<R extends Row, S extends z.ZodRawShape>(given: {
  path: string;
  gives: string;
  table: Store.Table<R>;
  params: S;
  where?: (row: R, wanted: z.infer<z.ZodObject<S>>) => boolean;
}): Route {
  const { path, gives, table, params, where = equals } = given;
  return route({
    method: 'GET',
    path,
    gives,
    isList: true,
    params: z.strictObject({ ...List.pageParams, ...params }),
    run: ({ store }, all) => {
      const { limit, starting_after, ending_before, created, ...wanted } = all as Page &
        Record<string, unknown>;
      const rows = Store.all(store, table).filter(
        (row) =>
          List.isCreatedWithin(row.created ?? row.date ?? 0, created) &&
          where(row, wanted as z.infer<z.ZodObject<S>>),
      );
      return List.page(rows, path, { limit, starting_after, ending_before });
    },
  });
}

function equals(row: object, wanted: object): boolean {
  const members = new Map(Object.entries(row));
  return Object.entries(wanted).every(([name, value]) => value === undefined || members.get(name) === value);
}
