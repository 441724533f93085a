import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const upstream = fakeUpstream("openai-chat")
const started: Array<GatewayProcess> = []
afterEach(async () => {
  upstream.asked.length = 0
  for (const gateway of started.splice(0)) await gateway.dispose()
})
afterAll(() => upstream.stop())

/** A gateway that warms up, with an upstream that is there. */
const start = async (env: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-warming-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  there: { protocol: openai-chat, base_url: "${upstream.url}/v1" }
  elsewhere: { protocol: anthropic-messages, base_url: "${upstream.url}" }
  somewhere: { protocol: openai-responses, base_url: "${upstream.url}/v1" }
models: { house: { routes: [{ upstream: there }], price: { input: 1, output: 1 } } }
`
  )
  const gateway = await startGateway({ folder, env: { GATEWAY_WARM_UP: "true", GATEWAY_METRICS: "true", ...env } })
  started.push(gateway)
  return gateway
}

const readiness = async ({ url }: GatewayProcess) => {
  const answer = await fetch(`${url}/readyz`)
  return `${answer.status} ${await answer.text()}`
}

const ask = async ({ key, url }: GatewayProcess) => {
  const answer = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "house", max_tokens: 50, messages: [{ role: "user", content: "play:text" }] })
  })
  await answer.text()
  return answer.status
}

describe("a gateway that warms up", () => {
  it("is ready when it has, serves meanwhile, and nobody finds anything of it", async () => {
    const gateway = await start({ GATEWAY_LOG: "debug" })
    const [before, status] = await Promise.all([readiness(gateway), ask(gateway)])
    expect([before, status]).toEqual([expect.stringMatching(/^503 .*warming up/), 200])
    await expect.poll(() => readiness(gateway), { timeout: 20_000 }).toMatch(/^200/)
    expect(await ask(gateway)).toBe(200)

    expect(gateway.output()).toMatch(/warmed up: \d{2,3} requests in /)
    expect(upstream.asked).toHaveLength(2)
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics.match(/gateway_requests_total\{.*\/v1\/(?:messages|chat|responses).*/g)).toEqual([
      'gateway_requests_total{route="POST /v1/messages",status="200"} 2'
    ])
    const database = new Database(join(gateway.folder, "data/gateway.db"), { readonly: true })
    try {
      const count = (table: string) => database.query(`SELECT count(*) AS n FROM ${table}`).get()
      await expect.poll(() => count("usage"), { timeout: 5_000 }).toEqual({ n: 2 })
      await expect.poll(() => count("requests"), { timeout: 5_000 }).toEqual({ n: 2 })
      expect(count("keys")).toEqual({ n: 1 })
      expect(count("responses")).toEqual({ n: 0 })
    } finally {
      database.close()
    }
    await expect.poll(() => gateway.output().match(/"event":"request".*"path":"\/v1\/.*/g)).toHaveLength(2)
    expect(gateway.output()).not.toMatch(/"level":"(?:warn|error)"/)
  })

  it("ends at once when it is told to meanwhile", async () => {
    const gateway = await start()
    expect(await readiness(gateway)).toMatch(/^503/)
    const told = performance.now()
    gateway.signal("SIGTERM")
    expect(await gateway.exited).toBe(0)
    expect(performance.now() - told).toBeLessThan(5_000)
    expect(gateway.output()).not.toMatch(/not warmed up/)
  })

  it("is ready at once where nobody wants that", async () => {
    expect(await readiness(await start({ GATEWAY_WARM_UP: "false" }))).toMatch(/^200/)
  })
})
