import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, streamText } from 'ai';

const model = 'small-1';
const text = 'Say hello to the world, please.';
const echo = `You said: ${text}`;
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** What the stock clients of Anthropic's and Google's APIs do at `url` with nothing but a token. */
export function calls(target) {
  return { ...anthropicCalls(target), ...geminiCalls(target) };
}

function anthropicCalls({ url, token }) {
  const anthropic = new Anthropic({ baseURL: url, apiKey: token, authToken: null, maxRetries: 0 });
  const vercel = createAnthropic({ baseURL: `${url}/v1`, apiKey: token });
  const question = { model, max_tokens: 100, messages: [{ role: 'user', content: text }] };
  const tools = [{ name: 'weather', input_schema: schema }];
  return {
    'anthropic: message': async () => {
      const { content } = await anthropic.messages.create({ ...question, model: 'large-1' });
      assert.equal(content[0].text, echo);
    },
    'anthropic: message stream': async () => {
      const message = await anthropic.messages.stream(question).finalMessage();
      assert.equal(message.content[0].text, echo);
      assert.equal(message.stop_reason, 'end_turn');
    },
    'anthropic: message stream cut at max_tokens': async () => {
      const message = await anthropic.messages.stream({ ...question, max_tokens: 2 }).finalMessage();
      assert.equal(message.usage.output_tokens, 2);
    },
    'anthropic: tool call and its result': async () => {
      const { content } = await anthropic.messages.create({ ...question, tools });
      assert.deepEqual(content[0].input, { city: 'Berlin' });
      const result = { type: 'tool_result', tool_use_id: content[0].id, content: 'sunny' };
      const all = [...question.messages, { role: 'assistant', content }, { role: 'user', content: [result] }];
      const second = await anthropic.messages.create({ ...question, tools, messages: all });
      assert.equal(second.content[0].text, 'You said: the tool answered');
    },
    'anthropic: tool call in a stream': async () => {
      const { content } = await anthropic.messages.stream({ ...question, tools }).finalMessage();
      assert.deepEqual(content[0].input, { city: 'Berlin' });
    },
    'ai: anthropic message': async () => {
      assert.equal((await generateText({ model: vercel(model), prompt: text })).text, echo);
    },
    'ai: anthropic stream': async () => {
      const { textStream } = streamText({ model: vercel(model), prompt: text });
      assert.equal((await Array.fromAsync(textStream)).join(''), echo);
    },
  };
}

function geminiCalls({ url, token }) {
  const gemini = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
  const vercel = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: token });
  const config = { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }] };
  return {
    'gemini: content': async () => {
      const answer = await gemini.models.generateContent({ model: 'large-1', contents: text });
      assert.equal(answer.text, echo);
    },
    'gemini: content stream': async () => {
      const chunks = await Array.fromAsync(
        await gemini.models.generateContentStream({ model, contents: text }),
      );
      assert.equal(chunks.map((chunk) => chunk.text ?? '').join(''), echo);
      assert.ok(chunks.at(-1).usageMetadata.candidatesTokenCount > 0);
    },
    'gemini: function call': async () => {
      const { functionCalls } = await gemini.models.generateContent({ model, contents: text, config });
      assert.deepEqual(functionCalls[0].args, { city: 'Berlin' });
    },
    'gemini: function call in a stream': async () => {
      const stream = await gemini.models.generateContentStream({ model, contents: text, config });
      assert.equal((await Array.fromAsync(stream)).at(-1).functionCalls[0].name, 'weather');
    },
    'ai: gemini content': async () => {
      assert.equal((await generateText({ model: vercel(model), prompt: text })).text, echo);
    },
    'ai: gemini stream': async () => {
      const { textStream } = streamText({ model: vercel(model), prompt: text });
      assert.equal((await Array.fromAsync(textStream)).join(''), echo);
    },
  };
}
