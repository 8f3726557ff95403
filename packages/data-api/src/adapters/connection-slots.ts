import type { ConnectionSlots } from '../emails/connection-slots.ts';
import type { Sql } from './database.ts';

/** Slots in `direct.mail_connection_slot`. A slot is free from `free_at` on, so the slots of a dead process become free. */
export function connectionSlots(sql: Sql): ConnectionSlots {
  return {
    async take(operator, connectionsPerOperatorMax, nowMs, untilMs) {
      const taken = async () => {
        const [slot] = await sql<{ number: number }[]>`
          with free as (
            select number from direct.mail_connection_slot
            where operator = ${operator} and number <= ${connectionsPerOperatorMax} and free_at <= ${new Date(nowMs)}
            order by number limit 1 for update skip locked
          )
          update direct.mail_connection_slot slot set free_at = ${new Date(untilMs)} from free
          where slot.operator = ${operator} and slot.number = free.number
          returning slot.number`;
        return slot ? { operator, number: slot.number, untilMs } : null;
      };
      const slot = await taken();
      if (slot !== null) return slot;
      const added = await sql`
        insert into direct.mail_connection_slot (operator, number, free_at)
        select ${operator}, number, '-infinity' from generate_series(1, ${connectionsPerOperatorMax}::int) as number
        on conflict do nothing`;
      return added.count > 0 ? taken() : null;
    },
    async release({ operator, number, untilMs }, went, freeAtMs) {
      // The comparison of `free_at` ignores a release after the lease has expired.
      await sql`
        update direct.mail_connection_slot
        set free_at = ${new Date(freeAtMs)}, conversations = conversations + ${went === null ? 0 : 1},
            troubled = troubled + ${went?.isTroubled ? 1 : 0}, milliseconds = milliseconds + ${went?.ms ?? 0}
        where operator = ${operator} and number = ${number} and free_at = ${new Date(untilMs)}`;
    },
  };
}
