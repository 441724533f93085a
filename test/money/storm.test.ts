import { join } from "node:path"
import { HttpApi } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import type { SchemaAST } from "effect"
import { AdminApi } from "../../src/admin/Api.ts"
import { GatewayApi } from "../../src/Api.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { compared } from "./compared.ts"
import { everySum } from "./everySum.ts"
import { ledgerOf } from "./ledgerOf.ts"
import type { Paid } from "./ledgerOf.ts"
import { watchOverdrawn } from "./overdrawn.ts"
import { dollar, secretOf, startWorld, until } from "./world.ts"
import type { Ask, World } from "./world.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const accounts = ["one", "two"] as const

/** Whether an answer has money that was spent in it. */
const hasMoney = (ast: SchemaAST.AST, seen: Set<SchemaAST.AST> = new Set()): boolean => {
  if (seen.has(ast)) return false
  seen.add(ast)
  const inside = (one: SchemaAST.AST) => hasMoney(one, seen)
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.some(
        ({ name, type }) => /^(upstream_)?cost(_usd)?$|^settled$|^spent$/.test(String(name)) || inside(type)
      )
    case "TupleType":
      return [...ast.elements, ...ast.rest].some(({ type }) => inside(type))
    case "Union":
      return ast.types.some(inside)
    case "Suspend":
      return inside(ast.f())
    case "Refinement":
      return inside(ast.from)
    case "Transformation":
      return inside(ast.to)
    default:
      return false
  }
}

/** What only quotes a price, and what changes something and shows it as the reading endpoint does. */
const others = (endpoint: string) => !endpoint.startsWith("GET ")

it("endpoints that show money are all compared with the ledger", () => {
  const showing = new Set<string>()
  for (const api of [GatewayApi, AdminApi]) {
    HttpApi.reflect(api as HttpApi.HttpApi.Any & typeof GatewayApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, successes }) => {
        const asts = [...successes.values()].flatMap(({ ast }) => (ast._tag === "Some" ? [ast.value] : []))
        if (asts.some((ast) => hasMoney(ast))) showing.add(`${endpoint.method} ${endpoint.path}`)
      }
    })
  }
  expect([...showing].filter((endpoint) => !others(endpoint)).toSorted()).toEqual([...compared].toSorted())
})

/** Asks in the background, as an upstream that is held lets them. */
const leave = async (world: World, ask: Ask) => {
  const before = world.up.calls()
  const release = world.up.hold()
  const leaving = new AbortController()
  const asked = world.ask({ ...ask, signal: leaving.signal })
  await until(
    () => world.up.calls(),
    (calls) => calls > before
  )
  leaving.abort()
  await expect(asked).rejects.toThrow()
  release()
}

const isLeft = ({ model }: Paid) => model === "reading"
const isEmbedded = ({ model }: Paid) => model === "paid-embeddings"

