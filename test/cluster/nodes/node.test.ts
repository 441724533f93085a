import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Logger, Scope } from "effect"
import { vi } from "vitest"
import { newestFormat } from "../../../src/cluster/formats.ts"
import { NodeReaperLive, Node, NodeTimes } from "../../../src/cluster/Node.ts"
import { thisProcess } from "../../../src/cluster/ThisProcess.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import { describeOnEach, engines } from "../../sql/engines.ts"
import { eventually as until } from "../../tasks/engine.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))

/** A node as a process of its own would be, and what ends it; the dead are reaped by those with `buries`. */
const start = (
  url: string,
  options: { readonly buries?: boolean; readonly goodFor?: number; readonly renewEvery?: number } = {}
) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const times = {
      renewEvery: options.renewEvery ?? 20,
      goodFor: options.goodFor ?? 15_000,
      lookEvery: 20,
      othersFirst: 100
    }
    const layer = (options.buries === true ? Layer.merge(NodeReaperLive, Node.Default) : Node.Default).pipe(
      Layer.provideMerge(databaseAt({ url, exclusive: false })),
      Layer.provide(Layer.succeed(NodeTimes, times))
    )
    const built = yield* Scope.extend(Layer.build(layer), scope)
    return {
      node: Context.get(built, Node),
      sql: Context.get(built, SqlClient.SqlClient),
      stop: Scope.close(scope, Exit.void)
    }
  })

const ids = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ id: string }>`SELECT id FROM nodes ORDER BY id`, (rows) => rows.map(({ id }) => id))

/** The row of a node that has said nothing since 1970, or whose process of this machine has ended. */
const leave = (sql: SqlClient.SqlClient, id: string, how: "silent" | "ended") => {
  const row = { id, name: id, version: "1", started_at: 0, renewed_at: 0, backend: 0, format: newestFormat }
  const { exited, pid } = Bun.spawn(["true"])
  const machine = how === "ended" ? thisProcess().machine : "another"
  return Effect.zipRight(
    Effect.promise(() => exited),
    sql`INSERT INTO nodes ${sql.insert({ ...row, machine, pid, good_until: how === "silent" ? 0 : Date.now() * 2 })}`
  )
}

describeOnEach("a node", ({ name, url }) => {
  it.scopedLive("has a row while it runs where there may be others, and none where it is alone", () =>
    Effect.gen(function* () {
      const at = yield* url
      const one = yield* start(at)
      const isShared = name === "postgres"
      expect(one.node.isShared).toBe(isShared)
      expect(one.node.id()).toBe(one.node.id())
      expect(yield* ids(one.sql)).toEqual(isShared ? [one.node.id()] : [])
      if (!isShared) return
      const two = yield* start(at)
      const buried: Array<string> = []
      one.node.whenReaping((dead) => Effect.sync(() => buried.push(dead)))
      two.node.whenReaping((dead) => Effect.sync(() => buried.push(dead)))
      expect(yield* ids(one.sql)).toEqual([one.node.id(), two.node.id()].sort())
      yield* one.stop
      expect(yield* ids(two.sql)).toEqual([two.node.id()])
      expect(buried).toEqual([one.node.id()])
    })
  )
})

/** The row of a node of a version without formats, which lives elsewhere. */
const older = (sql: SqlClient.SqlClient, id: string) => {
  const row = { id, name: id, machine: "another", pid: 1, backend: 0, version: "0", started_at: 0, renewed_at: 0 }
  return sql`INSERT INTO nodes ${sql.insert({ ...row, good_until: Date.now() * 2 })}`
}

