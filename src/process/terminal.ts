/** Whether somebody sits before us: then SIGHUP says that the terminal is gone. To a service it says to read its files again. */
export function isAttended(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY;
}
