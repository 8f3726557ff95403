import type { CallOptions, Connection } from '../connection.ts';
import type { FairUsage } from '../records.ts';
import { success } from '../reply.ts';

/** A key, or at a storefront the caller's plans, with the remaining records. */
export interface KeyInfo {
  /** True if the key is valid. */
  valid: boolean;
  id: string;
  records_remaining: number;
  /** ISO 8601; when the records are renewed. */
  next_reset_at: string | null;
  /** Per operation. */
  max_requests_per_seconds: number;
  /** Paths without their version, such as `/search/people`. */
  allowed_apis: string[];
  /** Plans, with the day of their start in ISO 8601. */
  active_plans: { name: string; status: string; started_at: string }[];
  fair_usage: Omit<FairUsage, 'rate_limit'>;
}

/** The caller's key and balance. */
export class Account {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Returns the key, its plan and its remaining records. Free, and a good first call to check the credential.
   *
   * ```ts
   * const { records_remaining } = await sluice.account.key_info();
   * ```
   */
  async key_info(options?: CallOptions): Promise<KeyInfo> {
    return success(
      await this.#connection.send({ method: 'GET', path: '/v2/account/key-info', twice: 'free', options }),
    );
  }
}
