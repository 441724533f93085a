/** As long as what they write: the words of prompts, files and answers. */
const words = (count: number): string => Array.from({ length: count }, (_, at) => some[at % some.length]).join(" ")

const some = ["the", "file", "function", "returns", "value", "of", "module", "and\n", '"quoted"', "path/to/file.ts:12"]

const tool = (_: unknown, at: number) => ({
  name: `Tool${at}`,
  description: words(220),
  input_schema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, of) => [
        `param_${of}`,
        { type: of % 2 ? "string" : "number", description: words(20) }
      ])
    ),
    required: ["param_0"],
    additionalProperties: false
  }
})

const turn = (_: unknown, at: number) => {
  const id = `toolu_01ABCDEFGH${String(at).padStart(10, "0")}`
  const input = { param_0: at, param_1: words(12) }
  return [
    { role: "assistant", content: [words(30), { type: "tool_use", id, name: `Tool${at % 18}`, input }].map(block) },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: words(260), is_error: false }] }
  ]
}

const block = (block: string | object) => (typeof block === "string" ? { type: "text", text: block } : block)

/** A message request of 140 KB as coding agents send them: a long prompt, 18 tools, and 24 turns with a call in each. */
export const agentRequest = (model: string): string =>
  JSON.stringify({
    model,
    max_tokens: 32_000,
    temperature: 1,
    metadata: { user_id: "somebody" },
    system: [{ ...block(words(2_200)), cache_control: { type: "ephemeral" } }],
    tools: Array.from({ length: 18 }, tool),
    messages: [
      { role: "user", content: [words(300), words(80)].map(block) },
      ...Array.from({ length: 24 }, turn).flat()
    ]
  })
