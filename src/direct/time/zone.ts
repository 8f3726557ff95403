/** The name of a zone in the IANA time zone database. */
export type Zone = string;

/** The zone of that name, capitals or not, as it is spelled; null where there is none. */
export function find(name: string): Zone | null {
  // Some runtimes also take offsets, which name no zone.
  if (!/^[a-z]/i.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // A name may stand for another one; whoever asked by it is answered by it.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return null;
  }
}

/** The zones that have a name of their own. */
export function names(): readonly Zone[] {
  return Intl.supportedValuesOf('timeZone');
}

/** What clocks and calendars there show at `nowMs`, and how far that is from UTC (`-05:00`). */
export function show(zone: Zone, nowMs: number): { date: string; time: string; offset: string } {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const part = Object.fromEntries(format.formatToParts(nowMs).map(({ type, value }) => [type, value]));
  return {
    date: `${part.year}-${part.month}-${part.day}`,
    time: `${part.hour}:${part.minute}:${part.second}`,
    // At Greenwich it says `GMT` alone.
    offset: part.timeZoneName?.slice(3) || '+00:00',
  };
}

/** The place that a zone is named after: `New York`. */
export function place(zone: Zone): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
