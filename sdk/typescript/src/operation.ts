import { type CallOptions, type Connection, given } from './connection.ts';
import { byCursor, byNumber, list, type PagePromise, pageOf } from './page.ts';
import { success } from './reply.ts';

/** Calls an operation that returns a single response. */
export async function call<Answer extends object>(
  connection: Connection,
  path: string,
  fields: object,
  options: CallOptions | undefined,
): Promise<Answer> {
  return success(await post(connection, path, fields, options));
}

/** Calls an operation that returns a list with cursors. */
export function cursorList<Page extends { results: readonly unknown[]; cursor: string | null }>(
  connection: Connection,
  path: string,
  fields: { cursor?: string | null },
  options: CallOptions | undefined,
): PagePromise<Page> {
  return list(fields, pages<Page>(connection, path, options), byCursor);
}

/** Calls an operation that returns a list with numbered pages. */
export function numberedList<Page extends { results: readonly unknown[]; total_pages: number }>(
  connection: Connection,
  path: string,
  fields: { page?: number | null },
  options: CallOptions | undefined,
): PagePromise<Page> {
  return list(fields, pages<Page>(connection, path, options), byNumber);
}

function pages<Page extends { results: readonly unknown[] }>(
  connection: Connection,
  path: string,
  options: CallOptions | undefined,
) {
  return async (fields: object, isFirst: boolean): Promise<Page> => {
    const { idempotency_key: _, ...further } = options ?? {};
    return pageOf(await post(connection, path, fields, isFirst ? options : further));
  };
}

function post(connection: Connection, path: string, fields: object, options: CallOptions | undefined) {
  return connection.send({ method: 'POST', path, body: given(fields), twice: 'paid', isData: true, options });
}
