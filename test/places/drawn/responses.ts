import * as fc from "fast-check"
import type { Body } from "../pieces.ts"
import { few, maybe, name, unknown, userId, words } from "./drawn.ts"
import type { Drawn } from "./drawn.ts"
import { objectSchema, strictSchema, toolSchema } from "./schemas.ts"
import { steps } from "./steps.ts"
import type { Part, Step } from "./steps.ts"

const fn = fc
  .tuple(
    name,
    fc.oneof(
      toolSchema.map((parameters): Body => ({ parameters, strict: false })),
      strictSchema.map((parameters): Body => ({ parameters, strict: true }))
    ),
    few({ description: fc.constantFrom("Weather", "") })
  )
  .map(([name, schema, more]): Named => ({ name, tool: { type: "function", name, ...schema, ...more } }))
const custom = fc
  .tuple(
    name,
    few({
      description: fc.constant("A patch."),
      format: fc.constantFrom<Array<Body>>(
        { type: "text" },
        { type: "grammar", syntax: "lark", definition: 'start: "a"' }
      )
    })
  )
  .map(([name, more]): Named => ({ name, tool: { type: "custom", name, ...more } }))
const namespace = fc.tuple(name, toolSchema).map(([name, parameters]): Named => ({
  name: `ns ${name}`,
  tool: {
    type: "namespace",
    name: "files",
    description: "Files.",
    tools: [{ type: "function", name, parameters, strict: false }]
  }
}))
interface Named {
  readonly name: string
  readonly tool: Body
}
const tools = fc.uniqueArray(
  fc.oneof({ weight: 6, arbitrary: fn }, { weight: 1, arbitrary: custom }, { weight: 1, arbitrary: namespace }),
  { minLength: 1, maxLength: 4, selector: ({ name, tool }) => (tool["type"] === "namespace" ? "namespace" : name) }
)

const partOf = (part: Part): Body => {
  switch (part.kind) {
    case "text":
      return { type: "input_text", text: part.text }
    case "image":
      return { type: "input_image", image_url: `data:${part.image.mime};base64,${part.image.data}`, detail: "auto" }
    case "pdf":
      return {
        type: "input_file",
        filename: part.title ?? "a.pdf",
        file_data: `data:application/pdf;base64,${part.data}`
      }
  }
}
const contentOf = (parts: string | ReadonlyArray<Part>) => (typeof parts === "string" ? parts : parts.map(partOf))

type Thought = Extract<Step, { readonly kind: "assistant" }>["thought"]
const reasoningOf = (thought: Thought): ReadonlyArray<Body> =>
  thought === undefined
    ? []
    : [
        {
          type: "reasoning",
          summary: thought.text === "" ? [] : [{ type: "summary_text", text: thought.text }],
          ...(thought.signature !== "" && { encrypted_content: thought.signature })
        }
      ]
const said = (text: string): Body => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }]
})

const itemsOf = (step: Step, names: ReadonlyArray<string>): ReadonlyArray<Body> => {
  switch (step.kind) {
    case "user":
      return [{ role: "user", content: contentOf(step.parts) }]
    case "assistant":
      return [...reasoningOf(step.thought), step.isBlocks ? said(step.text) : { role: "assistant", content: step.text }]
    case "system":
      return [{ role: "developer", content: step.text }]
    case "calls": {
      const results = step.calls.map(({ id, result }) => ({
        type: "function_call_output",
        call_id: id,
        output: contentOf(result.parts ?? "")
      }))
      return [
        ...reasoningOf(step.thought),
        ...(step.text === undefined ? [] : [said(step.text)]),
        ...step.calls.map(({ id, input, tool }) => ({
          type: "function_call",
          call_id: id,
          name: names[tool % names.length] ?? "get_weather",
          arguments: JSON.stringify(input)
        })),
        ...(step.isReversed ? results.toReversed() : results),
        ...(step.after === undefined ? [] : [{ role: "user", content: contentOf(step.after) }])
      ]
    }
  }
}

const format = fc.oneof(
  fc.constantFrom<Array<Body>>({ type: "text" }, { type: "json_object" }),
  fc.oneof(
    strictSchema.map((schema): Body => ({ type: "json_schema", name: "answer", schema, strict: true })),
    objectSchema.map((schema): Body => ({ type: "json_schema", name: "answer", schema }))
  )
)

const fields = few({
  instructions: words,
  temperature: fc.constantFrom(0, 0.3, 1, 2),
  top_p: fc.constantFrom(0.1, 1),
  max_output_tokens: fc.constantFrom(1, 16, 100, 100_000),
  max_tool_calls: fc.constant(3),
  reasoning: few({
    effort: fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    summary: fc.constantFrom("auto", "concise", "detailed")
  }),
  text: few({ format, verbosity: fc.constantFrom("low", "high") }),
  include: fc.subarray(["reasoning.encrypted_content", "message.output_text.logprobs"]),
  top_logprobs: fc.constantFrom(0, 2),
  store: fc.constant(false),
  metadata: fc.constantFrom({}, { a: "b" }),
  truncation: fc.constantFrom("auto", "disabled"),
  parallel_tool_calls: fc.boolean(),
  user: userId,
  safety_identifier: userId,
  prompt_cache_key: fc.constant("k"),
  prompt_cache_retention: fc.constant("24h"),
  service_tier: fc.constantFrom("auto", "flex", "default")
})

const choiceOf = (tools: ReadonlyArray<Named>) =>
  fc.constantFrom<Array<unknown>>(
    "auto",
    "none",
    "required",
    ...tools.flatMap(({ name, tool }) => (tool["type"] === "namespace" ? [] : [{ type: tool["type"], name }]))
  )

/** A response as the SDKs, agents and people's own programs ask for it. */
export const drawnResponse: fc.Arbitrary<Drawn> = fc
  .tuple(maybe(tools), fields, fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, unknown))
  .chain(([tools, fields, more]) => {
    const functions = (tools ?? []).flatMap(({ name, tool }) => (tool["type"] === "function" ? [name] : []))
    return fc
      .tuple(steps, maybe(tools === undefined ? fc.constant(undefined) : choiceOf(tools)))
      .map(([steps, tool_choice]) => ({
        body: {
          ...fields,
          ...more,
          input: steps.flatMap((step) => itemsOf(step, functions)),
          ...(tools !== undefined && { tools: tools.map(({ tool }) => tool) }),
          ...(tool_choice !== undefined && { tool_choice })
        },
        headers: {}
      }))
  })
