import { Effect, Layer } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import { Ownership } from "../../src/ownership/Ownership.ts"
import { Background } from "../../src/flow/Background.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { PriceDifferences } from "../../src/ledger/PriceDifferences.ts"
import { PriceGaps } from "../../src/ledger/store/PriceGaps.ts"
import { SumNames } from "../../src/ledger/SumNames.ts"
import { BalanceStore } from "../../src/ledger/BalanceStore.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import type { ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { chosenRoutes } from "../../src/dispatch/chosenRoutes.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { makeVideoKind } from "../../src/videos/VideoKind.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { VideoUpstreams } from "../../src/upstreams/videos/VideoUpstream.ts"
import type { VideoUpstream } from "../../src/upstreams/videos/VideoUpstream.ts"
import { Node } from "../../src/cluster/Node.ts"
import { VideoTasks } from "../../src/videos/VideoTasks.ts"
import { noCustody } from "./noCustody.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { FirstReplies } from "../../src/videos/FirstReplies.ts"
import { makeVideoFamily } from "../../src/videos/videoFamily.ts"
import { request } from "./requests.ts"

const upstream = (name: string, isPassthrough: boolean): VideoUpstream => ({
  name,
  isPassthrough: isPassthrough,
  submit: () => Effect.succeed("up-1"),
  poll: () => Effect.succeed({ status: "running" }),
  cancel: () => Effect.succeed("running")
})

const Upstreams = Layer.succeed(
  VideoUpstreams,
  new Map([
    ["sandbox", upstream("sandbox", false)],
    ["ark", upstream("ark", true)],
    ["lacking", { ...upstream("lacking", false), fit: () => ({ type: "fits", adapted: ["seed"] }) }],
    ["strict", { ...upstream("strict", true), refusesAtOnce: true }]
  ])
)

const model = (id: string, upstream: string, more: Partial<ModelEntry> = {}) =>
  servedModel({
    id,
    kind: "video",
    routes: [{ upstream, model: `${id}-there` }],
    contextTokens: undefined,
    ownedBy: upstream,
    ...more
  })

const served = [
  model("sandbox-video", "sandbox"),
  model("seedance", "ark", { resolutions: ["480p", "4k"] }),
  model("strict-video", "strict"),
  model("lacking", "lacking"),
  model("lacking-strict", "lacking", { strict: true }),
  model("either", "strict", {
    routes: [
      { upstream: "strict", model: "strict-there" },
      { upstream: "ark", model: "ark-there" }
    ]
  }),
  model("words", "sandbox", { kind: "text" })
]

const ModelsStub = testDouble(Dispatch, {
  choose: (caller, id, _kind, headers) => {
    const found = served.find((one) => one.id === id && one.kind === "video")
    const chosen =
      found === undefined
        ? new InvalidRequest({ param: "model", message: `model: unknown model "${id}"` })
        : chosenRoutes(caller, found, headers)
    return "model" in chosen ? Effect.succeed(chosen) : Effect.fail(chosen)
  },
  limitsOf: () => undefined
})

const GuardStub = AddressGuard.Test({
  admit: (written, param) =>
    written.includes("inside")
      ? Effect.fail(new InvalidRequest({ param, message: `${param}: expected a public address` }))
      : Effect.void
})

const Kinds = Layer.effect(
  TaskKinds,
  Effect.map(Effect.flatMap(makeVideoFamily, makeVideoKind), (kind) => taskKinds(kind))
)

/** One that does nothing by itself: these tests move the clock by years. */
const LedgerStill = Ledger.DefaultWithoutDependencies.pipe(
  Layer.provide(BalanceStore.DefaultWithoutDependencies),
  Layer.provide(
    Layer.mergeAll(
      Daemons.Default,
      DatabaseHealth.Default,
      Node.Default,
      PriceDifferences.Default,
      PriceGaps.Default,
      SumNames.Default
    )
  ),
  Layer.provide(testDouble(Changes, { seen: () => 0, listen: () => Effect.succeed(0) })),
  Layer.provide(Layer.succeed(Background, "none"))
)

export const layer = VideoTasks.DefaultWithoutDependencies.pipe(
  Layer.provide(Layer.merge(Ownership.Default, Cancellation.Default)),
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(TaskChanges.Default),
  Layer.provideMerge(Layer.mergeAll(Kinds, Outbox.none, ModelsStub, GuardStub)),
  Layer.provideMerge(Upstreams),
  Layer.provideMerge(Outages.Default),
  Layer.provide(Layer.mergeAll(FirstReplies.Default, noCustody)),
  Layer.provideMerge(LedgerStill),
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(database({ url: "sqlite::memory:", exclusive: false })),
  Layer.orDie
)

export const alice = Caller.unrestricted("alice", "a")

export const create = (fields: Record<string, unknown> = {}, caller = alice) =>
  Effect.flatMap(VideoTasks, (videos) => {
    const made = request(fields)
    const incoming = { id: "req_1", headers: new Headers(), body: { ...made, ...fields } }
    return videos.create(caller, made, incoming, { answer: (id) => ({ id }) })
  })

export const job = (id: string) => Effect.flatMap(TaskStore, (leases) => leases.request(id))
export const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

/** A task that has succeeded, and what its upstream called it. */
export const made = (fields: Record<string, unknown>, lane = "video:sandbox", result: object = {}) =>
  Effect.gen(function* () {
    const leases = yield* TaskStore
    const { id } = yield* create(fields)
    const held = (yield* leases.claim(lane, 100)).find(({ task }) => task.id === id)!
    yield* leases.write(held, { state: "running", upstreamId: `up-${id}` })
    yield* leases.write(held, { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4", ...result } })
    return id
  })
