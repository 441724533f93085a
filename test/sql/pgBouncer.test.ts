import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, HashMap, Layer, Logger, Option, Redacted } from "effect"
import type { PoolSettings } from "../../src/config/databaseSettings.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import { pgBouncerProgram, startPgBouncer } from "./pgBouncer.ts"
import type { PgBouncer } from "./pgBouncer.ts"
import { postgresPrograms, startPostgres } from "./postgresServer.ts"
import type { PostgresServer } from "./postgresServer.ts"
import { request } from "../request.ts"

const programs = postgresPrograms()
const isMissing = programs === undefined || pgBouncerProgram === undefined
if (isMissing) console.log("SKIPPED: test/sql/pgBouncer.test.ts, there is no Postgres or no PgBouncer here")

describe.skipIf(isMissing)("behind a pooler that gives each transaction another connection", () => {
  let server: PostgresServer
  let pooler: PgBouncer
  beforeAll(async () => {
    if (programs === undefined) return
    server = await startPostgres(programs, { fsync: "off" })
    pooler = await startPgBouncer(server.port)
  })
  afterAll(async () => {
    await pooler?.dispose()
    await server?.dispose()
  })
  const pooled = () => server.url.replace(String(server.port), String(pooler.port))

  it("a gateway serves, with a way of its own to the server for what needs one", async () => {
    const env = {
      GATEWAY_DATABASE_URL: pooled(),
      GATEWAY_DATABASE_DIRECT_URL: server.url,
      GATEWAY_DATABASE_PREPARE: "false"
    }
    const gateway = await startGateway({ env })
    const ask = async (path: string, body: object, key: string) => {
      const response = await request(gateway, path, { body, headers: { "idempotency-key": key } })
      await response.text()
      return response.status
    }
    const messages = [{ role: "user", content: "Hi" }]
    const requests: ReadonlyArray<readonly [string, object]> = [
      ["/v1/messages", { model: "sandbox-text", max_tokens: 9, messages }],
      ["/v1/responses", { model: "sandbox-text", input: "Hi" }],
      ["/v1/messages", { model: "sandbox-text", max_tokens: 9, messages, async: true }]
    ]
    const statuses = await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        const [path, body] = requests[index % 3] ?? ["/", {}]
        return ask(path, body, `key-${index}`)
      })
    )
    expect(statuses.filter((status) => status >= 300)).toEqual([])
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    for (const args of [["keys", "list"], ["migrate", "--check"], ["usage"]]) {
      const { code, err } = await runCommand(gateway.folder, args, env)
      expect([code, err]).toEqual([0, ""])
    }
    // On a busy machine a statement may take long, which is said.
    const lines = gateway.output().split("\n")
    const surprises = lines.filter((line) => /"level":"(warn|error)"/.test(line) && !line.includes('"database.slow"'))
    expect(surprises.slice(0, 3).join("\n")).toBe("")
    gateway.signal("SIGTERM")
    expect(await gateway.exited).toBe(0)
    await gateway.dispose()
  })

  const settings = (more: Partial<PoolSettings>): PoolSettings => ({
    directUrl: Option.some(Redacted.make(server.url)),
    connections: 4,
    prepare: false,
    statementTimeout: Duration.seconds(3),
    slowQuery: Duration.infinity,
    ...more
  })

  it.scopedLive("a transaction has its bounds with it", () =>
    Effect.gen(function* () {
      const shown = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { commit: write } = yield* Commits
        // One statement by itself would be no transaction.
        const timeouts = yield* write(
          Effect.zipRight(
            sql`SELECT 1`,
            sql`SELECT current_setting('statement_timeout') AS one, current_setting('idle_in_transaction_session_timeout') AS other`
          )
        )
        const late = yield* Effect.flip(write(sql`SELECT pg_sleep(20)`))
        return [timeouts, String(late)]
      })
      const opened = layer({ url: pooled(), exclusive: false, pool: settings({}) })
      const [timeouts, late] = yield* Effect.provide(shown, Layer.provideMerge(Commits.Default, opened))
      expect(timeouts).toEqual([{ one: "3s", other: "3s" }])
      expect(late).toMatch(/SqlError/)
    })
  )

  it.scopedLive("statements that take long are logged, without what they are about", () =>
    Effect.gen(function* () {
      const lines: Array<Record<string, unknown>> = []
      const log = Logger.make(({ annotations }) => void lines.push(Object.fromEntries(HashMap.toEntries(annotations))))
      const slow = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT 1`
        yield* sql`SELECT pg_sleep(0.2), ${"planted"}::text`
      })
      const opened = layer({ url: pooled(), exclusive: false, pool: settings({ slowQuery: Duration.millis(150) }) })
      yield* Effect.provide(slow, Layer.provideMerge(opened, Logger.replace(Logger.defaultLogger, log)))
      // On a busy machine others take long too.
      const told = lines.filter(
        ({ event, statement }) => event === "database.slow" && /pg_sleep/.test(String(statement))
      )
      expect(told).toMatchObject([{ statement: "SELECT pg_sleep(0.2), $1::text" }])
      expect(Number(told[0]?.["duration_ms"])).toBeGreaterThanOrEqual(150)
      expect(JSON.stringify(lines)).not.toContain("planted")
    })
  )
})
