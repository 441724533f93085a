import { schema } from "./messageExamples.ts"

const chatFunction = { name: "weather", description: "Tells it", parameters: schema, strict: true }

export const chatTools = [
  { type: "function", function: chatFunction, cache_control: { type: "ephemeral" } },
  {
    type: "custom",
    custom: { name: "run", description: "Runs it", format: { type: "text" } },
    cache_control: { type: "ephemeral" }
  },
  {
    type: "custom",
    custom: { name: "count", format: { type: "grammar", grammar: { syntax: "regex", definition: "\\d+" } } }
  },
  { type: "builtin_function" }
]

export const chatOptions = {
  moderation: { model: "omni-moderation-latest" },
  prompt_cache_options: { mode: "implicit" },
  tool_choice: "auto",
  parallel_tool_calls: false,
  response_format: {
    type: "json_schema",
    json_schema: { name: "answer", description: "An answer", schema, strict: true }
  },
  reasoning_effort: "low",
  verbosity: "low",
  max_completion_tokens: 200,
  max_tokens: 200,
  n: 2,
  stop: ["END"],
  stream: false,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 0.5,
  top_p: 0.9,
  frequency_penalty: 0.1,
  presence_penalty: 0.1,
  seed: 7,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  prediction: { type: "content", content: "x" },
  modalities: ["text"],
  audio: { voice: "alloy", format: "wav" },
  web_search_options: {
    search_context_size: "low",
    user_location: {
      type: "approximate",
      approximate: { city: "Rome", region: "Lazio", country: "IT", timezone: "Europe/Rome" }
    }
  },
  store: false,
  metadata: { a: "b" },
  service_tier: "default",
  prompt_cache_key: "k",
  prompt_cache_retention: "24h",
  safety_identifier: "u1",
  user: "u1"
}

export const chatOthers = [
  { tools: chatTools, tool_choice: { type: "function", function: { name: "weather" } }, stop: "END" },
  { tools: chatTools, tool_choice: { type: "custom", custom: { name: "run" } }, response_format: { type: "text" } },
  {
    tools: chatTools,
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [
          { type: "function", function: { name: "weather" } },
          { type: "custom", custom: { name: "run" } }
        ]
      }
    },
    response_format: { type: "json_object" }
  },
  { functions: [chatFunction], function_call: { name: "weather" } },
  { functions: [chatFunction], function_call: "auto" }
].map((fields) => ({ model: "sandbox-text", messages: [{ role: "user", content: "Hello" }], ...fields }))

export const chatUnserved = {
  model: "sandbox-text",
  messages: [
    {
      role: "user",
      content: [
        { type: "file", file: { file_id: "file_1" } },
        { type: "input_audio", input_audio: { data: "eA==", format: "wav" } }
      ]
    },
    { role: "assistant", audio: { id: "audio_1" } }
  ]
}

/** Text completions. */
export const completions = [
  {
    model: "sandbox-text",
    prompt: ["Hello", "Bye"],
    max_tokens: 16,
    n: 2,
    best_of: 1,
    echo: false,
    suffix: "",
    stop: ["END"],
    stream: false,
    stream_options: { include_usage: true, include_obfuscation: false },
    temperature: 0.5,
    top_p: 0.5,
    frequency_penalty: 0,
    presence_penalty: 0,
    seed: 1,
    logit_bias: {},
    user: "u1"
  },
  { model: "sandbox-text", prompt: "Hello", stop: "END" }
]

/** Text completions that only upstreams with the endpoint take. */
export const completionsUnserved = [
  { model: "sandbox-text", prompt: "Hello", best_of: 2, echo: true, logprobs: 2, suffix: "." },
  { model: "sandbox-text", prompt: [[1, 2], [3]] }
]
