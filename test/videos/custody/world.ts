import { existsSync, readdirSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { PublicUrl } from "../../../src/config/PublicUrl.ts"
import { Settings } from "../../../src/config/Settings.ts"
import { AccountId, KeyId } from "../../../src/contract/callers/Caller.ts"
import { FileStore } from "../../../src/files/FileStore.ts"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { AddressGuard } from "../../../src/guard/AddressGuard.ts"
import { AllowedAddresses, parseAllowed } from "../../../src/guard/addresses.ts"
import { Resolver } from "../../../src/guard/Resolver.ts"
import { NodeReaperLive } from "../../../src/cluster/Node.ts"
import { Commits } from "../../../src/sql/Commits.ts"
import { Outbox } from "../../../src/tasks/Outbox.ts"
import { orStoreFailure } from "../../../src/tasks/StoreFailure.ts"
import { TaskChanges } from "../../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../../src/tasks/TaskStore.ts"
import { TaskKinds, taskKinds } from "../../../src/tasks/TaskKind.ts"
import type { VideoResult } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { Custody } from "../../../src/videos/custody/Custody.ts"
import { CustodyLive } from "../../../src/videos/custody/CustodyLive.ts"
import { videoTask } from "../../../src/videos/VideoTask.ts"
import { database } from "../../sql/engines.ts"

export const owner = AccountId.make("acc_owner")
export const ours = "https://gw.example.com"

/** The kind of video tasks as far as custody goes: what happens in the transaction in which one ends. */
const Kinds = Layer.effect(
  TaskKinds,
  Effect.map(Custody, ({ record }) =>
    taskKinds({
      name: "video",
      parallel: 1,
      run: () => Effect.die("not run"),
      record: () => ({}),
      changed: (task) => orStoreFailure(Effect.as(record(task), 0)),
      gaveUp: (message) => ({ code: "gave_up", message })
    })
  )
)

const guard = (allowed: ReadonlyArray<string>) =>
  AddressGuard.Default.pipe(
    Layer.provide(Layer.effect(AllowedAddresses, parseAllowed(allowed, "allow"))),
    Layer.provide(Resolver.Default)
  )

export interface Options {
  readonly directory: string
  readonly allowed?: ReadonlyArray<string>
  readonly maxBytes?: number
  /** Undefined: custody is off. */
  readonly keep?: Duration.DurationInput | undefined
}

/** Everything but the daemon, which a test starts when it is time (`working`). */
export const world = (options: Options) => {
  const keep = "keep" in options ? options.keep : "30 days"
  return Custody.Default.pipe(
    Layer.provideMerge(
      Settings.Test({ custody: Option.map(Option.fromNullable(keep), (span) => Duration.decode(span)) })
    ),
    (custody) =>
      NodeReaperLive.pipe(
        Layer.provideMerge(TaskStore.Default),
        Layer.provideMerge(TaskChanges.Default),
        Layer.provideMerge(Layer.provide(Layer.merge(Kinds, Outbox.none), custody)),
        Layer.provideMerge(custody)
      ),
    Layer.provideMerge(
      KeptFiles.layer({
        directory: options.directory,
        lifetime: "1 hour",
        secret: Redacted.make(new Uint8Array(32)),
        room: { maxBytes: options.maxBytes }
      })
    ),
    Layer.provide(FileStore.folder(options.directory)),
    Layer.provideMerge(Layer.merge(guard(options.allowed ?? ["127.0.0.0/8"]), PublicUrl.layer(Option.some(ours)))),
    Layer.provideMerge(Commits.Default),
    Layer.provideMerge(database())
  )
}

/** The daemon, until the scope closes. */
export const working = Effect.asVoid(Layer.build(CustodyLive))

let made = 0
/** A task that has just succeeded with a result. */
export const succeeded = (result: VideoResult) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const id = `cgt-${++made}`
    yield* store.insert({
      id,
      kind: "video",
      account: owner,
      key: KeyId.make("k"),
      model: "seedance",
      lane: "video:ark",
      details: {},
      request: {},
      createdAtMs: 0
    })
    const [leased] = yield* store.claim("video:ark", 1)
    if (leased === undefined) return yield* Effect.die("not claimed")
    yield* store.settle(leased, { patch: { state: "succeeded", result }, againInMs: 0 })
    return id
  })

/** What the task's record links to. */
export const linksOf = (id: string) =>
  Effect.flatMap(TaskStore, (store) =>
    Effect.map(store.find(owner, "video", id), (found) => {
      const { result } = videoTask(Option.getOrThrow(found))
      return { video: result?.videoUrl, lastFrame: result?.lastFrameUrl }
    })
  )

/** What is left to do, in the order of its names. */
export const rowsLeft = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ task_id: string; part: string; name: string; source: string | null; tries: number }>`
      SELECT task_id, part, name, source, tries FROM custody ORDER BY task_id, part`
)

/** Makes everything due that no worker holds. */
export const hurry = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { due } = yield* Custody
  yield* sql`UPDATE custody SET due_at = 0 WHERE lease_token IS NULL AND source IS NOT NULL`
  due.ring()
})

/** Runs an effect until it is as it should be. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, isIt: (value: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (value) => (isIt(value) ? Effect.succeed(value) : Effect.zipRight(pause, until(look, isIt))))
/** By the process's own clock, whatever the test's says. */
const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))

/** Files in custody, whole or in part. */
export const filesIn = (directory: string): ReadonlyArray<string> =>
  existsSync(`${directory}/custody`)
    ? readdirSync(`${directory}/custody`, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [`${entry.parentPath}/${entry.name}`] : []
      )
    : []
