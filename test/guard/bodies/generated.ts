import {
  called,
  isShort,
  many,
  mega,
  messages,
  on,
  onMessages,
  onResponses,
  onVideos,
  responses,
  saying,
  shapes,
  structured,
  texts,
  videos,
  onOpenAIVideos,
  openAIVideos
} from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }

const calling = (name: string, value: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { text: value } } })

/** What each value of JSON may be too much of, for messages, responses, videos and those that count. */
export const generated: ReadonlyArray<Hostile> = [
  ...texts.flatMap(([name, text]) => [
    onMessages(`text: ${name}`, () => messages(saying(text()))),
    onResponses(`text: ${name}`, () => responses({ input: text() })),
    onResponses(`text, streamed: ${name}`, () => responses({ input: text(), stream: true })),
    onMessages(`text, translated: ${name}`, () => messages(saying(text()), "behind-chat"))
  ]),
  onVideos("prompt: flags", () => videos({ content: [{ type: "text", text: " --rs 480p".repeat(9_900) }] })),
  onVideos("prompt: blanks", () => videos({ content: [{ type: "text", text: `a${" ".repeat(99_000)}` }] })),
  ...shapes.flatMap(([name, shape]) => [
    onMessages(`metadata: ${name}`, () => messages({ metadata: shape() })),
    onMessages(`messages: ${name}`, () => messages({ messages: shape() })),
    onMessages(`schema: ${name}`, () => messages(called({ type: "object", properties: { a: shape() } }))),
    onResponses(`input: ${name}`, () => responses({ input: shape() })),
    onResponses(`schema: ${name}`, () => responses(structured({ type: "object", properties: shape() }))),
    onResponses(`constant: ${name}`, () => responses(structured({ const: shape() }))),
    onVideos(`content: ${name}`, () => videos({ content: shape() })),
    onOpenAIVideos(`input_reference: ${name}`, () => openAIVideos({ input_reference: shape() })),
    onMessages(`passed through: ${name}`, () => messages({ context_management: shape() }, "behind-messages")),
    onMessages(`kept for later: ${name}`, () => messages({ async: true, context_management: shape() })),
    on("/mcp")(`arguments: ${name}`, () => calling("sandbox-tools__echo", shape())),
    on("/mcp/sandbox-tools")(`arguments: ${name}`, () => calling("echo", shape())),
    ...(["/v1/quote", "/v1/messages/count_tokens", "/v1/responses/input_tokens", "/v1/responses/compact"] as const).map(
      (path) =>
        on(path)(`body: ${name}`, () =>
          JSON.stringify({ model: "sandbox-text", body: shape(), input: shape(), messages: shape() })
        )
    )
  ]),
  ...(["/v1/messages", "/v1/responses", "/v1/chat/completions"] as const).map((endpoint) =>
    on("/v1/quote")(`many messages of ${endpoint}`, () =>
      JSON.stringify({
        endpoint,
        body: {
          model: "sandbox-text",
          max_tokens: 1_000,
          [endpoint === "/v1/responses" ? "input" : "messages"]: many(40_000, () => ({ role: "user", content: "x" }))
        }
      })
    )
  ),
  on("/v1/messages/count_tokens")("40,000 messages", () =>
    JSON.stringify({ model: "sandbox-text", messages: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  on("/v1/responses/input_tokens")("40,000 items", () =>
    JSON.stringify({ model: "sandbox-text", input: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  on("/v1/responses/compact")("40,000 items to be made short", () =>
    JSON.stringify({ model: "sandbox-text", input: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  on("/v1/responses/compact")("40,000 items to be made short by an upstream", () =>
    JSON.stringify({ model: "behind-responses", input: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  on("/v1/responses/compact")("a text to be made short by an upstream", () =>
    JSON.stringify({ model: "behind-responses", input: "word ".repeat(6 * mega) })
  ),
  onMessages("70,000 messages", () =>
    messages({ messages: many(70_000, (index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: "x" })) })
  ),
  onMessages("70,000 messages of one side", () =>
    messages({ messages: many(70_000, () => ({ role: "user", content: "x" })) })
  ),
  onMessages("40,000 messages kept for later", () =>
    messages({ async: true, messages: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  onResponses("25,000 calls and their results", () =>
    responses({
      input: many(12_500, (index) => [
        { type: "function_call", call_id: `c${index}`, name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: `c${index}`, output: "x" }
      ]).flat()
    })
  ),
  onMessages("12,000 tool uses and their results", () => messages(toolUses(12_000, () => []))),
  onMessages("9,000 results with words between them, translated", () =>
    messages(
      toolUses(9_000, () => [{ type: "text", text: "x" }]),
      "behind-chat"
    )
  ),
  onMessages("7,000 turns of tools, translated", () => messages({ messages: toolTurns(7_000) }, "behind-chat")),
  onMessages("25,000 tools", () =>
    messages({ tools: many(25_000, (index) => ({ name: `get_a${index}`, input_schema: {} })), ...saying("get get") })
  ),
  onMessages("16,000 searches with a time zone", () =>
    messages({
      tools: many(16_000, () => ({
        type: "web_search_20250305",
        name: "web_search",
        user_location: { type: "approximate", timezone: "Europe/Berlin" }
      }))
    })
  ),
  onResponses(
    "10,000 allowed of 10,000 tools of a namespace",
    () =>
      responses({
        tools: [{ type: "namespace", name: "n", description: "", tools: functions(10_000) }],
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: many(10_000, (index) => ({ type: "function", name: `get_a${index}` }))
        }
      }),
    isShort
  ),
  onResponses("14,000 allowed of 14,000 tools", () =>
    responses({
      tools: functions(14_000),
      tool_choice: {
        type: "allowed_tools",
        mode: "required",
        tools: many(14_000, (index) => ({ type: "function", name: `get_a${13_999 - index}` }))
      }
    })
  ),
  onResponses("40,000 searches behind 10,000 tools", () =>
    responses({ tools: [...functions(10_000), ...many(40_000, () => ({ type: "web_search" }))] })
  ),
  onMessages("10,000 images", () => messages({ messages: [{ role: "user", content: many(10_000, () => image) }] })),
  onMessages("1,000 stop sequences", () =>
    messages({ stop_sequences: many(1_000, (index) => `${"a".repeat(500)}${index}`), ...saying("a".repeat(mega)) })
  ),
  onResponses("a text of 30 MB", () => responses({ input: "word ".repeat(6 * mega) })),
  onResponses("a model's name of 30 MB", () => responses({}, "a".repeat(30 * mega))),
  onMessages("a tool's name of 30 MB", () =>
    messages({ tools: [{ name: "a".repeat(30 * mega), input_schema: {} }], tool_choice: { type: "tool", name: "b" } })
  )
]

const functions = (count: number) => many(count, (index) => ({ type: "function", name: `get_a${index}` }))

/** So many calls in one turn, and after each result whatever is said. */
const toolUses = (count: number, saidAfter: () => ReadonlyArray<object>) => ({
  messages: [
    {
      role: "assistant",
      content: many(count, (index) => ({ type: "tool_use", id: `t${index}`, name: "f", input: {} }))
    },
    {
      role: "user",
      content: many(count, (index) => [
        { type: "tool_result", tool_use_id: `t${index}`, content: "x" },
        ...saidAfter()
      ]).flat()
    }
  ]
})

const toolTurns = (count: number) =>
  many(count, (index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "f", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `t${index}`, content: "x" },
        { type: "text", text: "go on" }
      ]
    }
  ]).flat()
