import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { pixel } from "../../upstreams/conversations.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { pdf } from "../../upstreams/sandbox/files.ts"
import { callers, families } from "./callers.ts"
import type { Ask, Caller } from "./callers.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, upstreamKey } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

const said = { type: "text", text: spoken.text }
const call = (city: string) => ({ type: "call", id: expect.stringMatching(/\w/), name: "get_weather", input: { city } })
const document = Buffer.from(pdf(["The plan is simple"])).toString("base64")

const native = { messages: "anthropic-messages", responses: "openai-responses" } as const

describe.each(families)("%s", (family) => {
  describe.each(protocols)("to %s", (protocol) => {
    const isNative = native[family] === protocol
    describe.each([false, true])("stream: %s", (stream) => {
      let caller: Caller
      beforeAll(() => {
        caller = callers[family](world)
      })
      const model = models[protocol]
      const play = (scenario: string, over: Partial<Ask> = {}) =>
        caller.ask({ model, text: `play:${scenario}`, stream, ...over })

      it("text, under the caller's model and the upstream's count of tokens", async () => {
        const answer = await play("text")
        expect(answer).toMatchObject({ items: [said], ended: "stop", model, input: 20, cached: 5, output: 8 })
        expect(answer.headers.get("x-gateway-upstream")).toBe(`up-${protocol}`)
        expect(answer.headers.get("x-gateway-adapted")).toBeNull()
        expect(world.asked(protocol).body.model).not.toBe(model)
        expect(JSON.stringify(world.asked(protocol).headers)).toContain(upstreamKey)
        expect(JSON.stringify(world.asked(protocol))).not.toContain(world.gateway.key)
      })

      it("a tool call", async () => {
        expect(await play("tools", { tools: true })).toMatchObject({ items: [call(spoken.city)], ended: "tools" })
      })

      it("parallel tool calls", async () => {
        const { items, ended } = await play("parallel-tools", { tools: true })
        expect(items).toEqual([call(spoken.city), call(spoken.other)])
        expect(items[0]?.["id"]).not.toBe(items[1]?.["id"])
        expect(ended).toBe("tools")
      })

      it("reasoning, with what replays it", async () => {
        const { items } = await play("reasoning", { thinks: true })
        expect(items).toEqual([
          { type: "reasoning", text: spoken.thought, opaque: expect.stringMatching(/.{8}/) },
          said
        ])
        if (isNative && family === "messages") expect(items[0]?.["opaque"]).toBe(spoken.signature)
      })

      it("web search with results and citations, or why there is none", async () => {
        const asking = play("search", { searches: true })
        if (protocol === "openai-chat") {
          await expect(asking).rejects.toMatchObject({ status: 400, message: expect.stringContaining("web search") })
          return
        }
        expect((await asking).items).toEqual([
          { type: "search", query: "hello" },
          { type: "found", urls: [spoken.url] },
          { ...said, cites: [spoken.url] }
        ])
      })

      it("an image", async () => {
        expect((await play("text", { image: pixel })).items).toEqual([said])
        expect(JSON.stringify(world.asked(protocol).body)).toContain(pixel)
      })

      it("a document, as itself or as its text", async () => {
        const answer = await play("text", { document })
        expect(answer.items).toEqual([said])
        const sent = JSON.stringify(world.asked(protocol).body)
        const extracts = protocol === "openai-chat"
        expect(sent).toContain(extracts ? "The plan is simple" : document)
        expect(sent).toContain("plan.pdf")
        expect(answer.headers.get("x-gateway-adapted")).toBe(extracts ? "document" : null)
      })

      it("a refusal", async () => {
        expect(await play("refusal")).toMatchObject({
          items: [{ type: "refusal", text: spoken.refusal }],
          ended: "refusal"
        })
      })

      it("an answer cut by its bound", async () => {
        expect(await play("max-tokens")).toMatchObject({ items: [said], ended: "max" })
      })

      it("an error before the first byte, in the family's shape and the upstream's words", async () => {
        const { error } = await caller.broken({ model, text: "play:error-before", stream })
        expect(error).toMatchObject({ status: 400, message: expect.stringContaining("messages: too few of them") })
        expect(error).toMatchObject(
          family === "messages"
            ? { error: { type: "error", error: { type: "invalid_request_error" } } }
            : { code: "invalid_params", type: "invalid_request_error", param: isNative ? "input" : null }
        )
      })

      it("an error after the first byte, in-band, without the upstream's inner life", async () => {
        const { text, error } = await caller.broken({ model, text: "play:error-after", stream })
        expect(text).toBe(stream ? spoken.text : "")
        expect(String(error)).not.toContain("10.0.0.3")
        expect(String(error)).toMatch(/upstream/)
        if (!stream) expect(error).toMatchObject({ status: 500 })
      })
    })
  })
})
