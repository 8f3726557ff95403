/** Returns true on a terminal, where SIGHUP means that it was closed. For a service, SIGHUP means reload. */
export function isAttended(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY;
}
