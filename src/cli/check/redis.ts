import { Redis } from 'ioredis';
import * as Finding from './finding.ts';

const { ok, problem } = Finding.findingsOf('redis');

/** Checks that Redis answers and runs scripts, so that processes can share rate limits. */
export async function checkRedis(url: string): Promise<Finding.Finding> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: Finding.answerMsMax,
    commandTimeout: Finding.answerMsMax,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // The command that fails throws the same error.
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.eval('return 1', 0);
    return ok(`${new URL(url).host} answers and runs scripts`);
  } catch (fault) {
    return problem(
      `${new URL(url).host}: ${Finding.reason(fault)}`,
      'check REDIS_URL; without Redis each process counts only its own calls',
    );
  } finally {
    redis.disconnect();
  }
}
