import { Clock, Duration, Effect } from "effect"
import { Ownership } from "../ownership/Ownership.ts"
import type { Caller, Holder } from "../contract/callers/Caller.ts"
import { Conflict, NotFound, UpstreamFailed } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { recordedAt } from "../contract/records/Trace.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Offers } from "../ledger/Offers.ts"
import { costOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import type { QuotedRoute } from "../ledger/Quote.ts"
import { labelsOf } from "../dispatch/labelsOf.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { Cancellation } from "../tasks/Cancellation.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import { makeTaskReader } from "../tasks/makeTaskReader.ts"
import { Outbox } from "../tasks/Outbox.ts"
import type { NewTask, TaskState } from "../tasks/Task.ts"
import { TaskSettings } from "../tasks/TaskSettings.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import type { VideoJob } from "../upstreams/videos/VideoUpstream.ts"
import type { CreateShape } from "./CreateShape.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import type { ListVideoTasks } from "./ListVideoTasks.ts"
import { videoTask } from "./VideoTask.ts"
import type { VideoDetails } from "./VideoTask.ts"
import { newTaskId, randomOf } from "./taskId.ts"
import { longestOf, makeFitting, mostBilled, placeIn } from "./fitting.ts"
import type { Fitting } from "./fitting.ts"
import { settingsAt, videoBulkhead } from "./places.ts"
import { Outages } from "./Outages.ts"
import { longestFirstReply, FirstReplies } from "./FirstReplies.ts"
import { videoPricing } from "./videoPricing.ts"
import { listed, record } from "./VideoTaskRecord.ts"
import type { VideoTaskRecord } from "./VideoTaskRecord.ts"

const kind = "video"

/** Video tasks as their owners see them; the engine runs them. */
export class VideoTasks extends Effect.Service<VideoTasks>()("gateway/videos/VideoTasks", {
  dependencies: [Ownership.Default, Cancellation.Default, Outages.Default, FirstReplies.Default],
  effect: Effect.gen(function* () {
    const models = yield* Dispatch
    const guard = yield* AddressGuard
    const store = yield* TaskStore
    const ledger = yield* Ledger
    const cancellation = yield* Cancellation
    const fittingOf = yield* makeFitting
    const outbox = yield* Outbox
    const firstReplies = yield* FirstReplies
    const outages = yield* Outages
    const { retention } = yield* TaskSettings

    /** Accepts a valid request. The task is durable when its answer is returned. */
    const create = Effect.fnUntraced(function* <A>(
      caller: Caller,
      request: CreateVideoTask,
      incoming: Pick<Incoming, "id" | "body" | "headers" | "once" | "record" | "trace">,
      shape: CreateShape<A>
    ) {
      const { model, noFallback } = yield* models.choose(caller, request.model, kind, incoming.headers)
      const createdAtMs = yield* Clock.currentTimeMillis
      const id = newTaskId(createdAtMs)
      const fitting = yield* fittingOf({
        holder: caller,
        request,
        body: incoming.body,
        model,
        noFallback,
        strict: isStrict(model, incoming.headers),
        random: () => randomOf(id)("seed")
      })
      const [{ meant }] = fitting
      const offers = new Offers(fitting, undefined, videoPricing)
      const isSilent = (at: Fitting) =>
        outages.isSilentFor(videoBulkhead(at.upstream.name), caller.account, createdAtMs)
      if (typeof request.callback_url === "string") yield* guard.admit(request.callback_url, "callback_url")
      const isWaitedFor = fitting.some(({ upstream }) => upstream.refusesAtOnce === true) && !fitting.every(isSilent)
      const quietUntilMs = isWaitedFor ? createdAtMs + Duration.toMillis(longestFirstReply) : undefined
      const begins = () =>
        Math.max(
          0,
          offers.all.findIndex((at) => !isSilent(at))
        )
      const task = () =>
        newTask({
          caller,
          fitting: offers.all,
          begins: begins(),
          id,
          createdAtMs,
          quietUntilMs,
          requestId: incoming.id,
          trace: recordedAt(incoming.trace),
          api: shape.api
        })
      const answer = shape.answer(id, task)
      const hold = {
        id,
        caller,
        requestId: incoming.id,
        model: model.id,
        offers,
        get upstream() {
          return offers.all[0].upstream.name
        },
        get price() {
          return offers.all[0].price
        },
        unpriced: model.unpriced,
        modelLimits: models.limitsOf(model),
        mostNanoUsd: (price: Price) => costOf(price, mostBilled(fitting)),
        mostTokens: () => mostBilled(fitting).outputTokens,
        labels: labelsOf([model], incoming.record)
      }
      const keepAnswer = incoming.once?.keep(answer) ?? Effect.void
      const storing = ledger
        .holding(hold, (row) => store.insert(task(), orStoreFailure(Effect.zipRight(keepAnswer, row))))
        .pipe(Effect.catchTag("StoreFailure", Effect.die))
      const made = yield* isWaitedFor
        ? firstReplies.await(id, orStoreFailure(incoming.once?.forget ?? Effect.void), storing)
        : storing
      if (isWaitedFor) yield* Effect.orDie(outbox.hurry(made))
      yield* meant.claim
      incoming.record?.creates(id, (offers.all[begins()] ?? offers.all[0]).place)
      return answer
    })

    /** A settled request and its possible routes, in order, each with its price. */
    const settled = Effect.fnUntraced(function* (caller: Caller, asked: CreateVideoTask, headers: Headers) {
      const { model, noFallback } = yield* models.choose(caller, asked.model, kind, headers)
      const fitting = yield* fittingOf({
        holder: caller,
        request: asked,
        body: null,
        model,
        noFallback,
        strict: isStrict(model, headers),
        random: () => 0
      })
      const [{ meant }] = fitting
      const resolved = longestOf(fitting)
      const { request } = meant
      const offers = new Offers(fitting, undefined, videoPricing)
      yield* ledger.permit({ caller, model: model.id, offers, unpriced: model.unpriced })
      const [first, ...others] = offers.all
      if (typeof request.callback_url === "string") yield* guard.admit(request.callback_url, "callback_url")
      const routes: readonly [QuotedRoute, ...ReadonlyArray<QuotedRoute>] = [
        pricedRoute(first),
        ...others.map(pricedRoute)
      ]
      return { model, most: mostBilled(fitting), resolved, routes }
    })

    const find = makeTaskReader(store, kind, (task): VideoTaskRecord => record(videoTask(task)), notFound)

    /** One page of the holder's tasks within the retention, newest first. */
    const list = ({ account, person }: Holder, query: ListVideoTasks) =>
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
        return Effect.orDie(store.list({ account, keys: person?.keys, kind, sinceMs, ...filters, ...page }))
      }).pipe(Effect.map(({ tasks, total }) => ({ total, items: tasks.map((task) => listed(videoTask(task))) })))

    /** Cancels a waiting task, removes an ended one, refuses for a running one. Tells which of the two it did. */
    const remove = Effect.fnUntraced(function* (holder: Holder, id: string) {
      const { account } = holder
      if (holder.person !== undefined) yield* find(holder, id)
      const cancelled = yield* Effect.orDie(cancellation.cancel(account, kind, id))
      switch (cancelled) {
        case "cancelled":
          return cancelled
        case "running":
          return yield* isRunning()
        case "unreachable":
          return yield* new UpstreamFailed({ message: "The upstream can't be reached; nothing was cancelled" })
        case "none":
          return yield* notFound(id)
        case "ended": {
          const removed = yield* Effect.orDie(store.remove(account, kind, id))
          return removed ? ("removed" as const) : yield* notFound(id)
        }
      }
    })

    return { create, settled, find, list, remove } as const
  })
}) {}

