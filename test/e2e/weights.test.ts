import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const secret = "weights-secret-0123456789-0123456789"

describe("routes that share their model's work", () => {
  let down: string | undefined
  const fakes = ["a", "b", "c"].map((name) => ({
    name,
    fake: fakeUpstream("openai-chat", {
      answer: () => (down === name ? Response.json({ error: { message: "busy" } }, { status: 503 }) : undefined)
    })
  }))
  let gateways: ReadonlyArray<GatewayHere>
  beforeAll(async () => {
    const folder = () => {
      const made = mkdtempSync(join(tmpdir(), "gateway-weights-"))
      const upstreams = fakes.map(({ fake, name }) => [name, { protocol: "openai-chat", base_url: `${fake.url}/v1` }])
      const routes = fakes.map(({ name }) => ({ upstream: name, model: "m", weight: 1 }))
      const config = {
        upstreams: Object.fromEntries(upstreams),
        models: { shared: { routes } },
        keys: [{ name: "k", secret }]
      }
      writeFileSync(join(made, "gateway.yaml"), JSON.stringify(config))
      return made
    }
    gateways = await Promise.all([startGateway({ folder: folder() }), startGateway({ folder: folder() })])
  })
  afterAll(() => Promise.all([...gateways.map((one) => one.dispose()), ...fakes.map(({ fake }) => fake.stop())]))

  /** The upstream of a conversation's turn, through either family. */
  const upstreamOf = async (node: number, conversation: number, turn: number): Promise<string | null> => {
    const messages = Array.from({ length: 2 * turn + 1 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: index === 0 ? `conversation ${conversation}` : `words ${index}`
    }))
    const gateway = gateways[node]
    if (gateway === undefined) throw new Error("no such node")
    const response = await request(gateway, turn % 2 === 0 ? "/v1/chat/completions" : "/v1/messages", {
      key: secret,
      body: { model: "shared", max_tokens: 50, messages }
    })
    expect(response.status).toBe(200)
    return response.headers.get("x-gateway-upstream")
  }

  const all = Array.from({ length: 60 }, (_, conversation) => conversation)
  const places = (node: number, turn: number) => Promise.all(all.map((one) => upstreamOf(node, one, turn)))

  it("keep a conversation at its upstream, in each turn and on each node", async () => {
    const first = await places(0, 0)
    expect(new Set(first)).toEqual(new Set(["a", "b", "c"]))
    for (const [node, turn] of [
      [0, 1],
      [1, 2],
      [1, 3]
    ] as const) {
      expect(await places(node, turn)).toEqual(first)
    }
  })

  it("spread the conversations of one that fails, and no others", async () => {
    const before = await places(0, 0)
    down = "b"
    const during = await places(0, 1)
    down = undefined
    expect(during).not.toContain("b")
    expect(during.filter((place, index) => before[index] !== "b" && place !== before[index])).toEqual([])
    expect(new Set(during.filter((_, index) => before[index] === "b")).size).toBe(2)
  })
})
