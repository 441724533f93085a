import { Database } from "bun:sqlite"
import { join } from "node:path"
import { HttpApi } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, TestClock } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { daemon } from "../../src/flow/daemon.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { KeptFiles } from "../../src/files/KeptFiles.ts"
import { Lifecycle } from "../../src/flow/Lifecycle.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { backoff } from "../../src/flow/schedules.ts"
import { HealthApi } from "../../src/health/Api.ts"
import { HealthHandlers } from "../../src/health/Handlers.ts"
import { Address, serve } from "../../src/http/Server.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import * as SqlDatabase from "../../src/sql/Database.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"
import { startGateway } from "../gatewayHere.ts"
import { stores } from "../tasks/engine.ts"

const served = serve(
  HttpApi.make("health").add(HealthApi),
  {},
  {
    hostname: "127.0.0.1",
    port: 0,
    bodyLimit: 4096,
    drainDeadline: Duration.millis(100),
    checkAnswers: true,
    corsOrigins: []
  }
).pipe(
  Layer.provide(Layer.mergeAll(HealthHandlers, AccessLog.Off, Idempotency.Default)),
  Layer.provide(Layer.mergeAll(Access.Default, Limits.Default, Lifecycle.Default)),
  Layer.provide(Layer.merge(stores().layer, KeptFiles.Test({ isAway: () => false }))),
  Layer.provide(Layer.merge(Keys.Default, DatabaseHealth.Default)),
  Layer.provide(SqlDatabase.layer({ url: "sqlite::memory:", exclusive: true })),
  Layer.provideMerge(Daemons.Default)
)

const readiness = (url: URL | string) =>
  Effect.promise(async () => {
    const response = await fetch(new URL("/readyz", url))
    return { status: response.status, body: await response.text() }
  })

describe("readiness", () => {
  it.scoped("names a daemon that has died of a defect for five seconds, until it has come back", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      let isBroken = true
      const pass = Effect.suspend(() => (isBroken ? Effect.die("out of order") : Effect.succeed(Effect.never)))
      yield* daemon("sweeper", pass, backoff)
      yield* TestClock.adjust("4 seconds")
      expect(yield* readiness(url)).toMatchObject({ status: 200 })
      yield* TestClock.adjust("1 second")
      expect(yield* readiness(url)).toMatchObject({ status: 503, body: expect.stringContaining("sweeper") })
      isBroken = false
      yield* TestClock.adjust("10 seconds")
      expect(yield* readiness(url)).toMatchObject({ status: 200 })
    }).pipe(Effect.provide(served))
  )

  it("follows the daemons of a running gateway", async () => {
    const gateway = await startGateway()
    const database = new Database(join(gateway.folder, "data/gateway.db"))
    const ready = () => Effect.runPromise(readiness(gateway.url))
    try {
      expect(await ready()).toMatchObject({ status: 200 })
      database.run("PRAGMA busy_timeout = 5000")
      database.run("ALTER TABLE access_version RENAME TO access_version_away")
      await expect
        .poll(ready, { interval: 200 })
        .toMatchObject({ status: 503, body: expect.stringContaining("changes") })
      expect(gateway.output()).toContain('"event":"daemon.failed"')
      database.run("ALTER TABLE access_version_away RENAME TO access_version")
      await expect.poll(ready, { interval: 200 }).toMatchObject({ status: 200 })
    } finally {
      database.close()
      await gateway.dispose()
    }
  })
})
