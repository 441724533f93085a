import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { testKey } from "../../e2e/process.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

let gateway: GatewayHere
let passed = 0
/** An address that leads back to the gateway, as a load balancer's. */
const balancer = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    passed++
    return fetch(`${gateway.url}/mcp`, { method: "POST", headers: asked.headers, body: await asked.text() })
  }
})
const gate = Promise.withResolvers<void>()
const late = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (asked) => {
    const { id } = await asked.json()
    await gate.promise
    const tools = [{ name: "slow", inputSchema: { type: "object" } }]
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools } })
  }
})

const lateKey = "sk-late-0123456789abcdefgh"

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-mcp-"))
  const servers = {
    round: { url: `http://127.0.0.1:${balancer.port}/`, api_key: testKey },
    late: { url: `http://127.0.0.1:${late.port}/` },
    "sandbox-tools": { url: "sandbox" }
  }
  const keys = [{ name: "late", secret: lateKey, tools: ["late/*", "sandbox-tools/clock"] }]
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ mcp: { servers }, keys }))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  gate.resolve()
  await gateway.dispose()
  await Promise.all([balancer.stop(true), late.stop(true)])
})

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }

describe("a server that is the gateway itself", () => {
  it("is refused by it, by whatever address", async () => {
    const answer = await request(gateway, "/mcp/round", { body: list })
    expect((await answer.json()).error.message).toBe('The tools of "round" can\'t be listed: it answers 403.')
    expect(passed).toBe(1)
    expect(gateway.output()).toContain("a server of mcp.servers is this gateway itself")
  })
})

describe("a server that is late", () => {
  it("is left out of the list of all after 5 s, and is in the next one", { timeout: 20_000 }, async () => {
    const names = async () => {
      const answer = await request(gateway, "/mcp", { body: list, key: lateKey })
      return (await answer.json()).result.tools.map(({ name }: { readonly name: string }) => name)
    }
    expect(await names()).toEqual(["sandbox-tools__clock"])
    expect(gateway.output()).toContain("it did not answer within 5 s")
    gate.resolve()
    await expect.poll(names).toEqual(["late__slow", "sandbox-tools__clock"])
  })
})
