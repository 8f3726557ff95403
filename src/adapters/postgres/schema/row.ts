import type { Table } from 'drizzle-orm';

/** A row of a table as the driver returns it: the names of the columns in the database, and their types. */
export type Row<T extends Table> = {
  [Key in keyof T['_']['columns'] as T['_']['columns'][Key]['_']['name']]:
    | T['_']['columns'][Key]['_']['data']
    | (T['_']['columns'][Key]['_']['notNull'] extends true ? never : null);
};
