import type { CallOptions, Connection } from '../connection.ts';
import * as Operation from '../operation.ts';
import type { FairUsage } from '../records.ts';

export interface CurrentDateParams {
  /** IANA time zone, such as `Europe/Berlin`. Default: `America/New_York`. */
  region?: string | null;
}

export interface CurrentDate {
  /** `YYYY-MM-DD HH:MM:SS ±HH:MM` */
  datetime: string;
  /** Seconds since 1970. */
  timestamp: number;
  timezone: string;
  /** Such as `(GMT-05:00) New York`. */
  timezone_name: string;
  fair_usage: FairUsage;
}

/** Helpers for requests. */
export class Utils {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Date and time in a time zone. Free.
   *
   * ```ts
   * const { datetime } = await sluice.utils.current_date({ region: 'Europe/Berlin' });
   * ```
   */
  current_date(fields: CurrentDateParams = {}, options?: CallOptions): Promise<CurrentDate> {
    return Operation.call(this.#connection, '/v2/utils/current-date', fields, options);
  }
}
