import * as AnthropicGemini from './anthropic-gemini.mjs';
import * as OpenAi from './openai.mjs';

/** The calls of all stock clients, by title. @param target the base URL and the token: everything that a client is told */
export function calls(target) {
  return { ...OpenAi.calls(target), ...AnthropicGemini.calls(target) };
}
