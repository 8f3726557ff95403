import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('coin');

/** Whether the facilitator settles on the network that is sold on, by its list of kinds. */
export async function look(facilitatorUrl: string, network: string): Promise<Finding.Finding> {
  try {
    const answer = await fetch(`${facilitatorUrl.replace(/\/+$/, '')}/supported`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(Finding.answerMsMax),
    });
    const body: unknown = await answer.json().catch(() => null);
    const kinds = (body as { kinds?: unknown } | null)?.kinds;
    if (!answer.ok || !Array.isArray(kinds))
      return unproved(`${facilitatorUrl} answers, and does not say what it settles`, 'one payment proves it');
    return kinds.some((kind) => kind?.scheme === 'exact' && kind?.network === network)
      ? ok(`${facilitatorUrl} settles on ${network}`)
      : problem(
          `${facilitatorUrl} does not settle on ${network}`,
          'another X402_FACILITATOR_URL or X402_NETWORK',
        );
  } catch (fault) {
    return problem(`${facilitatorUrl} does not answer: ${Finding.reason(fault)}`);
  }
}
