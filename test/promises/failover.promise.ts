import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { keeps } from "./keeps.ts"
import { percentile } from "./machine.ts"

const limited = fakeUpstream("openai-chat", {
  answer: () => Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "30" } })
})
const open = fakeUpstream("openai-chat")

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-failover-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  limited: { protocol: openai-chat, base_url: "${limited.url}/v1" }
  open: { protocol: openai-chat, base_url: "${open.url}/v1" }
models:
  one: { routes: [{ upstream: open }] }
  two: { routes: [{ upstream: limited }, { upstream: open }] }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([limited, open].map((fake) => fake.stop()))
})

const ask = async (model: string): Promise<number> => {
  const start = performance.now()
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "play:text" }] })
  })
  expect(response.status).toBe(200)
  await response.text()
  return performance.now() - start
}

it("a route that is limited costs less than 50 ms, 99 times of 100, and is asked twice a minute at most", () =>
  keeps("what a limited first route adds, p99", 50, async () => {
    await Promise.all([ask("one"), ask("two")])
    const [alone, behind]: [Array<number>, Array<number>] = [[], []]
    for (let n = 0; n < 200; n++) {
      alone.push(await ask("one"))
      behind.push(await ask("two"))
    }
    expect(limited.asked.length).toBeLessThanOrEqual(2)
    return percentile(0.99, behind) - percentile(0.99, alone)
  }))
