/** Writers return recalled leases with their next batch. */
const retryMs = 60;
const attemptsMax = 5;

/** Repeats a recall of leases, up to a maximum, until `isBack` resolves to true. */
export async function until(isBack: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (await isBack()) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
