import { expect, test } from 'vitest';
import { review } from '../../src/http/console/pages/catalogue-review.ts';

type Given = Parameters<typeof review>;

test('a review is left only after a question, apart from the button that publishes it', () => {
  const state = { name: 'catalog.yaml', text: 'a: 1', digest: 'd', isWritable: true } as Given[0];
  const consequences = { changes: [], warnings: [] } as never;
  const proposal = { kind: 'sound', refusals: [], settings: [], consequences } as unknown as Given[2];
  const page = String(review(state, 'a: 2', proposal, null, { path: '/back', fields: [] }));
  const publishing = /<button>Publish changes<\/button>.*?<\/div>/s.exec(page)?.[0] ?? '';
  const question = /<details class="add">(.*?)<\/details>/s.exec(page)?.[1] ?? '';
  expect(publishing).not.toMatch(/href="\/admin\/console\/catalogue"/);
  expect(question).toMatch(/<summary[^>]*>Discard changes<\/summary>.*href="\/admin\/console\/catalogue"/s);
});
