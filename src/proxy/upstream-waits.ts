/** The waits of calls for a connection at the upstreams of this process, over all revisions of its catalogue. */
export class UpstreamWaits {
  /** Calls that wait now. */
  waiting = 0;
  /** Calls whose wait has ended, by a connection or by a refusal, and the sum of their waits. A call that was sent at once has not waited. */
  ended = 0;
  endedMs = 0;

  begin(): void {
    this.waiting += 1;
  }

  end(ms: number): void {
    this.waiting -= 1;
    this.ended += 1;
    this.endedMs += ms;
  }
}
