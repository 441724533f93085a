import { Clock, Duration, Effect, Option } from "effect"
import type { AccountId, Caller } from "../contract/Caller.ts"
import * as Eager from "../contract/eager.ts"
import { Conflict, NotFound, UpstreamFailed } from "../contract/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { costOf, free } from "../ledger/Price.ts"
import type { Model } from "../models/Catalogue.ts"
import { Models } from "../models/Models.ts"
import { forbidden } from "../models/permission.ts"
import { Cancellation } from "../tasks/Cancellation.ts"
import type { NewTask, TaskState } from "../tasks/Task.ts"
import { TaskSettings } from "../tasks/TaskSettings.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { videoLane } from "../tasks/VideoKind.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoJob, VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { quoted } from "./consumption.ts"
import { commonResolutions } from "./geometry.ts"
import type { ListVideoTasks } from "./ListVideoTasks.ts"
import { choosableLengths, resolve } from "./resolve.ts"
import type { Resolved } from "./resolve.ts"
import { videoTask } from "./VideoTask.ts"
import type { VideoDetails } from "./VideoTask.ts"
import { newTaskId, randomOf } from "./taskId.ts"
import { listed, record } from "./VideoTaskRecord.ts"
import type { VideoTaskRecord } from "./VideoTaskRecord.ts"

const kind = "video"

/** Video tasks as their owners see them; the engine below makes them run. */
export class VideoTasks extends Effect.Service<VideoTasks>()("gateway/videos/VideoTasks", {
  dependencies: [Cancellation.Default, Ledger.Default],
  effect: Effect.gen(function* () {
    const models = yield* Models
    const upstreams = yield* VideoUpstreams
    const guard = yield* AddressGuard
    const store = yield* TaskStore
    const ledger = yield* Ledger
    const cancellation = yield* Cancellation
    const { retention } = yield* TaskSettings

    /** Accepts a request that breaks no rule; the task is durable when its id is there. */
    const create = Effect.fnUntraced(function* (
      caller: Caller,
      request: CreateVideoTask,
      incoming: Pick<Incoming, "id" | "body" | "once">
    ) {
      const { model, upstream, upstreamModel } = yield* permitted(caller, request)
      const createdAtMs = yield* Clock.currentTimeMillis
      const id = newTaskId(createdAtMs)
      const resolved = yield* resolve(request, limitsOf(model, upstream), randomOf(id))
      const fit = upstream.fit?.(resolved)
      if (fit?.type === "refused") return yield* fit.refused
      if (typeof request.callback_url === "string") yield* guard.admit(request.callback_url, "callback_url")
      const task = newTask({ caller, request, resolved, upstream, upstreamModel, id, createdAtMs, body: incoming.body })
      const answer = { id }
      const price = model.price ?? free
      const hold = {
        id,
        caller,
        requestId: incoming.id,
        model: model.id,
        upstream: upstream.name,
        price,
        modelLimits: model.limits
      }
      const kept = incoming.once?.keep(answer) ?? Effect.void
      yield* ledger
        .holding(
          hold,
          () => costOf(price, quoted(resolved)),
          (row) => store.insert(task, Effect.zipRight(kept, row))
        )
        .pipe(Effect.catchTag("SqlError", Effect.die))
      return answer
    })

    const permitted = Effect.fnUntraced(function* (caller: Caller, request: CreateVideoTask) {
      const model = yield* models.find(request.model, kind)
      const refused = forbidden(caller, model.id)
      if (refused !== undefined) return yield* refused
      return { model, ...(yield* placeOf(model)) }
    })

    /** A request as it would be settled, with a usual and with the longest length where the model is to choose one. */
    const settled = Effect.fnUntraced(function* (caller: Caller, request: CreateVideoTask) {
      const { model, upstream } = yield* permitted(caller, request)
      const limits = limitsOf(model, upstream)
      const choices = limits.seconds?.length ?? choosableLengths
      const longest = yield* resolve(request, limits, () => choices - 1)
      const fit = upstream.fit?.(longest)
      if (fit?.type === "refused") return yield* fit.refused
      if (typeof request.callback_url === "string") yield* guard.admit(request.callback_url, "callback_url")
      return { model, longest, usual: yield* resolve(request, limits, () => Math.floor(choices / 2)) }
    })

    const placeOf = ({ id, routes: [route] }: Model) => {
      const upstream = route === undefined ? undefined : upstreams.get(route.upstream)
      return route === undefined || upstream === undefined
        ? Effect.dieMessage(`model ${id} has no upstream`)
        : Effect.succeed({ upstream, upstreamModel: route.model })
    }

    const read = store.reader(kind, (task) => record(videoTask(task)))

    const find = (account: AccountId, id: string): Effect.Effect<VideoTaskRecord, NotFound> =>
      Eager.flatMap(Eager.orDie(read(account, id)), (found) =>
        Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(notFound(id))
      )

    /** One page of the account's tasks of the days for which tasks are kept, newest first. */
    const list = (account: AccountId, query: ListVideoTasks) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const size = query.page_size ?? 10
        const filters = {
          ...(query["filter.status"] !== undefined && { states: [stateOf(query["filter.status"])] }),
          ...idsOf(query["filter.task_ids"]),
          ...(query["filter.model"] !== undefined && { model: query["filter.model"] }),
          ...(query["filter.service_tier"] !== undefined && { tier: query["filter.service_tier"] })
        }
        const page = { offset: ((query.page_num ?? 1) - 1) * size, limit: size }
        const sinceMs = nowMs - Duration.toMillis(retention)
        return Effect.orDie(store.list({ account, kind, sinceMs, ...filters, ...page }))
      }).pipe(Effect.map(({ tasks, total }) => ({ total, items: tasks.map((task) => listed(videoTask(task))) })))

    /** Cancels what waits, removes what has ended, refuses what runs. */
    const remove = Effect.fnUntraced(function* (account: AccountId, id: string) {
      const cancelled = yield* Effect.orDie(cancellation.cancel(account, kind, id))
      switch (cancelled) {
        case "cancelled":
          return {}
        case "running":
          return yield* isRunning()
        case "unreachable":
          return yield* new UpstreamFailed({ message: "The upstream can't be reached; nothing was cancelled" })
        case "none":
          return yield* notFound(id)
        case "ended": {
          const removed = yield* Effect.orDie(store.remove(account, kind, id))
          return removed ? {} : yield* notFound(id)
        }
      }
    })

    return { create, settled, find, list, remove } as const
  })
}) {}

