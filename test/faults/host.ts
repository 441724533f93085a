/**
 * The engine and the callbacks in a process that can be killed at any moment, with just enough of an edge to drive it.
 * Environment: DATABASE, WORLD, and GATEWAY_CRASH_AT=<point>:<n>, which kills it the nth time that point is reached.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Logger, LogLevel, ManagedRuntime, Option, Redacted, Duration } from "effect"
import { MasterSecret } from "../../src/access/MasterSecret.ts"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { CallbackTransport } from "../../src/callbacks/CallbackTransport.ts"
import { CallbacksLive } from "../../src/callbacks/Callbacks.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { AllowedAddresses, parseAllowed } from "../../src/guard/addresses.ts"
import { Resolver } from "../../src/guard/Resolver.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import { CrashPoints } from "../../src/tasks/CrashPoints.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { makeMessageKind, messageLane } from "../../src/messages/async/MessageKind.ts"
import { Threads } from "../../src/messages/threads/Threads.ts"
import { Pipeline } from "../../src/pipeline/Pipeline.ts"
import { RequestSeal } from "../../src/tasks/RequestSeal.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { LeaseTime } from "../../src/tasks/TaskSettings.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import { makeVideoKind } from "../../src/videos/VideoKind.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { FirstReplies } from "../../src/videos/FirstReplies.ts"
import { VideoUpstreams } from "../../src/upstreams/videos/VideoUpstream.ts"
import { job } from "../videos/videoJob.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"
import { isVideoService, videoAccess } from "../upstreams/fakes/videoServices.ts"
import { counting } from "./countingUpstream.ts"
import { realUpstreams } from "./realUpstreams.ts"

const world = process.env["WORLD"] ?? ""
const account = AccountId.make("acc")
const key = KeyId.make("key")

const [crashPoint, crashCount = "1"] = (process.env["GATEWAY_CRASH_AT"] ?? "").split(":")
let crashIn = Number(crashCount)
const crashes = Layer.succeed(CrashPoints, {
  at: (point) =>
    Effect.sync(() => {
      if (point === crashPoint && --crashIn === 0) process.kill(process.pid, "SIGKILL")
    })
})

/** Tasks that a process before this one held; gone from here once they were taken up again. */
const inherited = new Set<string>()
let listensSince = 0
let taken = 0
let lost = 0
let turns = 0

const watched = (kind: TaskKind): TaskKind => ({
  ...kind,
  run: (lease) =>
    Effect.suspend(() => {
      if (inherited.delete(lease.task.id)) {
        taken++
        if (inherited.size === 0) console.log(`resumed ${Math.round(performance.now() - listensSince)} ${taken}`)
      }
      turns++
      return kind.run(lease).pipe(
        Effect.tapErrorTag("LeaseLost", () => Effect.sync(() => lost++)),
        Effect.ensuring(Effect.sync(() => turns--))
      )
    })
})

const messages = testDouble(Pipeline, {
  run: () => (input: { readonly payload: unknown }) =>
    Effect.tryPromise({
      try: (signal) => fetch(`${world}messages`, { method: "POST", body: JSON.stringify(input.payload), signal }),
      catch: () => new UpstreamFailed({ message: "the upstream failed" })
    })
})

const open = Layer.effect(AllowedAddresses, Effect.orDie(parseAllowed(["127.0.0.0/8"], "test")))
const guard = AddressGuard.Default.pipe(Layer.provide(Resolver.Default), Layer.provide(open))

const kinds = Layer.effect(
  TaskKinds,
  Effect.map(
    Effect.all([
      makeVideoKind({ record: (task) => ({ id: task.id, status: task.state, changes: task.changes }) }),
      makeMessageKind
    ]),
    (all) => taskKinds(...all.map(watched))
  )
).pipe(
  Layer.provide(Layer.merge(messages, testDouble(Threads, {}))),
  Layer.provide(Ledger.Default),
  Layer.provide(
    Layer.scoped(
      VideoUpstreams,
      Effect.map(
        realUpstreams(world),
        (real) => new Map([...real, ["seeing", counting("seeing", world)], ["blind", counting("blind", world)]])
      )
    ).pipe(Layer.provide(guard))
  )
)

const secrets = Layer.succeed(WebhookSecrets, {
  signing: () => Effect.succeed([Redacted.make("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")]),
  rotate: () => Effect.die("not here")
})

/** The same for each process, as of gateways on one database: another one opens the stored requests. */
const seal = Layer.provide(
  RequestSeal.Default,
  MasterSecret.layer({ given: Option.some(Redacted.make("s".repeat(64))), directory: "" })
)

const lease = Layer.succeed(LeaseTime, Duration.millis(Number(process.env["LEASE_MS"] ?? 30_000)))

