import { hostname } from "node:os"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { actorNamed } from "../contract/callers/Acting.ts"
import { changedFields } from "../config/changedFields.ts"
import type { ChangedFields } from "../config/changedFields.ts"
import { Configuration } from "../config/Configuration.ts"
import { defaultFile } from "../config/environment.ts"
import { Settings } from "../config/Settings.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { makeAlone } from "../sql/alone.ts"
import { Audit } from "./store/Audit.ts"

const action = "configuration.reload"
const target = "configuration"

/** Workers of one machine read the same file within this time, in ms: one of them writes the row. */
const togetherMs = 60_000

/**
 * Writes an audit row for each change of the configuration file that a running gateway takes over. Versions in the
 * database have rows of their own.
 */
export const AuditedFileLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { filePath, isStored } = yield* Settings
    if (isStored) return
    const configuration = yield* Configuration
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const alone = makeAlone(sql)
    const actor = actorNamed(`file:${hostname()}:${Option.getOrElse(filePath, () => defaultFile)}`)

    const written = (changed: ChangedFields) =>
      Effect.gen(function* () {
        yield* alone(action)
        const [newest] = yield* audit.list({ target, action, limit: 1 })
        const isWritten =
          newest?.actor === actor.name &&
          (yield* Clock.currentTimeMillis) - Date.parse(newest.time) < togetherMs &&
          JSON.stringify([newest.before, newest.after]) === JSON.stringify([changed.before, changed.after])
        if (!isWritten) yield* audit.record({ actor, action, target, ...changed })
      }).pipe((effect) => sql.withTransaction(effect))

    const changes = yield* Queue.unbounded<ChangedFields>()
    let current = configuration.current().value
    yield* configuration.follow(({ value }) =>
      Effect.succeed(() => {
        const changed = changedFields(current, value)
        current = value
        if (changed !== undefined) changes.unsafeOffer(changed)
      })
    )
    yield* daemon("configuration.audit", Effect.succeed(Effect.flatMap(changes.take, written)), backoff)
  })
).pipe(Layer.provide([Audit.Default, Daemons.Default]))
