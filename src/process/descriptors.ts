/** Reserved for the database, the upstream, files and the log. */
const reservedMax = 512;
/** Default: more connections need more memory than a process usually has. */
const connectionsMaxUsual = 16_384;

/**
 * Returns the maximum number of client connections that leaves descriptors for everything else: at the limit nothing could be opened, the
 * database and the upstream included.
 * @param wanted the setting; null when it is not given
 * @param limit of open files, as `descriptorsMax` reads it
 */
export function connectionsMax(wanted: number | null, limit: number): number {
  const spare = limit - Math.min(reservedMax, Math.floor(limit / 2));
  return Math.max(1, Math.min(wanted ?? connectionsMaxUsual, spare));
}

/** Returns the limit of open files of this process (`ulimit -n`); Infinity when there is none or it cannot be read. */
export function descriptorsMax(): number {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  // Otherwise the report looks up the host names of open connections.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return soft > 0 ? soft : Number.POSITIVE_INFINITY;
}