describe.runIf(postgres !== undefined)("nodes on one Postgres", () => {
  it.scopedLive("store what older nodes can't read when the last of those has left, and none comes back", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.zip(older(sql, "old"), older(sql, "paused"))).pipe(
        Effect.provide(databaseAt({ url, exclusive: false }))
      )
      const { node, sql } = yield* start(url, { renewEvery: 3_600_000 })
      expect(node.sharedFormat()).toBe(0)
      yield* sql`DELETE FROM nodes WHERE id = 'old'`
      yield* node.renew
      expect(node.sharedFormat()).toBe(0)
      // It was reaped, and comes back: it may, as long as nothing is stored that it can't read.
      yield* sql`DELETE FROM nodes WHERE id = 'paused'`
      yield* older(sql, "back")
      yield* node.renew
      expect(node.sharedFormat()).toBe(0)
      yield* sql`DELETE FROM nodes WHERE id = 'back'`
      yield* node.renew
      expect(node.sharedFormat()).toBe(newestFormat)
      const refused = yield* Effect.flip(older(sql, "late"))
      expect(String(refused.cause)).toContain("served by a newer gateway")
      expect((yield* start(url)).node.sharedFormat()).toBe(newestFormat)
    })
  )

  it.scopedLive("see an older one that begins at the same moment", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const inserted = yield* Deferred.make<void>()
      const beginning = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const row = Effect.zipRight(older(sql, "old"), Deferred.succeed(inserted, undefined))
        yield* sql.withTransaction(Effect.zipRight(row, Effect.sleep("200 millis")))
      }).pipe(Effect.provide(databaseAt({ url, exclusive: false })))
      const newer = Effect.zipRight(Deferred.await(inserted), start(url))
      const [, { node }] = yield* Effect.all([beginning, newer], { concurrency: "unbounded" })
      expect(node.sharedFormat()).toBe(0)
    })
  )

  it.scopedLive("renew their rows by the database's clock, and stay", () =>
    Effect.gen(function* () {
      const { node, sql } = yield* start(yield* newUrl, { buries: true, goodFor: 400 })
      const renewals = Effect.map(
        sql<{ at: number; late: boolean }>`SELECT renewed_at AS at,
          good_until < EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS late FROM nodes WHERE id = ${node.id()}`,
        ([row]) => row
      )
      const first = yield* renewals
      yield* until(renewals, (row) => row !== undefined && row.at > (first?.at ?? Infinity) + 500)
      expect(yield* ids(sql)).toEqual([node.id()])
    })
  )

  it.scopedLive.each([
    { aheadMs: 20_000, said: "20 s ahead of the database's" },
    { aheadMs: -3_600_000, said: "3600 s behind the database's" },
    { aheadMs: 5_000, said: undefined }
  ])("say once that their clock is $aheadMs ms ahead", ({ aheadMs, said }) =>
    Effect.gen(function* () {
      const clock = Date.now
      vi.spyOn(Date, "now").mockImplementation(() => clock() + aheadMs)
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
      const logged: Array<unknown> = []
      const log = Logger.make(({ message }) => void logged.push(message))
      const { node } = yield* Effect.provide(
        start(yield* newUrl, { renewEvery: 3_600_000 }),
        Logger.replace(Logger.defaultLogger, log)
      )
      yield* Effect.provide(Effect.repeatN(node.renew, 2), Logger.replace(Logger.defaultLogger, log))
      const about = logged.map(String).filter((one) => one.includes("clock"))
      expect(about).toEqual(said === undefined ? [] : [expect.stringContaining(`this machine's clock is ${said}`)])
    })
  )

  it.scopedLive.each(["silent", "ended"] as const)("reap one that is %s once, whichever of them does", (how) =>
    Effect.gen(function* () {
      const at = yield* newUrl
      const buried: Array<string> = []
      const some = yield* Effect.forEach([1, 2, 3], () => start(at))
      for (const { node } of some) node.whenReaping((dead) => Effect.sync(() => buried.push(dead)))
      const { sql } = yield* start(at)
      yield* leave(sql, "dead", how)
      const all = Effect.forEach(some, ({ node }) => node.reap, { concurrency: "unbounded", discard: true })
      yield* until(Effect.zipRight(all, ids(sql)), (left) => !left.includes("dead"))
      expect(buried).toEqual(["dead"])
      expect(yield* ids(sql)).toHaveLength(4)
    })
  )

  it.scopedLive("give up what a dead one had with its row, or neither", () =>
    Effect.gen(function* () {
      const { node, sql } = yield* start(yield* newUrl)
      yield* sql`INSERT INTO node_holds VALUES ('dead', 'a', 'k', 5)`
      yield* leave(sql, "dead", "ended")
      let isBroken = true
      node.whenReaping((dead) => sql`DELETE FROM node_holds WHERE node = ${dead}`)
      node.whenReaping(() => (isBroken ? new SqlError({ cause: "broken" }) : Effect.void))
      expect(Exit.isFailure(yield* Effect.exit(node.reap))).toBe(true)
      const left = Effect.zip(ids(sql), sql`SELECT nano_usd FROM node_holds`)
      expect(yield* left).toEqual([["dead", node.id()].sort(), [{ nano_usd: 5 }]])
      isBroken = false
      yield* node.reap
      expect(yield* left).toEqual([[node.id()], []])
    })
  )

  it.scopedLive("leave one alone that is in the middle of a write", () =>
    Effect.gen(function* () {
      const { node, sql } = yield* start(yield* newUrl)
      yield* leave(sql, "busy", "ended")
      const tried = Effect.zipRight(sql`SELECT 1 FROM nodes WHERE id = 'busy' FOR KEY SHARE`, Effect.fork(node.reap))
      const under = yield* sql.withTransaction(Effect.tap(tried, (fiber) => fiber.await))
      expect(Exit.isSuccess(yield* under.await)).toBe(true)
      expect(yield* ids(sql)).toContain("busy")
      yield* node.reap
      expect(yield* ids(sql)).toEqual([node.id()])
    })
  )

  it.scopedLive("go on under another id after they were reaped", () =>
    Effect.gen(function* () {
      const { node, sql } = yield* start(yield* newUrl)
      const former = node.id()
      const told: Array<string> = []
      node.onLost((id) => told.push(id, node.id()))
      yield* sql`DELETE FROM nodes WHERE id = ${former}`
      yield* node.renew
      expect(node.id()).not.toBe(former)
      expect(told).toEqual([former, node.id()])
      expect(yield* ids(sql)).toEqual([node.id()])
    })
  )

  it.scopedLive("take no node for dead after an outage before they have renewed themselves", () =>
    Effect.gen(function* () {
      const { node, sql } = yield* start(yield* newUrl, { renewEvery: 3_600_000 })
      const isBuried = Effect.map(Effect.zipRight(node.reap, ids(sql)), (left) => !left.includes("silent"))
      yield* leave(sql, "silent", "silent")
      yield* until(isBuried, (buried) => buried)
      yield* sql`ALTER TABLE nodes RENAME TO away`
      yield* until(Effect.exit(node.renew), Exit.isFailure)
      yield* sql`ALTER TABLE away RENAME TO nodes`
      yield* leave(sql, "silent", "silent")
      expect(yield* isBuried).toBe(false)
      yield* node.renew
      yield* until(isBuried, (buried) => buried)
    })
  )
})
