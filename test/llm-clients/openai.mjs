import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText, tool } from 'ai';
import OpenAI, { toFile } from 'openai';
import { z } from 'zod';

const model = 'small-1';
const messages = [{ role: 'user', content: 'Say hello to the world, please.' }];
const echo = 'You said: Say hello to the world, please.';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** What the stock clients of OpenAI's API do at `url` with nothing but a token. Each asserts the answer it gets. */
export function calls({ url, token }) {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  const vercel = createOpenAI({ baseURL: `${url}/v1`, apiKey: token });
  return { ...chat(openai), ...responses(openai), ...media(openai), ...vercelCalls(vercel) };
}

function chat(openai) {
  const ask = (more) => openai.chat.completions.create({ model, messages, ...more });
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
  return {
    'openai: chat': async () => {
      const { choices, usage } = await ask({ model: 'large-1' });
      assert.equal(choices[0].message.content, echo);
      assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    },
    'openai: chat cut at max_tokens': async () => {
      const { choices, usage } = await ask({ max_tokens: 2 });
      assert.equal(choices[0].finish_reason, 'length');
      assert.equal(usage.completion_tokens, 2);
    },
    'openai: chat stream without asking for usage': async () => {
      const chunks = await Array.fromAsync(await ask({ stream: true }));
      assert.equal(chunks.map(({ choices }) => choices[0].delta.content ?? '').join(''), echo);
    },
    'openai: chat stream with usage': async () => {
      const stream = await ask({ stream: true, stream_options: { include_usage: true } });
      const chunks = await Array.fromAsync(stream);
      assert.ok(chunks.at(-1).usage.total_tokens > 0);
      assert.deepEqual(chunks.at(-1).choices, []);
    },
    'openai: tool call and its result': async () => {
      const first = await ask({ tools });
      const [call] = first.choices[0].message.tool_calls;
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Berlin' });
      const result = { role: 'tool', tool_call_id: call.id, content: 'sunny' };
      const second = await ask({ tools, messages: [...messages, first.choices[0].message, result] });
      assert.equal(second.choices[0].message.content, 'You said: the tool answered');
    },
    'openai: tool call in a stream': async () => {
      const { choices } = await openai.chat.completions
        .stream({ model, messages, tools })
        .finalChatCompletion();
      assert.equal(choices[0].finish_reason, 'tool_calls');
      assert.equal(choices[0].message.tool_calls[0].function.arguments, '{"city":"Berlin"}');
    },
    'openai: embeddings': async () => {
      const { data } = await openai.embeddings.create({ model, input: ['one', 'two'] });
      assert.equal(data.length, 2);
      assert.equal(data[0].embedding.length, 8);
    },
    'openai: models': async () => {
      assert.deepEqual(
        (await Array.fromAsync(openai.models.list())).map(({ id }) => id),
        ['small-1', 'large-1'],
      );
    },
  };
}

function responses(openai) {
  const input = messages[0].content;
  const tools = [{ type: 'function', name: 'weather', parameters, strict: false }];
  return {
    'openai: response': async () => {
      const response = await openai.responses.create({ model, input });
      assert.equal(response.output_text, echo);
    },
    'openai: response stream': async () => {
      const events = await Array.fromAsync(await openai.responses.create({ model, input, stream: true }));
      assert.equal(
        events.map(({ type, delta }) => (type.endsWith('text.delta') ? delta : '')).join(''),
        echo,
      );
      assert.equal(events.at(-1).type, 'response.completed');
    },
    'openai: response stream cut at its maximum': async () => {
      const stream = await openai.responses.create({ model, input, max_output_tokens: 2, stream: true });
      assert.equal((await Array.fromAsync(stream)).at(-1).type, 'response.incomplete');
    },
    'openai: response with a tool call': async () => {
      const { output } = await openai.responses.create({ model, input, tools });
      assert.equal(output[0].arguments, '{"city":"Berlin"}');
    },
    'openai: response stream with a tool call': async () => {
      const { output } = await openai.responses.stream({ model, input, tools }).finalResponse();
      assert.equal(output[0].name, 'weather');
    },
  };
}

function media(openai) {
  return {
    'openai: images': async () => {
      const { data } = await openai.images.generate({
        model,
        prompt: 'a tree',
        n: 2,
        response_format: 'b64_json',
      });
      assert.equal(Buffer.from(data[1].b64_json, 'base64').subarray(1, 4).toString(), 'PNG');
      assert.equal(data.length, 2);
    },
    'openai: transcription of an uploaded file': async () => {
      const file = await toFile(Buffer.alloc(2_000_000, 1), 'speech.wav');
      const { text } = await openai.audio.transcriptions.create({ model: 'speech-1', file });
      assert.equal(text, '2000000 bytes of audio');
    },
    'openai: files': async () => {
      const content = Buffer.from('{"line":1}\n');
      const { id } = await openai.files.create({ file: await toFile(content, 'a.jsonl'), purpose: 'batch' });
      assert.equal((await openai.files.retrieve(id)).filename, 'a.jsonl');
      assert.deepEqual(Buffer.from(await (await openai.files.content(id)).arrayBuffer()), content);
      assert.ok((await Array.fromAsync(openai.files.list())).some((file) => file.id === id));
      assert.equal((await openai.files.delete(id)).deleted, true);
      await assert.rejects(openai.files.retrieve(id), { status: 404 });
    },
  };
}

function vercelCalls(vercel) {
  const prompt = messages[0].content;
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'sunny' });
  return {
    'ai: text': async () => {
      assert.equal((await generateText({ model: vercel(model), prompt })).text, echo);
    },
    'ai: stream of responses': async () => {
      const { textStream } = streamText({
        model: vercel(model),
        prompt,
        onError: ({ error }) => assert.fail(error),
      });
      assert.equal((await Array.fromAsync(textStream)).join(''), echo);
    },
    'ai: stream of chat completions': async () => {
      const { textStream, usage } = streamText({ model: vercel.chat(model), prompt });
      assert.equal((await Array.fromAsync(textStream)).join(''), echo);
      assert.ok((await usage).outputTokens > 0);
    },
    'ai: tool call': async () => {
      const { toolCalls } = await generateText({ model: vercel.chat(model), prompt, tools: { weather } });
      assert.deepEqual(toolCalls[0].input, { city: 'Berlin' });
    },
  };
}
