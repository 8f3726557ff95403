/** Returns the result of a long query, or null when the database cancelled it because it took too long (`query_canceled`). */
export async function inTime<T>(sum: Promise<T>): Promise<T | null> {
  try {
    return await sum;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === '57014') return null;
    throw fault;
  }
}
