import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { pixel } from "../../upstreams/conversations.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { chatClientNames, chatClients } from "./chatClients.ts"
import type { Ask, Client } from "./chatClients.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({
    yaml: (urls) => {
      const { models: usual, upstreams } = JSON.parse(usualYaml(urls))
      // A route that is told to wait is left alone for a while.
      const limited = protocols.map((protocol) => [
        `limited-${protocol}`,
        { routes: [{ upstream: `up-${protocol}`, model: "limited" }] }
      ])
      return JSON.stringify({ upstreams, models: { ...usual, ...Object.fromEntries(limited) } })
    }
  })
})
afterAll(() => world.dispose())

const call = (city: string) => ({ name: "get_weather", input: { city } })

/** The error, returned or thrown. */
const broken = async (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    (answer) => Promise.reject(new Error(`nothing broke: ${JSON.stringify(answer)}`)),
    (error: unknown) => error
  )

describe.each(chatClientNames)("%s", (name) => {
  let client: Client
  beforeAll(() => {
    client = chatClients[name](world.gateway)
  })

  describe.each(protocols)("to %s", (protocol) => {
    const model = models[protocol]

    describe.each([false, true])("stream: %s", (stream) => {
      const play = (scenario: string, over: Partial<Ask> = {}) =>
        client.ask({ model, text: `play:${scenario}`, stream, ...over })

      it("reads text and what was used", async () => {
        const usage = { input: 20, cached: 5, output: 8 }
        expect(await play("text")).toEqual({ text: spoken.text, calls: [], usage })
      })

      it("reads tool calls in parallel", async () => {
        const { calls } = await play("parallel-tools", { tools: true })
        expect(calls).toEqual([call(spoken.city), call(spoken.other)])
        expect(JSON.stringify(world.asked(protocol).body)).toContain("get_weather")
      })

      it("shows an image", async () => {
        expect((await play("text", { image: true })).text).toBe(spoken.text)
        expect(JSON.stringify(world.asked(protocol).body)).toContain(pixel)
      })

      it.each([
        [400, model],
        [429, `limited-${protocol}`]
      ])("tells %i from other errors", async (status, model) => {
        expect(client.statusOf(await broken(play(`error-before status:${status}`, { model })))).toBe(status)
      })

      it("tells of an error in the middle", async () => {
        expect(String(await broken(play("error-after")))).toMatch(/upstream/)
      })
    })

    it("has its schema told", async () => {
      // The fake does not follow it.
      await client.place(model, "play:text").catch(() => {})
      expect(JSON.stringify(world.asked(protocol).body)).toContain('"additionalProperties":false')
    })

    it("tells the gateway's own refusals", async () => {
      expect(client.statusOf(await broken(client.ask({ model: "nobody", text: "Hi", stream: false })))).toBe(404)
      const other = chatClients[name]({ ...world.gateway, key: "wrong" })
      expect(other.statusOf(await broken(other.ask({ model, text: "Hi", stream: true })))).toBe(401)
    })
  })

  describe("to the sandbox", () => {
    const model = "sandbox-text"

    it.each([false, true])("reads text, calls and what was used (stream: %s)", async (stream) => {
      const { text, usage } = await client.ask({ model, text: "Hello!", stream })
      expect(text).toContain("Hello!")
      expect(usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number) })
      const { calls } = await client.ask({ model, text: "Call get_weather for Paris", stream, tools: true })
      expect(calls).toMatchObject([{ name: "get_weather", input: { city: expect.any(String) } }])
      expect((await client.ask({ model, text: "What is this?", stream, image: true })).text).toMatch(/image/i)
    })

    it("reads an object of its schema", async () => {
      expect(await client.place(model, "Where is the tower?")).toEqual({ city: expect.any(String) })
    })
  })
})
