import { Clock, Effect, Either, Option, Schedule } from "effect"
import { exitOf } from "../flow/exitOf.ts"
import type { JsonObject } from "../contract/fields.ts"
import { VideoAmbiguous, VideoTransient, VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import type {
  VideoJob,
  VideoRejected,
  VideoReport,
  VideoResult,
  VideoUpstream
} from "../upstreams/videos/VideoUpstream.ts"
import { RetryAfter } from "../routing/RetryAfter.ts"
import type { RouteFailure } from "../routing/RetryAfter.ts"
import { fails } from "../routing/tryRoutes.ts"
import { CrashPoints } from "../tasks/CrashPoints.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import type { Task, TaskError } from "../tasks/Task.ts"
import type { Lease, LeaseLost, TaskKind, TaskTurn } from "../tasks/TaskKind.ts"
import { again, makePacing } from "./pacing.ts"
import { routeError, jobAt, movedTo, placesOf, requesterOf, soonest, videoBulkhead, waitOf } from "./places.ts"
import type { Place, Wait } from "./places.ts"
import { makeCalling } from "./calling.ts"
import { atProgress } from "./atProgress.ts"
import { whileFetching } from "./fetching.ts"
import { ends, failedTurn, keyGone, refusedTurn, unconfirmedError, unsearchable, unserved } from "./turns.ts"
import { fingerprintOf, unansweredOf } from "./fingerprints.ts"
import { makeReconcile, reconcileAfterMs } from "./reconcile.ts"
import { jobOf } from "./jobOf.ts"
import type { Outages } from "./Outages.ts"
import { FirstReplies } from "./FirstReplies.ts"
import { settleIfNew } from "./settleIfNew.ts"

/** The video family's part of the driver. A task's request is a `VideoJob`, its result a `VideoResult`. */
export interface VideoFamily {
  readonly record: (task: Task) => JsonObject
  /** As in `TaskKind`. */
  readonly event?: TaskKind["event"]
  readonly changed?: (task: Task) => Effect.Effect<number, StoreFailure>
  readonly keepsRequest?: (task: Task) => boolean
  /** A result without implausible numbers. */
  readonly sound?: (task: Task, reported: VideoResult) => Effect.Effect<VideoResult>
}

/** The most concurrent submits, polls and cancels per upstream. */
const parallel = 64
/** Once a second for 20 s, within the lease. */
const stubborn = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(20)))

/**
 * Drives video tasks: submits at most once, then polls until the upstream reports the end. One turn is one call. Only
 * the upstream or the deadline ends a task; any other failure is retried later.
 */
