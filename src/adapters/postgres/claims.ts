import {
  type ClaimOutcome,
  type ClaimStartResult,
  type Claims,
  dailyMax,
  triesMax,
} from '../../identity/claim.ts';
import type { Role } from '../../identity/team/role.ts';
import type { TrialState } from '../../identity/trial-proof.ts';
import * as Admissions from './admissions.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';

/** Stores claims by email (migrations/functions/claims.sql). */
export function openClaims(sql: Connection): Claims {
  return {
    async start({ id, account, email, mailbox, rules, codeDigest, expiresMs }) {
      const { blocks, seconds, max } = Admissions.columns(rules);
      type Row = { state: ClaimStartResult['kind']; wait_seconds: number | null; known: boolean };
      const [row] = await sql<
        [Row]
      >`SELECT state, wait_seconds::integer, known FROM shop.begin_claim(${id}, ${account}, ${email},
        ${mailbox}, ${blocks}::text[], ${seconds}::integer[], ${max}::integer[],
        ${codeDigest}, ${new Date(expiresMs)}, ${dailyMax.account}, ${dailyMax.mailbox}, ${dailyMax.all})`;
      switch (row.state) {
        case 'begun':
          return { kind: 'begun', known: row.known };
        case 'claimed':
          return { kind: 'claimed' };
        case 'limited':
          return { kind: 'limited', retryAfterSeconds: Math.max(1, row.wait_seconds ?? 1) };
      }
    },
    async complete(account, codeDigest, { plan, units, asset, oncePer, address }, more) {
      type Row = {
        state: ClaimOutcome['kind'];
        remaining: string;
        joined: boolean;
        tries_left: number;
        trial: TrialState;
        member: string;
        role: Role;
        epoch: number;
      };
      const [row] = await announced(
        sql,
        sql<
          [Row]
        >`SELECT * FROM shop.complete_claim(${account}, ${codeDigest}, ${triesMax}, ${plan}, ${more}, ${asset},
        ${units}, ${[...oncePer]}::text[], ${address})`,
      );
      switch (row.state) {
        case 'claimed':
          return {
            kind: 'claimed',
            account: row.remaining,
            joined: row.joined,
            trial: row.trial,
            holder: { account: row.remaining, member: { id: row.member, role: row.role }, epoch: row.epoch },
          };
        case 'wrong':
          return { kind: 'wrong', triesLeft: row.tries_left };
        case 'none':
        case 'taken':
        case 'frozen':
          return { kind: row.state };
      }
    },
  };
}
