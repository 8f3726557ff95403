import type { Lines } from '../emails/lines.ts';
import type { Sql } from './database.ts';

/** Lines in `direct.mail_line`. What is held or rests is free from `free_at` on, so whoever dies holds nothing for long. */
export function mailLines(sql: Sql): Lines {
  return {
    async take(operator, linesMax, nowMs, untilMs) {
      for (let number = 1; number <= linesMax; number++) {
        const taken = await sql`
          insert into direct.mail_line as line (operator, number, free_at)
          values (${operator}, ${number}, ${new Date(untilMs)})
          on conflict (operator, number) do update set free_at = excluded.free_at
          where line.free_at <= ${new Date(nowMs)}
          returning number`;
        if (taken.length > 0) return { operator, number, untilMs };
      }
      return null;
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
