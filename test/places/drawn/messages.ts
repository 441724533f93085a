import * as fc from "fast-check"
import type { Body } from "../pieces.ts"
import { a, u } from "../pieces.ts"
import { few, maybe, name, unknown, userId, words } from "./drawn.ts"
import type { Drawn } from "./drawn.ts"
import { objectSchema, strictSchema, toolSchema } from "./schemas.ts"
import { marked, steps } from "./steps.ts"
import type { Part, Step } from "./steps.ts"

const ephemeral = fc.constantFrom<Array<Body>>({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" })

const own = fc
  .tuple(
    name,
    fc.oneof(
      toolSchema.map((input_schema): Body => ({ input_schema })),
      strictSchema.map((input_schema): Body => ({ input_schema, strict: true }))
    ),
    few({
      description: fc.constantFrom("Weather", ""),
      cache_control: ephemeral,
      eager_input_streaming: fc.boolean(),
      type: fc.constant("custom"),
      defer_loading: fc.constant(false),
      input_examples: fc.constant([{ city: "Oslo" }])
    })
  )
  .map(([name, schema, more]) => ({ name, ...schema, ...more }))
const anthropics = fc.constantFrom(
  { type: "bash_20250124", name: "bash" },
  { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
  { type: "memory_20250818", name: "memory" }
)
const tools = fc.uniqueArray(fc.oneof({ weight: 8, arbitrary: own }, { weight: 1, arbitrary: anthropics }), {
  minLength: 1,
  maxLength: 4,
  selector: ({ name }) => name
})

const blockOf = (part: Part): Body => {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...marked(part.mark) }
    case "image":
      return {
        type: "image",
        source: { type: "base64", media_type: part.image.mime, data: part.image.data },
        ...marked(part.mark)
      }
    case "pdf":
      return {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: part.data },
        ...(part.title !== undefined && { title: part.title }),
        ...marked(part.mark)
      }
  }
}
const contentOf = (parts: string | ReadonlyArray<Part>) => (typeof parts === "string" ? parts : parts.map(blockOf))

type Thought = Extract<Step, { readonly kind: "assistant" }>["thought"]
const thinkingOf = (thought: Thought): ReadonlyArray<Body> =>
  thought === undefined ? [] : [{ type: "thinking", thinking: thought.text, signature: thought.signature }]

const turnsOf = (step: Step, names: ReadonlyArray<string>): ReadonlyArray<Body> => {
  switch (step.kind) {
    case "user":
      return [u(contentOf(step.parts))]
    case "assistant":
      return [
        a(
          step.thought !== undefined || step.isBlocks
            ? [...thinkingOf(step.thought), { type: "text", text: step.text, ...marked(step.mark) }]
            : step.text
        )
      ]
    case "system":
      return [{ role: "system", content: step.text }]
    case "calls": {
      const results = step.calls.map(({ id, mark, result }) => ({
        type: "tool_result",
        tool_use_id: id,
        ...(result.parts !== undefined && { content: contentOf(result.parts) }),
        ...(result.isError && { is_error: true }),
        ...marked(mark)
      }))
      return [
        a([
          ...thinkingOf(step.thought),
          ...(step.text === undefined ? [] : [{ type: "text", text: step.text }]),
          ...step.calls.map(({ id, input, tool }) => ({
            type: "tool_use",
            id,
            name: names[tool % names.length] ?? "get_weather",
            input
          }))
        ]),
        u([...(step.isReversed ? results.toReversed() : results), ...(step.after ?? []).map(blockOf)])
      ]
    }
  }
}

const choiceOf = (names: ReadonlyArray<string>) =>
  fc.oneof(
    few({ disable_parallel_tool_use: fc.boolean() }).chain((more) =>
      fc.constantFrom<Array<Body>>(
        { type: "auto", ...more },
        { type: "any", ...more },
        ...names.map((name): Body => ({ type: "tool", name, ...more }))
      )
    ),
    fc.constant<Body>({ type: "none" })
  )

const system = fc.oneof(
  words,
  fc.array(
    fc.record({ type: fc.constant("text"), text: words, cache_control: ephemeral }, { requiredKeys: ["type", "text"] }),
    { minLength: 1, maxLength: 3 }
  )
)

const fields = few({
  system,
  temperature: fc.constantFrom(0, 0.3, 1),
  top_p: fc.constantFrom(0.1, 0.95, 1),
  top_k: fc.constantFrom(1, 5, 40),
  stop_sequences: fc.array(fc.constantFrom("END", "\n", " ", "a", "b", "c", "d", "Human:"), { maxLength: 6 }),
  metadata: fc.oneof(
    fc.constant({}),
    userId.map((user_id) => ({ user_id }))
  ),
  service_tier: fc.constantFrom("auto", "standard_only"),
  cache_control: ephemeral,
  inference_geo: fc.constantFrom("us", "global"),
  context_management: fc.constant({ edits: [{ type: "clear_tool_uses_20250919" }] }),
  output_format: objectOrStrict(),
  speed: fc.constant("fast")
})

function objectOrStrict() {
  return fc.oneof(strictSchema, objectSchema).map((schema) => ({ type: "json_schema", schema }))
}

const outputConfig = few({
  effort: fc.constantFrom("low", "medium", "high", "xhigh", "max"),
  format: objectOrStrict()
})

const thinking = fc.constantFrom<Array<Body>>(
  { type: "disabled" },
  { type: "enabled", budget_tokens: 1024 },
  { type: "enabled", budget_tokens: 3999 },
  { type: "adaptive" },
  { type: "adaptive", display: "omitted" }
)

const betas = fc.subarray([
  "claude-code-20250219",
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "effort-2025-11-24",
  "fine-grained-tool-streaming-2025-05-14",
  "prompt-caching-scope-2026-01-05",
  "thinking-token-count-2026-05-13",
  "mid-conversation-system-2026-04-07",
  "structured-outputs-2025-11-13",
  "advanced-tool-use-2025-11-20",
  "context-1m-2025-08-07",
  "a-beta-of-tomorrow-2027-01-01"
])

/** A message as the SDKs, agents and people's own programs ask for it. */
export const drawnMessage: fc.Arbitrary<Drawn> = fc
  .tuple(
    maybe(tools),
    fields,
    maybe(thinking),
    outputConfig,
    fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, unknown),
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, betas)
  )
  .chain(([tools, fields, thinking, output_config, more, betas]) => {
    const names = (tools ?? []).map(({ name }) => name)
    return fc
      .tuple(
        steps,
        maybe(tools === undefined ? fc.constant(undefined) : choiceOf(names)),
        fc.constantFrom(1, 100, 4_000, 64_000)
      )
      .map(([steps, tool_choice, bound]) => ({
        body: {
          ...fields,
          ...more,
          // A budget is less than the bound.
          max_tokens: thinking === undefined || bound > 4_000 ? bound : 4_000,
          messages: steps.flatMap((step) => turnsOf(step, names)),
          ...(tools !== undefined && { tools }),
          ...(tool_choice !== undefined && { tool_choice }),
          ...(thinking !== undefined && { thinking }),
          ...(Object.keys(output_config).length > 0 && { output_config })
        },
        headers: betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }
      }))
  })
