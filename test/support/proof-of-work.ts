import { createHash } from 'node:crypto';

/** Solves a challenge according to its instructions. */
export function solve({ challenge, bits }: { challenge: string; bits: number }): {
  challenge: string;
  solution: string;
} {
  for (let solution = 0; ; solution++) {
    const digest = createHash('sha256').update(`${challenge}.${solution}`).digest();
    const leading = BigInt(`0x${digest.toString('hex')}`) >> BigInt(256 - bits);
    if (leading === 0n) return { challenge, solution: String(solution) };
  }
}