interface Accepted extends Pick<NewTask, "id" | "createdAtMs" | "quietUntilMs" | "requestId" | "trace"> {
  readonly caller: Caller
  readonly fitting: readonly [Fitting, ...ReadonlyArray<Fitting>]
  /** The index of the first route that answers. */
  readonly begins: number
  readonly api: VideoDetails["api"]
}

const newTask = ({ api, begins, caller, fitting, ...known }: Accepted): NewTask => {
  const { createdAtMs, id } = known
  const [first] = fitting
  const { meant, place, resolved } = first
  const {
    adapted,
    place: { key },
    price,
    upstream
  } = fitting[begins] ?? first
  const { body, draftTaskId, request } = meant
  const { media, prompt, settings } = resolved
  const routes = fitting.length > 1 ? fitting.map((one) => placeIn(settings, one)) : undefined
  const executionExpiresAfterSeconds = request.execution_expires_after ?? 172_800
  const expiresAtMs = createdAtMs + executionExpiresAfterSeconds * 1_000
  const details: VideoDetails = {
    settings: settingsAt({ settings, routes }, begins),
    executionExpiresAfterSeconds,
    safetyIdentifier: request.safety_identifier ?? null,
    ...(draftTaskId !== undefined && { draftTaskId }),
    ...(key !== undefined && { upstreamKey: key }),
    ...(adapted.length > 0 && { adapted }),
    ...(api !== undefined && { api })
  }
  const job: VideoJob = {
    taskId: id,
    upstreamModel: place.model,
    ...(routes !== undefined && { routes }),
    prompt,
    media: fitting.every(({ upstream }) => upstream.isPassthrough) ? [] : media,
    settings,
    body: fitting.some(({ upstream }) => upstream.isPassthrough) ? passedThrough(body) : null,
    createdAtMs,
    deadlineMs: expiresAtMs
  }
  return {
    ...known,
    kind,
    account: caller.account,
    key: caller.key,
    model: request.model,
    lane: videoBulkhead(upstream.name),
    details: { ...details, ...(begins > 0 && { route: begins }), ...(fitting.length > 1 && { price: price.text }) },
    request: job,
    tier: settings.serviceTier,
    upstream: upstream.name,
    callbackUrl: request.callback_url ?? null,
    expiresAtMs
  }
}

const pricedRoute = ({ place, price }: Fitting): QuotedRoute => ({ ...place, price })

const isStrict = ({ strict }: Pick<Model, "strict">, headers: Headers): boolean =>
  strict === true || headers.get("x-gateway-strict") === "true"

/** The caller's body without its callback address: the gateway delivers callbacks, under its own task id. */
const passedThrough = (body: unknown): JsonObject => {
  const { callback_url: _, ...rest } = isJsonObject(body) ? body : {}
  return rest
}

/** Two states have a second name (docs/api.md#a-video-tasks-states). */
const stateOf = (status: NonNullable<ListVideoTasks["filter.status"]>): TaskState => {
  if (status === "pending") return "running"
  return status === "success" ? "succeeded" : status
}

/** Repeated or separated by commas. An empty filter filters nothing. */
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
