import type { z } from 'zod';
import type { RequestContext } from '../request-context.ts';
import type * as Form from './form.ts';
import * as Params from './params.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** One operation of the API. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  /** `/v1/refunds/:id`, as Hono writes it. */
  path: string;
  /** The `object` that the answer is (or, for a list, is made of), which says what `expand[]` can name. */
  gives: string;
  isList: boolean;
  /** Reads the parameters; what comes back does the work. */
  prepare(form: Form.Form): Refusal | ((ctx: RequestContext, id: string) => object | Refusal);
};

/** An operation with the schema of its parameters; `run` gets them parsed, and the `:id` of the path. */
export function route<S extends z.ZodType>(given: {
  method: Route['method'];
  path: string;
  gives: string;
  isList?: true;
  params: S;
  run: (ctx: RequestContext, params: z.infer<S>, id: string) => object | Refusal;
}): Route {
  const { method, path, gives, isList = false, params: schema, run } = given;
  return {
    method,
    path,
    gives,
    isList,
    prepare: (form) => {
      const read = Params.read(schema, form);
      return isRefusal(read) ? read : (ctx, id) => run(ctx, read.params, id);
    },
  };
}
