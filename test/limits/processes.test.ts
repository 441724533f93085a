import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway, testKey } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { startRedis, withoutRedis } from "./redisServer.ts"
import type { RedisServer } from "./redisServer.ts"
import { request } from "../request.ts"

/** An upstream that knows how many of its calls are under way, and answers each a moment later. */
const countingUpstream = () => {
  const seen = { running: 0, most: 0 }
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }]
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async () => {
      seen.running++
      seen.most = Math.max(seen.most, seen.running)
      await Bun.sleep(20)
      seen.running--
      return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices })
    }
  })
  return { server, seen }
}

/** Models that take sixty a minute, one for each try: what a disturbed one has used is gone for its minute. */
const sixties = Array.from({ length: 20 }, (_, at) => `sixty-${at}`)

describe.skipIf(withoutRedis("test/limits/processes.test.ts"))("three gateways with one Redis", () => {
  const upstream = countingUpstream()
  let redis: RedisServer
  let nodes: ReadonlyArray<GatewayProcess> = []
  beforeAll(async () => {
    redis = await startRedis()
    nodes = await Promise.all(
      [1, 2, 3].map(() => {
        const folder = mkdtempSync(join(tmpdir(), "gateway-limits-"))
        const place = `protocol: openai-chat, base_url: "http://127.0.0.1:${upstream.server.port}/v1"`
        writeFileSync(
          join(folder, "gateway.yaml"),
          `upstreams: { narrow: { ${place}, max_concurrency: 4 } }
models:
  narrow: narrow
${sixties.map((name) => `  ${name}: { routes: [{ upstream: sandbox, model: sandbox-text }], limits: { requests_per_minute: 60 } }\n`).join("")}`
        )
        return startGateway({ folder, env: { GATEWAY_REDIS_URL: redis.url } })
      })
    )
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()))
    await upstream.server.stop(true)
    await redis?.dispose()
  })

  const ask = async (node: GatewayProcess, model: string): Promise<number> => {
    const response = await request(node, "/v1/messages", {
      body: { model, max_tokens: 20, messages: [{ role: "user", content: "Hi" }] },
      key: testKey
    })
    await response.text()
    return response.status
  }
  const askAll = (count: number, model: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(nodes[index % 3] ?? missing(), model)))
  const limitsOf = async (node: GatewayProcess): Promise<string> =>
    ((await (await fetch(`${node.url}/readyz`)).json()) as { limits: string }).limits
  const minute = async () => Math.floor(Number(((await redis.client.send("TIME", [])) as [string])[0]) / 60)

  /** Tried again where a machine was so busy meanwhile that Redis took too long: then each counts by itself. */
  const undisturbed = async <A>(run: () => Promise<A>): Promise<A> => {
    for (;;) {
      await expect.poll(() => Promise.all(nodes.map(limitsOf))).toEqual(nodes.map(() => "redis"))
      const printed = nodes.map((node) => node.output().length)
      const found = await run()
      if (nodes.every((node, index) => !node.output().slice(printed[index]).includes("limits.redis_away"))) return found
    }
  }

  it("let sixty a minute through, and never more", async () => {
    let tries = 0
    const { minutes, statuses } = await undisturbed(async () => {
      const before = await minute()
      const statuses = await askAll(300, sixties[tries++] ?? missing())
      return { statuses, minutes: (await minute()) === before ? 1 : 2 }
    })
    const passed = statuses.filter((status) => status === 200).length
    expect(passed).toBeGreaterThanOrEqual(60)
    expect(passed).toBeLessThanOrEqual(60 * minutes)
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  })

  it("call an upstream as often at a time as it takes, all together", async () => {
    const most = await undisturbed(async () => {
      upstream.seen.most = 0
      expect((await askAll(60, "narrow")).filter((status) => status !== 200)).toEqual([])
      return upstream.seen.most
    })
    expect(most).toBeLessThanOrEqual(4)
  })

  it("count by themselves while Redis is away, which they say, and together once it is back", async () => {
    await redis.kill()
    // It happens without a request.
    await expect.poll(() => Promise.all(nodes.map(limitsOf))).toEqual(nodes.map(() => "process while redis is away"))
    for (const node of nodes) expect(node.output()).toContain('"event":"limits.redis_away"')
    upstream.seen.most = 0
    expect((await askAll(60, "narrow")).filter((status) => status !== 200)).toEqual([])
    expect(upstream.seen.most).toBeLessThanOrEqual(12)
    // Longer than its client's own patience with a server that is gone would be.
    await Bun.sleep(12_000)
    await redis.start()
    // It is found again without a request.
    await expect.poll(() => Promise.all(nodes.map(limitsOf))).toEqual(nodes.map(() => "redis"))
    const most = await undisturbed(async () => {
      upstream.seen.most = 0
      expect((await askAll(60, "narrow")).filter((status) => status !== 200)).toEqual([])
      return upstream.seen.most
    })
    expect(most).toBeLessThanOrEqual(4)
  })
})

const missing = (): never => {
  throw new Error("no such gateway")
}