export const makeVideoKind = Effect.fnUntraced(function* (
  family: VideoFamily
): Effect.fn.Return<TaskKind, never, VideoUpstreams | FirstReplies | Outages> {
  const upstreams = yield* VideoUpstreams
  const firstReplies = yield* FirstReplies
  const retryAfter = new RetryAfter(yield* Effect.clock)
  const crash = yield* CrashPoints
  const pacing = yield* makePacing
  const calling = yield* makeCalling

  /** Tries the task's routes in order until one accepts it. */
  const submit = Effect.fnUntraced(function* (
    lease: Lease
  ): Effect.fn.Return<TaskTurn | "settled", LeaseLost | StoreFailure> {
    const job = yield* jobOf(lease)
    const requester = requesterOf(lease.task.account, job)
    const { ask, skipped } = retryAfter.order(placesOf(lease.task, job, upstreams), requester)
    const failures: Array<RouteFailure<Place>> = [...skipped]
    const waits: Array<Wait> = skipped.map(({ error }) => waitOf(error))
    let last: TaskError = unserved
    let { task } = lease
    for (const place of ask) {
      if (failures.some((failure) => fails(requester, place, failure))) continue
      const submitAtMs = yield* Clock.currentTimeMillis
      // Starts from the current route: a refusal of an earlier one has moved the task.
      const sent = { ...jobAt(job, place.index), upstreamModel: place.model }
      const fingerprint = fingerprintOf(upstreams.get(place.upstream), sent)
      task = yield* lease.write({ ...movedTo(task, job, place), submitAtMs, fingerprint })
      const submitted = yield* Effect.either(submitTo(lease, job, place, { task, submitAtMs, sent }))
      if (Either.isRight(submitted)) return submitted.right
      const error = submitted.left
      if (error._tag === "LeaseLost" || error._tag === "StoreFailure") return yield* Effect.fail(error)
      failures.push({ route: place, error: routeError(error) })
      if (error._tag === "VideoRejected") last = error
      else waits.push(error)
    }
    const wait = soonest(waits)
    return wait === undefined ? refusedTurn(last) : yield* pacing.resubmitted(lease.task, wait)
  }, Effect.uninterruptible)

  /** Fails with errors that another route may not have. */
  const submitTo = Effect.fnUntraced(function* (lease: Lease, job: VideoJob, place: Place, intended: IntendedSubmit) {
    const { sent, submitAtMs, task } = intended
    yield* crash.at("intended")
    // If the process was suspended here, another may have taken over and submitted the video.
    if ((yield* Clock.currentTimeMillis) - submitAtMs >= reconcileAfterMs) return again({ submitAtMs: null }, 0)
    const upstream = calling.at(place, task)
    if (upstream === undefined) return refusedTurn(unserved)
    const requester = requesterOf(task.account, job)
    const routeCall = retryAfter.begin(place, requester)
    const bulkhead = videoBulkhead(place.upstream)
    const isBack = Effect.zipRight(
      pacing.answered(bulkhead),
      Effect.sync(() => routeCall?.answered())
    )
    const leftFor = <E extends Wait | VideoRejected>(error: E) => {
      retryAfter.recordFailure(place, requester, routeError(error))
      return Effect.zipRight(pacing.noteFailure(bulkhead, task.account, error), Effect.fail(error))
    }
    // Not interrupted at shutdown: without its answer, the video could not be found again.
    const submitting = upstream.submit(sent)
    const submitted =
      exitOf(submitting) === undefined
        ? submitting.pipe(
            Effect.interruptible,
            Effect.timeoutFail({
              duration: "2 minutes",
              onTimeout: () => new VideoAmbiguous({ reason: "no answer", unanswered: true })
            })
          )
        : submitting
    return yield* submitted.pipe(
      Effect.tap(() => crash.at("submitted")),
      Effect.tap(isBack),
      Effect.flatMap((id) => recordId(lease, task, upstream, id, upstream.expectedMs?.(id))),
      Effect.catchTags({
        VideoRejected: (error) =>
          error.elsewhere === true ? leftFor(error) : Effect.zipRight(isBack, refusedBy(lease, error)),
        VideoSaturated: leftFor,
        VideoTransient: leftFor,
        // The intent stays stored: the next turn reconciles it.
        VideoAmbiguous: (error) => {
          retryAfter.recordFailure(place, requester, routeError())
          const turn =
            upstream.reconcile === undefined
              ? failedTurn(unconfirmedError(unsearchable))
              : again({ fingerprint: unansweredOf(upstream, task, sent) }, reconcileAfterMs)
          return Effect.as(pacing.noteFailure(bulkhead, task.account, error), turn)
        }
      })
    )
  })

  /** The caller's fault. A caller that still waits gets the refusal, and its task is withdrawn. */
  const refusedBy = (lease: Lease, error: VideoRejected): Effect.Effect<TaskTurn | "settled"> => {
    const caller = firstReplies.take(lease.task.id)
    if (caller === undefined) return Effect.succeed(refusedTurn(error))
    return lease.removeHeld(error, caller.undo).pipe(
      Effect.tap(() => caller.refused(error.message)),
      Effect.catchAllCause(() => {
        caller.stands()
        return Effect.succeed(refusedTurn(error))
      })
    )
  }

  /** Stores the id and ends the turn in one write. */
  const recordId = (lease: Lease, task: Task, upstream: VideoUpstream, upstreamId: string, saidMs?: number) =>
    pacing.later(task, { upstreamId, tries: 0 }, 0, saidMs).pipe(
      Effect.flatMap((turn) => settleIfNew(lease, upstreamId, turn)),
      // The id is worth waiting for, for instance while the disk is full.
      Effect.retry({ schedule: stubborn, while: (error) => error._tag === "StoreFailure" }),
      Effect.tap(() => crash.at("recorded")),
      Effect.tapErrorTag("LeaseLost", () => Effect.ignore(cancelUnwanted(lease, task, upstream, upstreamId)))
    )

  /**
   * After a lost lease: cancels the video if the task has ended, or was submitted again. Otherwise another worker has the
   * video, or will find it when it reconciles this submit.
   */
  const cancelUnwanted = Effect.fnUntraced(function* (
    lease: Lease,
    { submitAtMs }: Task,
    upstream: VideoUpstream,
    upstreamId: string
  ) {
    const isWanted = Option.exists(yield* lease.stored, (now) =>
      now.upstreamId === null ? now.endedAtMs === null && now.submitAtMs === submitAtMs : now.upstreamId === upstreamId
    )
    if (!isWanted) yield* upstream.cancel(upstreamId)
  })

  const reconcile = makeReconcile(pacing, recordId)

  const poll = (task: Task, upstream: VideoUpstream, upstreamId: string): Effect.Effect<TaskTurn> =>
    upstream.poll(upstreamId).pipe(
      Effect.timeoutFail({ duration: "1 minute", onTimeout: () => noAnswer }),
      Effect.tap(() => pacing.answered(task.lane)),
      Effect.tap(() => crash.at("polled")),
      Effect.flatMap((report) => afterPoll(task, report)),
      Effect.catchTags({
        VideoRejected: (error) => Effect.zipRight(pacing.answered(task.lane), pacing.unknown(task, error)),
        VideoTransient: (error) => pacing.failedFor(task, error)
      })
    )

  const sound = (task: Task) => (result: VideoResult) => family.sound?.(task, result) ?? Effect.succeed(result)

  const afterPoll = (task: Task, report: VideoReport): Effect.Effect<TaskTurn> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const ageMs = nowMs - (task.submitAtMs ?? nowMs)
      switch (report.status) {
        case "unknown":
          if (ageMs >= (report.expiresAfterMs ?? Infinity)) return Effect.succeed(ends({ state: "expired" }))
          return pacing.later(task, { tries: 0 }, ageMs, report.nextPollMs)
        case "fetching":
          return Effect.flatMap(whileFetching(task, report, nowMs, sound(task)), (patch) =>
            pacing.later(task, patch, ageMs, report.nextPollMs)
          )
        case "queued":
          return pacing.later(task, { tries: 0 }, ageMs, report.nextPollMs)
        case "running":
          return pacing.later(task, atProgress(task, report.progress), ageMs, report.nextPollMs)
        case "succeeded":
          pacing.took(task.lane, ageMs)
          return Effect.map(sound(task)(report.result), (result) => ends({ state: "succeeded", result }))
        case "failed":
          return Effect.succeed(failedTurn(report.error))
        case "expired":
        case "cancelled":
          return Effect.succeed(ends({ state: report.status }))
      }
    })

  return {
    name: "video",
    parallel,
    isSilent: pacing.isSilent,
    run: (lease) => {
      const { task } = lease
      const annotated = Effect.annotateLogs({ model: task.model, attempt: task.tries + 1 })
      if (task.upstreamId === null && task.submitAtMs === null) {
        // Any outcome but a refusal: the task stands.
        return submit(lease).pipe(Effect.ensuring(Effect.sync(() => firstReplies.take(task.id)?.stands())), annotated)
      }
      const upstream = calling.of(task)
      if (upstream === undefined)
        return Effect.succeed(failedTurn(upstreams.has(task.upstream ?? "") ? keyGone : unserved))
      const turn =
        task.upstreamId !== null
          ? poll(task, upstream, task.upstreamId)
          : reconcile(lease, upstream, task.submitAtMs ?? 0)
      return annotated(turn)
    },
    record: family.record,
    ...(family.event === undefined ? {} : { event: family.event }),
    ...(family.changed === undefined ? {} : { changed: family.changed }),
    ...(family.keepsRequest === undefined ? {} : { keepsRequest: family.keepsRequest }),
    cancel: (task) => {
      const upstream = calling.of(task)
      if (upstream === undefined || task.upstreamId === null) return Effect.succeed("ended" as const)
      return upstream.cancel(task.upstreamId).pipe(
        Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => noAnswer }),
        Effect.catchTag("VideoTransient", () => Effect.succeed("unreachable" as const)),
        Effect.annotateLogs({ task: task.id, model: task.model })
      )
    },
    gaveUp: (reason) => ({ code: "InternalServiceError", message: `The video could not be made: ${reason}.` })
  }
})

/** A submit whose intent is stored. */
interface IntendedSubmit {
  readonly task: Task
  /** The job as the route gets it. */
  readonly sent: VideoJob
  readonly submitAtMs: number
}

const noAnswer = new VideoTransient({ reason: "no answer", unanswered: true })