/** What a dead process held, and the account: before the runner begins. */
const prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${account}, 0) ON CONFLICT DO NOTHING`
    const held = yield* sql<{ id: string }>`SELECT id FROM tasks WHERE lease_token IS NOT NULL`
    held.forEach((row) => inherited.add(row.id))
  })
)

/** How long claims took, in ms. */
const claims: Array<number> = []
const timedLeases = Layer.effect(
  TaskStore,
  Effect.map(TaskStore, (store) =>
    TaskStore.of({
      ...store,
      claim: (lane, limit) =>
        Effect.suspend(() => {
          const begun = performance.now()
          return Effect.tap(store.claim(lane, limit), () => Effect.sync(() => claims.push(performance.now() - begun)))
        })
    })
  )
).pipe(Layer.provide(TaskStore.Default), Layer.provide(seal))

const engine = Layer.mergeAll(TaskRunnerLive, Cancellation.Default).pipe(
  Layer.provide(prepared),
  Layer.provideMerge(timedLeases),
  Layer.provideMerge(TaskChanges.Default),
  Layer.provideMerge(
    CallbacksLive.pipe(Layer.provide(CallbackTransport.Default), Layer.provide(guard), Layer.provide(secrets))
  ),
  Layer.provideMerge(Layer.provide(kinds, Layer.merge(Outages.Default, FirstReplies.Default))),
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(
    database({ url: `sqlite:${process.env["DATABASE"]}`, exclusive: process.env["SHARED"] === undefined })
  ),
  Layer.provide(Layer.mergeAll(crashes, lease, seal, Logger.minimumLogLevel(LogLevel.Error)))
)
const runtime = ManagedRuntime.make(engine)
const { runPromise } = runtime

const quantile = (list: ReadonlyArray<number>, q: number) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0

let made = 0
const create = (kind: string) =>
  Effect.flatMap(TaskStore, (store) => {
    const now = Date.now()
    const id = `${kind}-${process.pid}-${now.toString(36)}-${made++}`
    return store.insert(
      kind === "message"
        ? {
            id,
            kind,
            account,
            key,
            model: "m",
            lane: messageLane("m"),
            details: {},
            request: {
              requestId: id,
              headers: {},
              body: { model: "m", max_tokens: 1, messages: id },
              caller: {
                account,
                key,
                models: ["*"],
                keyLimits: {},
                accountLimits: {},
                searchDomains: {}
              }
            },
            createdAtMs: now
          }
        : {
            id,
            kind: "video",
            account,
            key,
            model: "m",
            lane: videoBulkhead(kind),
            upstream: kind,
            details: {},
            callbackUrl: process.env["CALLBACKS"] === "no" ? null : `${world}hook`,
            request: isVideoService(kind) ? jobAt(kind, id) : { ...job, taskId: id },
            createdAtMs: now,
            expiresAtMs: now + Number(process.env["EXPIRES_MS"] ?? 3_600_000)
          }
    )
  })

/** A job that its service takes. A list of MiniMax's has little more than the length to tell tasks apart. */
const jobAt = (name: VideoServiceName, id: string) => ({
  ...job,
  taskId: id,
  upstreamModel: videoAccess[name].model,
  prompt: `a cat ${id}`,
  settings: {
    ...job.settings,
    frames: 24 * (name === "minimax" ? 5 + Math.floor(Math.random() * 11) : 8),
    resolution: name === "minimax" ? "768p" : "720p",
    width: 1280,
    height: 720,
    ratio: "16:9"
  }
})

const kindOf = (id: string) => (id.startsWith("message") ? "message" : "video")
const find = (id: string) => Effect.flatMap(TaskStore, (store) => store.find(account, kindOf(id), id))

await runPromise(Effect.void)
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: {
    "/tasks": {
      POST: async (request) => {
        const task = await runPromise(create(await request.text()))
        return Response.json({ id: task.id })
      }
    },
    "/tasks/:id": {
      GET: async (request) => {
        const task = await runPromise(find(request.params.id))
        return Option.isNone(task) ? new Response(null, { status: 404 }) : Response.json(task.value)
      },
      DELETE: async (request) => {
        const { id } = request.params
        const cancelled = await runPromise(
          Effect.flatMap(Cancellation, (cancellation) => cancellation.cancel(account, kindOf(id), id))
        )
        return Response.json({ cancelled })
      }
    },
    "/state": async () =>
      Response.json(
        await runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const store = yield* TaskStore
            const states = yield* sql<{ upstream: string | null; state: string; error: string | null; n: number }>`
              SELECT upstream, state, error, COUNT(*) AS n FROM tasks GROUP BY upstream, state, error`
            const active = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM tasks WHERE ended_at IS NULL`
            const undelivered = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM deliveries WHERE state = 'pending'`
            return {
              states,
              active: active[0]?.n ?? 0,
              undelivered: undelivered[0]?.n ?? 0,
              oldestExpiredLeaseMs: yield* store.oldestExpiredLeaseMs,
              lost,
              turns,
              claims: claims.length,
              claimMs: [0.5, 0.99, 1].map((q) => quantile(claims, q)),
              rss: process.memoryUsage().rss
            }
          })
        )
      )
  }
})
listensSince = performance.now()
console.log(`listens on ${server.url.href}`)
if (inherited.size === 0) console.log(`resumed 0 ${taken}`)

process.on("SIGTERM", () => {
  void runtime.dispose().then(() => process.exit(0))
})
