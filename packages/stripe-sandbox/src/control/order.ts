import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '../api.ts';
import { isRefusal, type Refusal } from '../protocol/refusal.ts';

/** Obeys `POST <path>` with a JSON body of this schema; what comes back is the answer. */
export type Obey = <S extends z.ZodType>(
  path: string,
  schema: S,
  deed: (order: z.infer<S>) => object | Refusal | Promise<object | Refusal>,
) => void;

export const nothing = z.strictObject({});

export function obeying(app: Hono<Env>): Obey {
  return (path, schema, deed) => {
    app.post(path, async (c) => {
      const sent: unknown = await c.req.json().catch(() => undefined);
      const parsed = schema.safeParse(sent);
      if (!parsed.success) return c.json({ message: z.prettifyError(parsed.error) }, 400);
      const answer = await deed(parsed.data);
      return isRefusal(answer) ? c.json({ message: answer.error.message }, answer.status) : c.json(answer);
    });
  };
}
