import * as fc from "fast-check"
import type { Body } from "../pieces.ts"
import { few, maybe, name, unknown, userId, words } from "./drawn.ts"
import type { Drawn } from "./drawn.ts"
import { objectSchema, strictSchema, toolSchema } from "./schemas.ts"
import { marked, steps } from "./steps.ts"
import type { Part, Step } from "./steps.ts"

const fn = fc
  .tuple(
    name,
    fc.oneof(
      toolSchema.map((parameters): Body => ({ parameters })),
      strictSchema.map((parameters): Body => ({ parameters, strict: true })),
      fc.constant<Body>({})
    ),
    few({ description: fc.constantFrom("Weather", "") })
  )
  .map(([name, schema, more]) => ({ name, tool: { type: "function", function: { name, ...schema, ...more } } }))
const custom = fc
  .tuple(
    name,
    few({
      description: fc.constant("A patch."),
      format: fc.constantFrom<Array<Body>>(
        { type: "text" },
        { type: "grammar", grammar: { syntax: "lark", definition: 'start: "a"' } }
      )
    })
  )
  .map(([name, more]) => ({ name, tool: { type: "custom", custom: { name, ...more } } }))
const tools = fc.uniqueArray(fc.oneof({ weight: 6, arbitrary: fn }, { weight: 1, arbitrary: custom }), {
  minLength: 1,
  maxLength: 4,
  selector: ({ name }) => name
})

const partOf = (part: Part): Body => {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...marked(part.mark) }
    case "image":
      return {
        type: "image_url",
        image_url: { url: `data:${part.image.mime};base64,${part.image.data}` },
        ...marked(part.mark)
      }
    case "pdf":
      return {
        type: "file",
        file: { filename: part.title ?? "a.pdf", file_data: `data:application/pdf;base64,${part.data}` },
        ...marked(part.mark)
      }
  }
}
const contentOf = (parts: string | ReadonlyArray<Part>) => (typeof parts === "string" ? parts : parts.map(partOf))

type Thought = Extract<Step, { readonly kind: "assistant" }>["thought"]
const reasoningOf = (thought: Thought): Body =>
  thought === undefined
    ? {}
    : {
        reasoning_content: thought.text,
        ...(thought.signature !== "" && {
          reasoning_details: [{ type: "reasoning.text", text: thought.text, signature: thought.signature }]
        })
      }

const messagesOf = (step: Step, names: ReadonlyArray<string>): ReadonlyArray<Body> => {
  switch (step.kind) {
    case "user":
      return [{ role: "user", content: contentOf(step.parts) }]
    case "assistant":
      return [
        {
          role: "assistant",
          content: step.isBlocks ? [{ type: "text", text: step.text, ...marked(step.mark) }] : step.text,
          ...reasoningOf(step.thought)
        }
      ]
    case "system":
      return [{ role: "system", content: step.text }]
    case "calls": {
      const results = step.calls.map(({ id, result }) => ({
        role: "tool",
        tool_call_id: id,
        // Results of this dialect are texts.
        content:
          typeof result.parts === "string"
            ? result.parts
            : (result.parts ?? []).flatMap((part) => (part.kind === "text" ? [partOf(part)] : []))
      }))
      return [
        {
          role: "assistant",
          content: step.text ?? null,
          tool_calls: step.calls.map(({ id, input, tool }) => ({
            id,
            type: "function",
            function: { name: names[tool % names.length] ?? "get_weather", arguments: JSON.stringify(input) }
          })),
          ...reasoningOf(step.thought)
        },
        ...(step.isReversed ? results.toReversed() : results).map((message) =>
          message.content.length === 0 ? { ...message, content: "" } : message
        ),
        ...(step.after === undefined ? [] : [{ role: "user", content: contentOf(step.after) }])
      ]
    }
  }
}

const format = fc.oneof(
  fc.constantFrom<Array<Body>>({ type: "text" }, { type: "json_object" }),
  fc
    .oneof(
      strictSchema.map((schema): Body => ({ schema, strict: true })),
      objectSchema.map((schema): Body => ({ schema }))
    )
    .map((more): Body => ({ type: "json_schema", json_schema: { name: "answer", ...more } }))
)

const fields = few({
  temperature: fc.constantFrom(0, 0.3, 1, 2),
  top_p: fc.constantFrom(0.1, 1),
  max_tokens: fc.constantFrom(1, 100, 100_000),
  max_completion_tokens: fc.constantFrom(1, 100, 100_000),
  frequency_penalty: fc.constantFrom(-2, 0, 0.5),
  presence_penalty: fc.constantFrom(0, 1),
  stop: fc.oneof(fc.constantFrom("END", "\n"), fc.array(fc.constantFrom("END", "\n", "a", "b", ""), { maxLength: 4 })),
  seed: fc.constantFrom(0, 7, -1),
  logprobs: fc.boolean(),
  logit_bias: fc.constant({ "50256": -100 }),
  n: fc.constantFrom(1, 2),
  user: userId,
  safety_identifier: userId,
  prompt_cache_key: fc.constant("k"),
  prompt_cache_retention: fc.constant("24h"),
  metadata: fc.constantFrom({}, { a: "b" }),
  store: fc.boolean(),
  reasoning_effort: fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  verbosity: fc.constantFrom("low", "high"),
  parallel_tool_calls: fc.boolean(),
  response_format: format,
  stream_options: fc.constantFrom({}, { include_usage: true }),
  service_tier: fc.constantFrom("auto", "flex", "default"),
  modalities: fc.constant(["text"]),
  prediction: fc.constant({ type: "content", content: "x" })
})

const choiceOf = (tools: ReadonlyArray<{ readonly name: string; readonly tool: Body }>) =>
  fc.constantFrom<Array<unknown>>(
    "auto",
    "none",
    "required",
    ...tools.map(({ name, tool }) =>
      tool["type"] === "custom" ? { type: "custom", custom: { name } } : { type: "function", function: { name } }
    )
  )

/** A chat completion as the SDKs, agents and people's own programs ask for it. */
export const drawnChat: fc.Arbitrary<Drawn> = fc
  .tuple(
    maybe(tools),
    fields,
    fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, unknown),
    maybe(fc.tuple(fc.constantFrom("system", "developer"), words))
  )
  .chain(([tools, fields, more, first]) => {
    const functions = (tools ?? []).flatMap(({ name, tool }) => (tool["type"] === "function" ? [name] : []))
    return fc
      .tuple(steps, maybe(tools === undefined ? fc.constant(undefined) : choiceOf(tools)))
      .map(([steps, tool_choice]) => ({
        body: {
          ...fields,
          ...more,
          messages: [
            ...(first === undefined ? [] : [{ role: first[0], content: first[1] }]),
            ...steps.flatMap((step) => messagesOf(step, functions))
          ],
          ...(tools !== undefined && { tools: tools.map(({ tool }) => tool) }),
          ...(tool_choice !== undefined && { tool_choice })
        },
        headers: {}
      }))
  })
