/** The name of a zone in the IANA time zone database. */
export type Zone = string;

/** Finds a zone by name, ignoring case, and returns its canonical spelling; null if there is none. */
export function find(name: string): Zone | null {
  // Some runtimes also accept offsets such as +01:00.
  if (!/^[a-z]/i.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // The name may be an alias of another zone. Keep the name that the caller used.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return null;
  }
}

/** Names of all zones, without aliases. */
export function names(): readonly Zone[] {
  return Intl.supportedValuesOf('timeZone');
}

/** Local date, time and UTC offset (`-05:00`) of the zone at `nowMs`. */
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
    // For an offset of zero the formatter writes `GMT` alone.
    offset: part.timeZoneName?.slice(3) || '+00:00',
  };
}

/** City of a zone: `New York`. */
export function place(zone: Zone): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
