import {
  chat,
  completions,
  embeddings,
  isShort,
  many,
  mega,
  moderation,
  on,
  onChat,
  onCompletions,
  onEmbeddings,
  onModerations,
  saying,
  shapes,
  texts
} from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"
import { narrowFamilies, usualRequest } from "../../families.ts"
import { oneLetter } from "./upstream.ts"

const functions = (count: number) =>
  many(count, (index) => ({ type: "function", function: { name: `get_a${index}`, parameters: {} } }))
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })

const image = (size: number) => ({
  messages: [
    {
      role: "user",
      content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(size)}` } }]
    }
  ]
})

/** Those that an answer of one letter nearly holds, everywhere. */
const stops: ReadonlyArray<readonly [string, () => ReadonlyArray<string>]> = [
  ["1,024 of up to 64", () => many(1_024, (index) => `${"a".repeat(index % 63)}${String.fromCharCode(200 + index)}`)],
  ["one of 65,000", () => [`${"a".repeat(64_999)}b`]],
  ["one of 60,000, and 1,000 more", () => [`${"a".repeat(60_000)}b`, ...many(1_000, (index) => `x${index}`)]],
  ["three, of 20,000 and their halves", () => many(3, (index) => `${"a".repeat(20_000 >> index)}b`)],
  ["1,000 of 1 MB", () => many(1_000, (index) => `${"a".repeat(500 + index)}b`)],
  ["one of 20 MB", () => ["a".repeat(20 * mega)]]
]

/** What chat completions, embeddings, rerank, moderations and images may be sent. */
export const chats: ReadonlyArray<Hostile> = [
  ...texts.flatMap(([name, text]) => [
    onChat(`text: ${name}`, () => chat(saying(text()))),
    onChat(`text, streamed, translated: ${name}`, () => chat({ ...saying(text()), stream: true }, "behind-messages")),
    onCompletions(`prompt: ${name}`, () => completions(text())),
    onCompletions(`prompt, streamed, translated: ${name}`, () =>
      completions(text(), { model: "behind-messages", stream: true })
    ),
    onEmbeddings(`text, passed through: ${name}`, () => embeddings(text()))
  ]),
  ...narrowFamilies.flatMap((family) => {
    const onUsual = on(usualRequest(family).path)
    const body = (said: unknown, more: object = {}) => JSON.stringify({ ...usualRequest(family, said).body, ...more })
    return [
      ...texts.map(([name, text]) => onUsual(`text: ${name}`, () => body(text()))),
      ...shapes.flatMap(([name, shape]) => [
        onUsual(`instead of a text: ${name}`, () => body(shape())),
        onUsual(`unknown field: ${name}`, () => body("a fox", { unheard_of: shape() }))
      ])
    ]
  }),
  ...shapes.flatMap(([name, shape]) => [
    onChat(`messages: ${name}`, () => chat({ messages: shape() })),
    onChat(`metadata: ${name}`, () => chat({ metadata: shape() })),
    onChat(`bias: ${name}`, () => chat({ logit_bias: shape() })),
    onChat(`schema: ${name}`, () =>
      chat({
        response_format: {
          type: "json_schema",
          json_schema: { name: "s", schema: { type: "object", properties: shape() } }
        }
      })
    ),
    onChat(`passed through: ${name}`, () => chat({ unheard_of: shape() }, "behind-chat")),
    onCompletions(`prompt: ${name}`, () => completions(shape())),
    onCompletions(`passed through: ${name}`, () => completions("x", { model: "behind-chat", unheard_of: shape() })),
    onEmbeddings(`input: ${name}`, () => embeddings(shape())),
    onEmbeddings(`passed through: ${name}`, () => embeddings("x", { unheard_of: shape() }))
  ]),
  onChat("40,000 messages", () => chat({ messages: many(40_000, () => ({ role: "user", content: "x" })) }), isShort),
  onChat("40,000 messages, translated", () =>
    chat({ messages: many(40_000, () => ({ role: "user", content: "x" })) }, "behind-messages")
  ),
  onChat("16 answers to 40,000 messages", () =>
    chat({ n: 16, messages: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  onChat("16 answers to 8 MB", () => chat({ n: 16, ...saying("word ".repeat(1_600_000)) })),
  onChat("16 answers to 8 MB, translated", () =>
    chat({ n: 16, ...saying("word ".repeat(1_600_000)) }, "behind-messages")
  ),
  onChat("16 answers to an image of 20 MB, translated", () => chat({ n: 16, ...image(20 * mega) }, "behind-messages")),
  onChat(
    "40,000 messages behind a call with an id of 1 MB",
    () =>
      chat({
        messages: [
          { role: "assistant", tool_calls: [call("a".repeat(mega))] },
          ...many(40_000, () => ({ role: "user", content: "x" }))
        ]
      }),
    isShort
  ),
  onChat("10,000 calls and their results", () =>
    chat({
      messages: many(10_000, (index) => [
        { role: "assistant", tool_calls: [call(`c${index}`)] },
        { role: "tool", tool_call_id: `c${index}`, content: "x" }
      ]).flat()
    })
  ),
  onChat("16,000 calls of the older form and their results", () =>
    chat({
      messages: [
        ...many(16_000, () => ({ role: "assistant", function_call: { name: "f", arguments: "{}" } })),
        ...many(16_000, () => ({ role: "function", name: "f", content: "x" }))
      ]
    })
  ),
  onChat(
    "90,000 pieces of reasoning",
    () =>
      chat({
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "assistant",
            content: "x",
            reasoning_details: many(90_000, () => ({ format: "model-gateway:sandbox-text" }))
          },
          { role: "user", content: "Hi" }
        ]
      }),
    isShort
  ),
  onChat(
    "16,000 allowed of 16,000 tools",
    () =>
      chat({
        tools: functions(16_000),
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "required",
            tools: many(16_000, (index) => ({ type: "function", function: { name: `get_a${15_999 - index}` } }))
          }
        }
      }),
    isShort
  ),
  onChat(
    "20,000 tools with names longer than upstreams take, translated",
    () =>
      chat(
        {
          tools: many(20_000, (index) => ({
            type: "function",
            function: { name: `${"a".repeat(100)}${index}` }
          }))
        },
        "behind-messages"
      ),
    isShort
  ),
  onChat("25,000 functions", () =>
    chat({ functions: many(25_000, (index) => ({ name: `get_a${index}` })), ...saying("get get") })
  ),
  onChat("a thousand long stop sequences", () =>
    chat({ stop: many(1_000, (index) => `${"a".repeat(500)}${index}`), ...saying("a".repeat(mega)) })
  ),
  ...stops.map(([name, stop]) =>
    onChat(`stop sequences that the gateway looks for: ${name}`, () => chat({ stop: stop() }, "behind-responses"), {
      ...isShort,
      answerBytes: oneLetter.length
    })
  ),
  onChat("a 30 MB data: image", () => chat(image(30 * mega))),
  onEmbeddings("2,048 texts of 14 KB", () => embeddings(many(2_048, () => "word ".repeat(2_800))), isShort),
  onEmbeddings("2,048 texts of 14 KB, all different", () =>
    embeddings(many(2_048, (index) => `${index} the quick brown Fox'll jump, `.repeat(400)))
  ),
  onEmbeddings("2,048 texts of one word", () => embeddings(many(2_048, () => "a".repeat(8_000)))),
  onCompletions("32 prompts of 1 MB", () => completions(many(32, () => "word ".repeat(200_000)))),
  onCompletions("2,048 prompts of 128 answers", () =>
    completions(
      many(2_048, () => "word"),
      { n: 128 }
    )
  ),
  onCompletions("290,000 tokens", () =>
    completions(
      many(290_000, () => 1),
      { model: "behind-chat" }
    )
  ),
  onModerations("2,048 texts of 14 KB", () => moderation(many(2_048, () => "word ".repeat(2_800)))),
  onModerations("2,048 texts of 100 directives", () =>
    moderation(many(2_048, () => "[[sandbox: flag=hate]]".repeat(100)))
  ),
  onEmbeddings("290,000 tokens", () => embeddings(many(290_000, () => 1))),
  onEmbeddings("2,048 inputs of 140 tokens", () => embeddings(many(2_048, () => many(140, () => 1)))),
  onEmbeddings("a text of 30 MB", () => embeddings("word ".repeat(6 * mega)))
]
