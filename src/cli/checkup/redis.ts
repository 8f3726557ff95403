import { Redis } from 'ioredis';
import * as Finding from './finding.ts';

const { ok, problem } = Finding.of('redis');

/** Whether processes can count calls together. */
export async function look(url: string): Promise<Finding.Finding> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: Finding.answerMsMax,
    commandTimeout: Finding.answerMsMax,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // What went wrong is told by the command that fails of it.
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.eval('return 1', 0);
    return ok(`${new URL(url).host} answers and runs scripts`);
  } catch (fault) {
    return problem(
      `${new URL(url).host}: ${Finding.reason(fault)}`,
      'is REDIS_URL right? Without it each process counts its own calls',
    );
  } finally {
    redis.disconnect();
  }
}
