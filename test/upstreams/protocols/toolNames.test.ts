import { expect, it } from "@effect/vitest"
import { outcome, streamed } from "../events.ts"
import { chat, delta, finish } from "./chatFrames.ts"

const tool = (name: string) => ({
  type: "function" as const,
  name,
  description: undefined,
  parameters: {},
  strict: undefined
})
const piece = (entry: object, name: string) => delta({ tool_calls: [{ ...entry, function: { name } }] })
const asked = { tools: [tool("get"), tool("get_city"), tool("go")] }
const names = (frames: Parameters<typeof streamed>[1]) =>
  outcome(streamed(chat, [...frames, finish("tool_calls")], { asked })).items.map(({ name }) => name)

it("a call of a tool in the request is told with its first piece, unless another tool's name goes on from there", () => {
  const startsOf = (name: string) =>
    streamed(chat, [piece({ index: 0, id: "a" }, name), delta({ content: "." })], { asked })
      .map(({ type }) => type)
      .slice(0, 3)
  expect(startsOf("go")).toEqual(["started", "tool-call-start", "text-delta"])
  expect(startsOf("get")).toEqual(["started", "text-delta", "tool-call-start"])
})

it("fragments of a name are one call, and names of two tools are two", () => {
  expect(names([piece({ index: 0, id: "a" }, "get"), piece({ index: 0 }, "_city")])).toEqual(["get_city"])
  expect(names([piece({}, "get_city"), piece({}, "go")])).toEqual(["get_city", "go"])
  expect(names([piece({ index: 0 }, "go"), piece({ index: 0 }, "go")])).toEqual(["go"])
})
