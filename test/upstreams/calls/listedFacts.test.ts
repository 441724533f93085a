import { expect, it } from "@effect/vitest"
import { factsIn, listedFacts } from "../../../src/upstreams/calls/listedFacts.ts"

const yes = { supported: true }
const no = { supported: false }

it.each<[string, object, object]>([
  ["vLLM", { id: "m", max_model_len: 32_768, created: 1_790_000_000 }, { context_tokens: 32_768 }],
  [
    "OpenRouter",
    {
      context_length: 262_144,
      top_provider: { context_length: 262_144, max_completion_tokens: 65_536, is_moderated: false },
      architecture: { input_modalities: ["file", "image", "text"], output_modalities: ["text"] },
      supported_parameters: ["tools", "reasoning", "max_tokens"],
      expiration_date: "2027-01-01"
    },
    {
      context_tokens: 262_144,
      max_output_tokens: 65_536,
      inputs: ["text", "image", "file"],
      outputs: ["text"],
      tools: true,
      thinking: true,
      structured_output: false,
      retires: "2027-01-01"
    }
  ],
  [
    "Anthropic",
    {
      type: "model",
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      retires_at: "2027-02-03T00:00:00Z",
      capabilities: {
        image_input: yes,
        pdf_input: no,
        structured_outputs: yes,
        thinking: { supported: true, types: {} },
        effort: { supported: true, low: yes, medium: no, high: yes, max: yes, xhigh: null }
      }
    },
    {
      max_input_tokens: 1_000_000,
      max_output_tokens: 128_000,
      inputs: ["text", "image"],
      tools: true,
      thinking: true,
      structured_output: true,
      efforts: ["low", "high", "max"],
      retires: "2027-02-03"
    }
  ],
  [
    "Google",
    { name: "models/g", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 },
    { max_input_tokens: 1_048_576, max_output_tokens: 65_536 }
  ],
  [
    "Groq",
    { context_window: 131_072, max_completion_tokens: 32_768 },
    { context_tokens: 131_072, max_output_tokens: 32_768 }
  ],
  [
    "LM Studio",
    { max_context_length: 131_072, loaded_context_length: 4_096, capabilities: ["tool_use"] },
    { context_tokens: 4_096 }
  ],
  [
    "Mistral",
    { max_context_length: 131_072, capabilities: { function_calling: true } },
    { context_tokens: 131_072, tools: true }
  ],
  ["OpenAI", { id: "m", owned_by: "openai", shutdown_date: null }, {}],
  [
    "a server that says nonsense",
    { context_length: "long", max_model_len: -1, max_tokens: 5, capabilities: 7, architecture: [] },
    {}
  ]
])("the facts of a model are read in the form of %s", (_, model, facts) => {
  expect(listedFacts(model)).toEqual(facts)
})

it("a list's facts are found by id, in lists of OpenAI's and of Google's form", () => {
  expect(factsIn({ data: [{ id: "a", max_model_len: 5 }, 7] })).toEqual(new Map([["a", { context_tokens: 5 }]]))
  expect(factsIn({ models: [{ name: "models/g", inputTokenLimit: 9 }] })).toEqual(
    new Map([["g", { max_input_tokens: 9 }]])
  )
  expect(factsIn("nothing")).toEqual(new Map())
})
