import { afterAll, expect, it } from "vitest"
import { mayPauseMs } from "../guard/bodies/measure.ts"
import { keeps } from "./keeps.ts"
import { measuringProgram } from "./measuringProgram.ts"

const measuring = measuringProgram("http://127.0.0.1:9")
afterAll(() => measuring.dispose())

const MiB = 1_048_576
const times = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))
const messages = (messages: unknown, more: object = {}) =>
  ["/v1/messages", JSON.stringify({ model: "sandbox-text", max_tokens: 16, messages, ...more })] as const
const responses = (input: unknown, more: object = {}) =>
  ["/v1/responses", JSON.stringify({ model: "sandbox-text", max_output_tokens: 16, input, ...more })] as const
const unknownField = (json: string) =>
  ["/v1/messages", `{"model":"sandbox-text","max_tokens":16,"messages":"a","unknown":${json}}`] as const
const by = (index: number) => (index % 2 === 0 ? "user" : "assistant")
/** Different words, which a tokenizer can't remember. */
const words = (seed: number, count: number) =>
  times(count, (i) => ((seed * 7_919 + i * 104_729) % 65_536).toString(36)).join(" ")

const bodies: ReadonlyArray<readonly [string, () => readonly [string, string]]> = [
  [
    "16,000 messages",
    () => messages(times(16_000, (i) => ({ role: by(i), content: [{ type: "text", text: "x".repeat(60) }] })))
  ],
  [
    "49,000 tiny blocks",
    () => messages([{ role: "user", content: times(49_000, () => ({ type: "text", text: "a" })) }])
  ],
  [
    "49,000 tiny blocks and a bad one",
    () =>
      messages([
        { role: "user", content: [...times(49_000, () => ({ type: "text", text: "a" })), { type: "text", text: 1 }] }
      ])
  ],
  [
    "12,000 unanswered tool calls",
    () =>
      messages(
        times(12_000, (i) => ({
          role: "assistant",
          content: [{ type: "tool_use", id: `a${i}`, name: "f", input: {} }]
        }))
      )
  ],
  ["500 long texts", () => messages(times(500, (i) => ({ role: by(i), content: words(i, 8_000) })))],
  [
    "19,000 tools",
    () => messages("a", { tools: times(19_000, (i) => ({ name: `t${i}`, input_schema: { type: "object" } })) })
  ],
  ["1,024 stop sequences", () => messages("a b c ".repeat(1_000), { stop_sequences: times(1_024, (i) => `stop${i}`) })],
  ["31 MiB of one letter", () => messages("a".repeat(31 * MiB))],
  ["31 MiB of words", () => messages("the quick brown fox ".repeat((31 * MiB) / 20))],
  [
    "30 MiB of escapes",
    () => ["/v1/messages", `{"model":"sandbox-text","max_tokens":16,"messages":"${"\\n".repeat(15 * MiB)}"}`]
  ],
  [
    "30 MiB of escaped quotes",
    () => ["/v1/messages", `{"model":"sandbox-text","max_tokens":16,"messages":"${'\\"'.repeat(15 * MiB)}"}`]
  ],
  [
    "30 MiB of an image",
    () => {
      const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgoA".repeat((30 * MiB) / 12) }
      return messages([{ role: "user", content: [{ type: "image", source }] }])
    }
  ],
  ["30 MiB of numbers", () => unknownField(`[${"1,".repeat(15 * MiB)}1]`)],
  ["30 MiB of empty arrays", () => unknownField(`[${"[],".repeat(10 * MiB)}1]`)],
  ["19 MiB of deep arrays", () => unknownField(`[${times(200_000, () => "[".repeat(50) + "]".repeat(50)).join(",")}]`)],
  [
    "90,000 keys of one object",
    () => unknownField(JSON.stringify(Object.fromEntries(times(90_000, (i) => [`k${i}`, 1]))))
  ],
  ["24,000 items", () => responses(times(24_000, (i) => ({ role: by(i), content: "x" })))],
  [
    "16,000 calls and outputs",
    () =>
      responses(
        times(16_000, (i) =>
          i % 2 === 0
            ? { type: "function_call", call_id: `c${i}`, name: "f", arguments: "{}" }
            : { type: "function_call_output", call_id: `c${i - 1}`, output: "x" }
        )
      )
  ],
  [
    "400 long texts to be truncated",
    () =>
      responses(
        times(400, (i) => ({ role: by(i), content: words(i, 8_000) })),
        { truncation: "auto" }
      )
  ],
  [
    "19,000 function tools",
    () => responses("a", { tools: times(19_000, (i) => ({ type: "function", name: `t${i}` })) })
  ],
  [
    "a table of 20 MiB",
    () => {
      const file_data = `data:text/csv;base64,${btoa("a,b,c\n1,2,3\n".repeat(1_500_000))}`
      return responses([{ role: "user", content: [{ type: "input_file", filename: "a.csv", file_data }] }])
    }
  ]
]

it.each(bodies)("no body holds the event loop longer than 20 ms and 12 ms a MiB: %s", async (what, make) => {
  const [path, body] = make()
  const hostile = { name: what, path, body: () => body }
  const once = async () => {
    const { pauseMs, status } = await measuring.once(hostile, body)
    expect([200, 400]).toContain(status)
    return pauseMs
  }
  // The first few are interpreted; what an attacker repeats is compiled.
  await keeps(
    what,
    Math.round(mayPauseMs(hostile, body)),
    async () => Math.min(await once(), await once()),
    "processor"
  )
})
