import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { FileUnread } from "../../../src/guard/CallerFiles.ts"
import type { CallerFile, CallerFiles } from "../../../src/guard/CallerFiles.ts"
import { AccountId } from "../../../src/contract/callers/Caller.ts"
import { bytesAlone, inlineFiles } from "../../../src/upstreams/files/inlineFiles.ts"
import { inConversation } from "../../../src/upstreams/files/inConversation.ts"
import { inlined as inMessages } from "../../../src/upstreams/protocols/anthropicMessages/inlined.ts"
import { inlined as inChat } from "../../../src/upstreams/protocols/openaiChat/inlined.ts"
import { conversation, pixel } from "../conversations.ts"

const png: CallerFile = { mediaType: "image/png", data: pixel }
const gif: CallerFile = { mediaType: "image/gif", data: "R0lGOD" }
const pdf: CallerFile = { mediaType: "application/pdf", data: "JVBERi" }
const there: Readonly<Record<string, CallerFile>> = {
  "https://a.test/a.png": png,
  "https://a.test/a.gif": gif,
  "https://a.test/a.pdf": pdf
}

const files: CallerFiles = {
  read: (_of, addresses) =>
    Effect.forEach(new Set(addresses), (address) => {
      const file = there[address]
      return file === undefined
        ? new FileUnread({ address, reason: "connection refused", isOurs: address.includes("proxy") })
        : Effect.succeed([address, file] as const)
    }).pipe(Effect.map((found) => new Map(found))),
  forget: () => {}
}

const serves = (body: JsonObject) => ({ serves: { caller: { account: AccountId.make("a") }, request: { body } } })
const at = (name: string) => ({ type: "url", url: `https://a.test/${name}` })
const inlinedBody = (body: JsonObject, inlined = inMessages, fetches = bytesAlone) =>
  inlineFiles(body, inlined, fetches, files, serves(body))

describe("files in the place of their addresses", () => {
  it.effect("stand in each block that may have one, and the rest stays the same", () =>
    Effect.gen(function* () {
      const text = { role: "user", content: [{ type: "text", text: "https://a.test/a.png" }] }
      const content = [
        { type: "image", source: at("a.png"), cache_control: { type: "ephemeral" } },
        { type: "document", source: at("a.pdf"), title: "a" },
        { type: "file", source: { ...at("a.gif"), media_type: "image/gif" } },
        { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: at("a.png") }] },
        { type: "document", source: { type: "content", content: [{ type: "image", source: at("a.png") }] } }
      ]
      const body = { model: "m", messages: [text, { role: "user", content }] }
      const changed = (yield* inlinedBody(body) ?? Effect.die("no address")) as typeof body
      const source = ({ data, mediaType }: CallerFile) => ({ type: "base64", media_type: mediaType, data })
      expect(changed.messages[0]).toBe(text)
      expect(changed.messages[1]?.content).toEqual([
        { type: "image", source: source(png), cache_control: { type: "ephemeral" } },
        { type: "document", source: source(pdf), title: "a" },
        { type: "file", source: source(gif) },
        { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: source(png) }] },
        { type: "document", source: { type: "content", content: [{ type: "image", source: source(png) }] } }
      ])
      const parts = [{ type: "image_url", image_url: { url: "https://a.test/a.png", detail: "low" } }]
      const asked = { messages: [{ role: "user", content: parts }] }
      expect(yield* inlinedBody(asked, inChat) ?? Effect.die("no address")).toEqual({
        messages: [
          {
            role: "user",
            content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${pixel}`, detail: "low" } }]
          }
        ]
      })
    })
  )

  it("are not looked for in a request without addresses", () => {
    const source = { type: "base64", media_type: "image/png", data: pixel }
    expect(inlinedBody({ messages: [{ role: "user", content: [{ type: "image", source }] }] })).toBe(undefined)
    const url = `data:image/png;base64,${pixel}`
    const parts = [{ type: "image_url", image_url: { url } }]
    expect(
      inlinedBody(
        {
          messages: [
            { role: "user", content: parts },
            { role: "user", content: url }
          ]
        },
        inChat
      )
    ).toBe(undefined)
  })

  it.effect("are of a type that the place takes, and a refusal names the field", () =>
    Effect.gen(function* () {
      const refusal = (name: string, type: string, image = bytesAlone.image) => {
        const body = { messages: [{ role: "user", content: [{ type: "text" }, { type, source: at(name) }] }] }
        return Effect.flip(inlinedBody(body, inMessages, { ...bytesAlone, image }) ?? Effect.die("no address"))
      }
      const param = "messages[0].content[1].source.url"
      expect(yield* refusal("a.pdf", "image")).toMatchObject({ _tag: "InvalidRequest", param })
      expect(yield* refusal("a.png", "document")).toMatchObject({
        message: `${param}: expected a PDF at the address; got image/png`
      })
      expect(yield* refusal("a.gif", "image", /png/)).toMatchObject({
        message: `${param}: expected an image that the model's upstream reads at the address; got image/gif`
      })
      expect(yield* refusal("none", "image")).toMatchObject({ message: `${param}: connection refused` })
    })
  )

  it.effect("count wherever their address stands", () =>
    Effect.gen(function* () {
      const large: CallerFile = { mediaType: "image/png", data: "x".repeat(8 * 1_048_576) }
      const reading: CallerFiles = { ...files, read: () => Effect.succeed(new Map([[at("a.png").url, large]])) }
      const read = (times: number) => {
        const image = { type: "image", source: at("a.png") }
        const body = { messages: [{ role: "user", content: Array.from({ length: times }, () => image) }] }
        const running = inlineFiles(body, inMessages, bytesAlone, reading, serves(body))
        return running ?? Effect.die("no address")
      }
      expect(JSON.stringify(yield* read(4)).length).toBeGreaterThan(4 * large.data.length)
      expect(yield* Effect.flip(read(5))).toMatchObject({
        param: "messages[0].content[0].source.url",
        message: expect.stringContaining("each counted as often as its address is named")
      })
      expect((yield* Effect.flip(read(100_000)))._tag).toBe("InvalidRequest")
    })
  )

  it.effect("that the operator's proxy keeps away are a failure of an upstream, without its reason", () =>
    Effect.gen(function* () {
      const body = { messages: [{ role: "user", content: [{ type: "image", source: at("proxy") }] }] }
      const failed = yield* Effect.flip(inlinedBody(body) ?? Effect.die("no address"))
      expect(failed).toMatchObject({ _tag: "UpstreamFailed", message: expect.not.stringContaining("refused") })
    })
  )

  it.effect("of an earlier turn are named by the input", () =>
    Effect.gen(function* () {
      const image = { type: "image", source: { type: "url", url: "https://a.test/none" }, detail: "auto" } as const
      const asked = conversation({ items: [{ type: "message", role: "user", content: [image] }] })
      const body = { input: "And now?", previous_response_id: "resp_1" }
      const running = inlineFiles(asked, inConversation(bytesAlone), bytesAlone, files, serves(body))
      expect(yield* Effect.flip(running ?? Effect.die("no address"))).toMatchObject({ param: "input" })
      const left = inlineFiles(asked, inConversation({ document: bytesAlone.document }), {}, files, serves(body))
      expect(left).toBe(undefined)
    })
  )
})
