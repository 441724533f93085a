import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const callsAt: Array<number> = []
const limited = fakeUpstream("openai-chat", {
  answer: () => Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "1" } })
})
const failing = fakeUpstream("openai-chat", {
  answer: () => {
    callsAt.push(performance.now())
    return Response.json({ error: { message: "no" } }, { status: 503 })
  }
})
const well = fakeUpstream("openai-chat")
let gateway: GatewayHere

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-limited-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(
        Object.entries({ limited, failing, well }).map(([name, { url }]) => [
          name,
          { protocol: "openai-chat", base_url: `${url}/v1` }
        ])
      ),
      models: {
        alone: { routes: [{ upstream: "well" }] },
        both: { routes: [{ upstream: "limited" }, { upstream: "well" }] },
        failing: { routes: [{ upstream: "failing" }] }
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([limited.stop(), failing.stop(), well.stop()])
})

const ask = (model: string) =>
  request(gateway, "/v1/chat/completions", { body: { model, messages: [{ role: "user", content: "hi" }] } })

/** How long a request takes, in ms. */
const timeOf = async (model: string) => {
  const begun = performance.now()
  const answer = await ask(model)
  await answer.text()
  expect(answer.status).toBe(200)
  return performance.now() - begun
}

const median = (times: ReadonlyArray<number>) => times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0

describe("a route that is limited or fails", () => {
  it("costs the requests that the next route answers less than 50 ms, and is asked again only when it said", async () => {
    const begun = performance.now()
    const more: Array<number> = []
    // By turns, so that a machine that is busy for a while slows both alike.
    for (let i = 0; i < 100; i++) more.push((await timeOf("both")) - (await timeOf("alone")))
    expect(median(more)).toBeLessThan(50)
    expect(limited.asked.length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1_000)
  })

  it("is asked no more often than its back-off says, if it is the only one", async () => {
    // Three tries, 0.2 and 0.4 s apart with a jitter of a fifth; then it rests.
    expect((await ask("failing")).status).toBe(500)
    expect(callsAt).toHaveLength(3)
    const [first = 0, second = 0, third = 0] = callsAt
    expect(second - first).toBeGreaterThanOrEqual(155)
    expect(third - second).toBeGreaterThanOrEqual(315)
    // The circuit opens at ten failed calls, for 5 s.
    for (let i = 0; i < 30; i++) expect((await ask("failing")).status).toBe(500)
    expect(callsAt.length).toBeLessThanOrEqual(12)
  })
})
