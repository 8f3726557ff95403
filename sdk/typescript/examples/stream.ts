// Prints the words of a language model as they arrive, and their cost at the end.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 node examples/stream.ts
import { APIConnectionError, Sluice, StreamError } from 'sluice-client';

/** An event of a chat completion. */
type Chunk = { choices?: { delta?: { content?: string } }[] };

const sluice = new Sluice();
const stream = sluice.stream('/v1/chat/completions', {
  model: 'small-1',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 200,
  stream: true,
});
let text = '';
try {
  for await (const { data } of stream) text += (data as Chunk).choices?.[0]?.delta?.content ?? '';
} catch (fault) {
  // The words so far have arrived. A stream that breaks off is free; one that ran out of credit costs what it sent.
  if (!(fault instanceof APIConnectionError || fault instanceof StreamError)) throw fault;
  console.log(`The stream ended early: ${fault.message}`);
}
console.log(text);
console.log(`Cost: ${(await stream.charge())?.cost_usd ?? '0'} USD`);
