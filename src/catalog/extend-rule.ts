/** The rule by which the hold of a stream grows while its events are passed on. */
export type ExtendRule = {
  /** The bound of the units of the events so far: their bytes, their number, or only the usage that they report. */
  by: 'bytes' | 'events' | 'usage';
  /** The most units that one byte or one event is worth. */
  units: number;
  /** Units that are added to the hold at a time. */
  step: number;
  /** The meter that grows; null for an operation without meters. All other meters are held at their maximum from the start. */
  meter: string | null;
};

/** The rule as the catalogue writes it. */
export type ExtendSource = boolean | { by?: ExtendRule['by']; units?: number; step?: number; meter?: string };

/** Converts a valid source; null when holds do not grow. */
export function toExtendRule(source: ExtendSource | undefined): ExtendRule | null {
  if (source === undefined || source === false) return null;
  const { by = 'bytes', units = 1, step = 1000, meter = null } = source === true ? {} : source;
  return { by, units, step, meter };
}
