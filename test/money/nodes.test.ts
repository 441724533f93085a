import { copyFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, inject, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../e2e/process.ts"
import { booksAt } from "../ledger/nodes/books.ts"
import { engines } from "../sql/engines.ts"
import { dollar, families, secretOf, startWorld } from "./world.ts"
import type { Family } from "./world.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const tried = ["messages", "chat", "responses", "async", "videos"] satisfies ReadonlyArray<Family>

const adminKey = "admin-key-0123456789abcdefghijklmnop"

/** Three gateways on one Postgres, each with a folder of its own, and accounts of ten dollars. */
const gateways = Effect.gen(function* () {
  const url = postgres === undefined ? yield* Effect.dieMessage("there is no Postgres") : yield* postgres.url
  const books = yield* booksAt(url)
  const env = { GATEWAY_DATABASE_URL: url, GATEWAY_SECRET: "s".repeat(64), GATEWAY_ADMIN_KEY: adminKey }
  const world = yield* Effect.acquireRelease(
    Effect.promise(() => startWorld(tried, { env })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const others = yield* Effect.forEach([1, 2], () =>
    Effect.acquireRelease(
      Effect.promise(() => {
        const folder = mkdtempSync(join(tmpdir(), "gateway-node-"))
        copyFileSync(join(world.folder, "gateway.yaml"), join(folder, "gateway.yaml"))
        return startGateway({ folder, env })
      }),
      ({ dispose }) => Effect.promise(dispose)
    )
  )
  return { books, urls: [world.gateway().url, ...others.map((other) => other.url)] }
})

const administer = async (url: string, path: string, body: object): Promise<unknown> => {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
  const reply = await fetch(`${url}/admin/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  expect(reply.status).toBeLessThan(300)
  return reply.json()
}

const ask = async (url: string, family: Family, secret = secretOf(family)): Promise<number> => {
  const { body, path } = families[family]
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  await response.text()
  return response.status
}

describe.runIf(inject("postgres") !== undefined)("200 parallel requests over three gateways", () => {
  it.scopedLive("on balances for exactly ten each: ten pass, the others get 402, and the ledger balances", () =>
    Effect.gen(function* () {
      const { books, urls } = yield* gateways
      for (const family of tried) {
        const statuses = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 200 }, (_, n) => ask(urls[n % urls.length] ?? "", family)))
        )
        const count = (status: number) => statuses.filter((one) => one === status).length
        expect([family, count(200), count(402)]).toEqual([family, 10, 190])
        yield* books.until(family, ({ held, settled }) => held === 0 && settled > 0)
        expect(yield* books.of(family)).toMatchObject({
          settled: 10 * dollar,
          rows: 10,
          budgetHeld: 0
        })
      }
    })
  )

  it.scopedLive("by keys whose budget is for ten a day, of accounts without a balance: ten pass, never more", () =>
    Effect.gen(function* () {
      const { books, urls } = yield* gateways
      for (const family of tried) {
        const [name, url = ""] = [`budget-${family}`, ...urls]
        const { secret } = yield* Effect.promise(async () => {
          await administer(url, "accounts", { id: name })
          const budget = { usd: 10, period: "day" }
          return (await administer(url, "keys", { account: name, name, budget })) as { readonly secret: string }
        })
        const statuses = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 200 }, (_, n) => ask(urls[n % urls.length] ?? "", family, secret)))
        )
        // As each family says it.
        const usedUp = family === "messages" || family === "async" ? 403 : 402
        const count = (status: number) => statuses.filter((one) => one === status).length
        expect([family, count(200), count(usedUp)]).toEqual([family, 10, 190])
        yield* books.until(name, ({ budgetHeld, budgetUsed }) => budgetHeld === 0 && budgetUsed > 0)
        expect(yield* books.of(name)).toMatchObject({ rows: 10, budgetHeld: 0, budgetUsed: 10 * dollar })
      }
    })
  )
})