describeOnEach("after a storm of every family", () => {
  it("every page, header, metric and endpoint shows the money that the ledger has", async () => {
    const env = await gatewayEnv("storm")
    const world = await startWorld(accounts, { balanceUsd: 1_000_000, env: { ...env, GATEWAY_ADMIN_KEY: adminKey } })
    try {
      const overdrawn = await watchOverdrawn(env["GATEWAY_DATABASE_URL"] ?? join(world.folder, "data/gateway.db"))
      /** By request id, what a reply's header said. */
      const headers = new Map<string, number>()
      const ask = async (given: Ask): Promise<number> => {
        const { headers: reply, status } = await world.ask(given)
        const cost = reply.get("x-gateway-cost-usd")
        if (cost !== null) headers.set(reply.get("x-request-id") ?? "", Math.round(Number(cost) * dollar))
        return status
      }
      const tagged = { metadata: { team: "a" } }
      for (const key of accounts) {
        const asks: ReadonlyArray<Ask> = [
          { key, family: "messages" },
          { key, family: "messages", body: { stream: true } },
          { key, family: "chat" },
          { key, family: "chat", body: { stream: true } },
          { key, family: "responses", body: tagged },
          { key, family: "responses", body: { ...tagged, stream: true } },
          { key, family: "responses", body: { ...tagged, background: true, store: true } },
          { key, family: "responses", body: { background: true, stream: true, store: true } },
          { key, family: "several" },
          { key, family: "several", body: { stream: true } },
          { key, family: "embeddings" },
          { key, family: "rerank" },
          { key, family: "async" },
          { key, family: "videos" },
          { key, family: "videos", body: { content: [{ type: "text", text: "it fails" }] } }
        ]
        const statuses = await Promise.all([...asks, ...asks].map(ask))
        expect(statuses.filter((status) => status >= 300)).toEqual([])
        const compaction = { method: "POST", body: JSON.stringify({ model: "paid", input: "Hello" }) }
        expect((await world.call("/v1/responses/compact", key, compaction)).status).toBe(200)
        // Refused by the upstream, and by the gateway.
        world.up.failNext(1)
        expect(await ask({ key, family: "chat" })).toBe(400)
        expect(await ask({ key, family: "messages", body: { model: "nothing" } })).toBeGreaterThanOrEqual(400)
        for (const family of ["chat", "messages", "responses"] as const) {
          await leave(world, { key, family, body: { model: "reading" } })
        }
        await leave(world, { key, family: "embeddings" })
      }
      // A video that fails is not paid for.
      const tasks = 2 * accounts.length * 4
      // Those who left pay the input, as the gateway counts it.
      const left = 3 * accounts.length
      const embedded = 3 * accounts.length
      const look = () => ledgerOf(world.folder, env["GATEWAY_DATABASE_URL"])
      await until(
        async () => {
          const balances = await Promise.all(accounts.map(async (key) => (await world.call("/v1/balance", key)).json()))
          const { paid, requestIds } = await look()
          return {
            held: balances.reduce((sum: number, { held }) => sum + held.nano_usd, 0),
            tasks: paid.filter(({ task_id }) => task_id !== null).length,
            missing: paid.filter(({ request_id }) => !requestIds.has(request_id)).length,
            left: paid.filter(isLeft).length,
            embedded: paid.filter(isEmbedded).length
          }
        },
        (seen) =>
          seen.held + seen.missing === 0 && seen.tasks >= tasks - 4 && seen.left >= left && seen.embedded >= embedded
      )
      expect(await overdrawn.found()).toEqual([])
      const ledger = await look()
      const { paid } = ledger
      expect(paid.filter(isLeft)).toHaveLength(left)
      expect(paid.filter(isEmbedded)).toHaveLength(embedded)
      for (const one of paid)
        expect([one.request_id, one.cost > 0, one.cost]).toEqual([one.request_id, true, one.upstreamCost])

      const { url } = world.gateway()
      expect(await everySum({ url, adminKey, secretOf, ledger, wereKilled: false })).toEqual([])

      const costs = new Map(paid.map(({ cost, request_id }) => [request_id, cost]))
      expect(headers.size).toBeGreaterThan(10)
      for (const [id, cost] of headers) expect([id, cost]).toEqual([id, costs.get(id) ?? 0])

      const lines = world
        .gateway()
        .output()
        .split("\n")
        .filter((line) => line.includes('"event":"request"') && line.includes('"cost_usd"'))
        .map((line): Record<string, unknown> => JSON.parse(line))
      const upstreamCosts = new Map(paid.map(({ request_id, upstreamCost }) => [request_id, upstreamCost]))
      for (const { cost_usd, request_id, upstream_cost_usd = cost_usd } of lines) {
        const id = String(request_id)
        expect([id, Math.round(Number(cost_usd) * dollar)]).toEqual([id, costs.get(id)])
        expect([id, Math.round(Number(upstream_cost_usd) * dollar)]).toEqual([id, upstreamCosts.get(id)])
      }

      const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })).text()
      for (const name of ["gateway_cost_usd_total", "gateway_model_cost_usd_total"]) {
        const told = [...metrics.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))]
        const sum = told.reduce((added, [, value]) => added + Number(value), 0)
        expect([name, Math.round(sum * dollar)]).toEqual([name, paid.reduce((added, { cost }) => added + cost, 0)])
      }
    } finally {
      await world.dispose()
    }
  }, 180_000)
})
