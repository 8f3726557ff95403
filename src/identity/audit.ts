/** The log of what the seller did. Most acts write their entry themselves; those that go over the network are begun and ended. */
export interface Audit {
  /** Writes down that `who` is about to do it. */
  open(who: string, act: string, subject: string, before: object): Promise<number>;
  /** And what came of it. */
  close(entry: number, after: object): Promise<void>;
}
