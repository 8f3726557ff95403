/** A service for a catalogue in YAML that is paid by the meters of two models. */
export const chatService = `  - slug: chat
    name: Chat
    meters:
      input: { unit: input token, count: /usage/prompt_tokens }
      output: { unit: output token, count: /usage/completion_tokens }
    price_by: /model
    prices:
      small-1: { per: 1000000, input: "0.15", output: "0.60" }   # the cheap one
      large-1: { per: 1000000, input: "2.50", output: "10.00" }
    operations:
      - call: POST /v1/chat
        max: { input: { bytes: 1 }, output: { pointer: /max_tokens, default: 100, ceiling: 1000 } }
`;

/** A service for a catalogue in YAML that is paid by the result. */
export const listsService = `  - slug: lists
    name: Lists
    price_usd: "0.001"
    operations:
      - { call: POST /v2/search/people, units: /results_length, units_max: 100 }
`;
