import type { Lines } from '../emails/lines.ts';
import type { Sql } from './database.ts';

/** Lines in `direct.mail_line`. What is held or rests is free from `free_at` on, so whoever dies holds nothing for long. */
export function mailLines(sql: Sql): Lines {
  return {
    async take(operator, linesMax, nowMs, untilMs) {
      const taken = async () => {
        const [line] = await sql<{ number: number }[]>`
          with free as (
            select number from direct.mail_line
            where operator = ${operator} and number <= ${linesMax} and free_at <= ${new Date(nowMs)}
            order by number limit 1 for update skip locked
          )
          update direct.mail_line line set free_at = ${new Date(untilMs)} from free
          where line.operator = ${operator} and line.number = free.number
          returning line.number`;
        return line ? { operator, number: line.number, untilMs } : null;
      };
      const line = await taken();
      if (line !== null) return line;
      const added = await sql`
        insert into direct.mail_line (operator, number, free_at)
        select ${operator}, number, '-infinity' from generate_series(1, ${linesMax}::int) as number
        on conflict do nothing`;
      return added.count > 0 ? taken() : null;
    },
    async release({ operator, number, untilMs }, went, freeAtMs) {
      // Who comes after the end of the lease comes too late.
      await sql`
        update direct.mail_line
        set free_at = ${new Date(freeAtMs)}, conversations = conversations + ${went === null ? 0 : 1},
            troubled = troubled + ${went?.isTroubled ? 1 : 0}, milliseconds = milliseconds + ${went?.ms ?? 0}
        where operator = ${operator} and number = ${number} and free_at = ${new Date(untilMs)}`;
    },
  };
}
