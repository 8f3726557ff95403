import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Host = { host: string; port: number };

type Attempt = { socket: Socket; at: number; served: boolean };

/** A connection that has received something and is open after this time serves. A standby's is closed sooner. */
const servesMs = 1_000;
/** Pause after all hosts were tried in vain: it doubles with each round, up to the maximum. */
const pauseMs = 50;
const pauseMsMax = 250;

/**
 * Returns a function that opens connections for the driver: to the host that served last, and to the next one when a connection to it was
 * refused or closed at once. The driver by itself tries hosts without a pause, on each of its connections, for as long as none is the
 * primary, which costs the servers the time that they need for a failover.
 */
export function open(hosts: readonly Host[]): () => Promise<Socket> {
  let attempts: Attempt[] = [];
  let at = 0;
  /** Number of hosts that were tried in vain since one served. */
  let vain = 0;
  const judge = () => {
    for (const attempt of attempts) {
      // Several connections may have failed at one host.
      if (!attempt.socket.destroyed || attempt.served || attempt.at !== at) continue;
      at = (at + 1) % hosts.length;
      vain += 1;
    }
    attempts = attempts.filter(({ socket }) => !socket.destroyed);
  };
  return async () => {
    judge();
    const rounds = Math.floor(vain / hosts.length);
    if (rounds > 0) await sleep(Math.min(pauseMs * 2 ** (rounds - 1), pauseMsMax));
    const { host, port } = hosts[at] as Host;
    const socket = new Socket();
    const attempt = { socket, at, served: false };
    attempts.push(attempt);
    setTimeout(() => {
      if (socket.destroyed || socket.bytesRead === 0) return;
      attempt.served = true;
      vain = 0;
    }, servesMs).unref();
    // The driver reads both for TLS and for its errors.
    return Object.assign(socket, { host, port }).connect(port, host);
  };
}