const limitsOf = (model: Model, upstream: VideoUpstream) => ({
  images: 9,
  videos: 3,
  audios: 3,
  passesThrough: upstream.passesThrough,
  resolutions: model.resolutions ?? commonResolutions,
  seconds: upstream.seconds
})

interface Accepted {
  readonly caller: Caller
  readonly request: CreateVideoTask
  readonly resolved: Resolved
  readonly upstream: VideoUpstream
  readonly upstreamModel: string
  readonly id: string
  readonly createdAtMs: number
  readonly body: unknown
}

const newTask = ({ body, caller, createdAtMs, id, request, resolved, upstream, upstreamModel }: Accepted): NewTask => {
  const { media, prompt, settings } = resolved
  const executionExpiresAfterSeconds = request.execution_expires_after ?? 172_800
  const expiresAtMs = createdAtMs + executionExpiresAfterSeconds * 1_000
  const details: VideoDetails = {
    settings,
    executionExpiresAfterSeconds,
    safetyIdentifier: request.safety_identifier ?? null
  }
  const job: VideoJob = {
    taskId: id,
    upstreamModel,
    prompt,
    media: upstream.passesThrough ? [] : media,
    settings,
    body: upstream.passesThrough ? passedThrough(body) : null,
    createdAtMs,
    deadlineMs: expiresAtMs
  }
  return {
    id,
    kind,
    account: caller.account,
    key: caller.key,
    model: request.model,
    lane: videoLane(upstream.name),
    details: { ...details },
    request: job,
    tier: settings.serviceTier,
    upstream: upstream.name,
    callbackUrl: request.callback_url ?? null,
    createdAtMs,
    expiresAtMs
  }
}

/** The caller's body without its callback address: callbacks come from the gateway, which knows what the task is called here. */
const passedThrough = (body: unknown): JsonObject => {
  const { callback_url: _, ...rest } = isJsonObject(body) ? body : {}
  return rest
}

/** The specification lists two states under a second name. */
const stateOf = (status: NonNullable<ListVideoTasks["filter.status"]>): TaskState => {
  if (status === "pending") return "running"
  return status === "success" ? "succeeded" : status
}

/** Repeated, or separated by commas; an empty filter filters nothing. */
const idsOf = (given: string | ReadonlyArray<string> | undefined) => {
  const ids = [given ?? []]
    .flat()
    .flatMap((text) => text.split(","))
    .map((id) => id.trim())
    .filter((id) => id !== "")
  return ids.length === 0 ? {} : { ids }
}

const notFound = (id: string) =>
  new NotFound({ message: `task not found: no video task has the id "${id}"`, param: null })

const isRunning = () =>
  new Conflict({
    code: "InvalidAction.RunningTaskDeletion",
    message: "Cannot delete task because it is currently running; it can be removed once it has ended"
  })
