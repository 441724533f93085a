import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

/** `docs/performance.md` has the figures of 200 conversations of 20 turns. */
const conversations = Number(process.env["AFFINITY_CONVERSATIONS"] ?? 24)
const turns = Number(process.env["AFFINITY_TURNS"] ?? 6)
const words = 500

/** Prompts that a server has in its cache, each for the organisation of its key. */
const caching = () => {
  const seen = new Set<string>()
  return ({ body, headers }: Asked): Response => {
    const messages: ReadonlyArray<{ content: string }> = body.messages
    const key = headers["authorization"] ?? ""
    let cached = 0
    let prefix = key
    for (const { content } of messages) {
      prefix = Bun.hash(prefix + content).toString()
      if (seen.has(prefix)) cached += words
      seen.add(prefix)
    }
    const usage = {
      prompt_tokens: messages.length * words,
      completion_tokens: 1,
      total_tokens: messages.length * words + 1,
      prompt_tokens_details: { cached_tokens: cached }
    }
    const message = { role: "assistant", content: "yes" }
    const choices = [{ index: 0, message, finish_reason: "stop" }]
    return Response.json({ id: "c", object: "chat.completion", created: 1, model: body.model, choices, usage })
  }
}
const fakes = [0, 1, 2].map(() => fakeUpstream("openai-chat", { answer: caching() }))

let nodes: ReadonlyArray<GatewayHere>
beforeAll(async () => {
  const names = fakes.map((_, index) => `up${index}`)
  const keys = Array.from({ length: 4 }, (_, index) => `sk-key-${index}-0123456789-0123456789`)
  const config = {
    upstreams: Object.fromEntries(
      fakes.map(({ url }, index) => [names[index], { protocol: "openai-chat", base_url: `${url}/v1`, keys }])
    ),
    models: { m: { routes: names.map((upstream) => ({ upstream, weight: 1 })) } }
  }
  nodes = await Promise.all(
    [0, 1].map(() => {
      const folder = mkdtempSync(join(tmpdir(), "gateway-affinity-"))
      writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
      return startGateway({ folder, env: { GATEWAY_SECRET: "s".repeat(40) } })
    })
  )
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.dispose()))
  await Promise.all(fakes.map((fake) => fake.stop()))
})

/** The share of the input that came from caches, of conversations whose turns go to the nodes in turn. */
const cachedShare = async (name: string, isKnown: boolean): Promise<number> => {
  let [all, cached] = [0, 0]
  const run = async (conversation: number) => {
    const messages: Array<object> = []
    for (let turn = 0; turn < turns; turn++) {
      const node = nodes[(conversation + turn) % nodes.length]
      if (node === undefined) return
      messages.push({ role: "user", content: `${name} ${conversation}, turn ${turn}` })
      const unknown = isKnown ? {} : { prompt_cache_key: `${conversation} ${turn}` }
      const response = await request(node, "/v1/chat/completions", { body: { model: "m", messages, ...unknown } })
      const { choices, usage } = await response.json()
      messages.push(choices[0].message)
      all += usage.prompt_tokens
      cached += usage.prompt_tokens_details?.cached_tokens ?? 0
    }
  }
  await Promise.all(Array.from({ length: conversations }, (_, index) => run(index)))
  return cached / all
}

it("a conversation finds its prompt in the cache, on two nodes, three routes and four keys", async () => {
  const [stays, moves] = [await cachedShare("stays", true), await cachedShare("moves", false)]
  if (process.env["AFFINITY_TURNS"] !== undefined) console.log({ stays, moves })
  // All but each turn's own message, and the answer before it.
  const most = turns * turns
  const own = 2 * turns - 1
  expect(stays).toBeCloseTo((most - own) / most, 5)
  expect(moves).toBeLessThan(stays / 2)
})
