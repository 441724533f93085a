import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option, Random, Schedule, Schema } from "effect"
import { exitOf } from "../contract/eager.ts"
import type { JsonObject } from "../contract/fields.ts"
import { VideoAmbiguous, VideoJob, VideoTransient, VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoReport, VideoSaturated, VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { makeCrowd, saturated, unreachable, untilPoll } from "./backoff.ts"
import { CrashPoints } from "./CrashPoints.ts"
import type { Task, TaskError, TaskPatch } from "./Task.ts"
import type { Lease, LeaseLost, TaskKind, Turn } from "./TaskKind.ts"

/** What the family of video tasks adds to the driver. The request of a task is a `VideoJob`, its result a `VideoResult`. */
export interface VideoFamily {
  readonly record: (task: Task) => JsonObject
  readonly changed?: (task: Task) => Effect.Effect<void, SqlError>
}

/** Of one upstream at a time: submits, polls and cancels together. */
const parallel = 64
/** After a submit without an answer, the upstream may still be taking it in: reconciling earlier could miss it. */
const reconcileAfterMs = 5_000
/** Once a second for 20 s, which a lease outlives. */
const stubborn = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(20)))
/** How often an answer to "did you get it?" may be unclear before the task fails. */
const reconcileTries = 5

/** The lane of an upstream's videos. */
export const videoLane = (upstream: string): string => `video:${upstream}`

/**
 * Drives video tasks over their upstreams: submit at most once, then poll until the upstream says it is over. One turn is
 * one call. Only the upstream's own word or the deadline ends a task; whatever else goes wrong is tried again later.
 */
export const makeVideoKind = (family: VideoFamily): Effect.Effect<TaskKind, never, VideoUpstreams> =>
  Effect.gen(function* () {
    const upstreams = yield* VideoUpstreams
    const crash = yield* CrashPoints
    /** How long a lane's videos usually take, learned from those that were seen to end. */
    const usualMs = new Map<string, number>()
    const crowds = new Map<string, ReturnType<typeof makeCrowd>>()

    const submit = (lease: Lease, upstream: VideoUpstream): Effect.Effect<Turn | "settled", LeaseLost | SqlError> =>
      Effect.gen(function* () {
        const job = yield* jobOf(lease)
        yield* lease.write({ submitAtMs: yield* Clock.currentTimeMillis })
        yield* crash.at("intended")
        // Not interrupted when the process is asked to stop: an answer that nobody hears is a video nobody can find.
        const submitting = upstream.submit(job)
        const submitted =
          exitOf(submitting) === undefined
            ? submitting.pipe(
                Effect.interruptible,
                Effect.timeoutFail({
                  duration: "2 minutes",
                  onTimeout: () => new VideoAmbiguous({ reason: "no answer" })
                })
              )
            : submitting
        return yield* submitted.pipe(
          Effect.tap(() => crash.at("submitted")),
          Effect.flatMap((id) => recordId(lease, upstream, id, upstream.expectedMs?.(id))),
          Effect.catchTags({
            // Heard, and nothing was made: no other task's unheard submit has a rival in it.
            VideoRejected: ({ code, message }) =>
              Effect.succeed(ends({ state: "failed", error: { code, message }, submitAtMs: null })),
            VideoSaturated: (error) => resubmitLater(lease.task, error),
            VideoTransient: (error) => resubmitLater(lease.task, error),
            // The intent stays: the next turn asks the upstream whether it has the video.
            VideoAmbiguous: () =>
              Effect.succeed(upstream.reconcile === undefined ? failed(unconfirmed) : again({}, reconcileAfterMs))
          })
        )
      }).pipe(Effect.uninterruptible)

    /** Stores the id and ends the turn in one write; a video whose task was ended during its submit is stopped. */
    const recordId = (lease: Lease, upstream: VideoUpstream, upstreamId: string, saidMs?: number) =>
      later(lease.task, { upstreamId, tries: 0 }, 0, saidMs).pipe(
        Effect.flatMap(lease.settle),
        // A full disk, say: the id is worth waiting for.
        Effect.retry({ schedule: stubborn, while: (error) => error._tag === "SqlError" }),
        Effect.tap(() => crash.at("recorded")),
        Effect.tapErrorTag("LeaseLost", () => Effect.ignore(upstream.cancel(upstreamId)))
      )

    const resubmitLater = (task: Task, error: VideoSaturated | VideoTransient) =>
      Effect.map(Random.next, (random) =>
        again(
          { submitAtMs: null, tries: task.tries + 1 },
          error._tag === "VideoSaturated"
            ? saturated(task.tries, error.retryAfterSeconds, random)
            : unreachable(task.tries, random)
        )
      )

    /** A submit was meant and its outcome is not known. Never submitted again unless the upstream says it has nothing. */
    const reconcile = (
      lease: Lease,
      upstream: VideoUpstream,
      intendedMs: number
    ): Effect.Effect<Turn | "settled", LeaseLost | SqlError> =>
      Effect.gen(function* () {
        if (upstream.reconcile === undefined) return failed(unconfirmed)
        const waitMs = intendedMs + reconcileAfterMs - (yield* Clock.currentTimeMillis)
        if (waitMs > 0) return again({}, waitMs)
        const { task } = lease
        const rivals = (ids: ReadonlyArray<string>) =>
          lease.rivals(ids, intendedMs).pipe(
            Effect.map(({ taken, unheard }) => ({ taken, unheard: unheard.map(jobIfKnown) })),
            Effect.mapError((error) => new VideoTransient({ reason: error.message }))
          )
        return yield* upstream.reconcile(yield* jobOf(lease), { meantMs: intendedMs, rivals }).pipe(
          Effect.timeoutFail({ duration: "1 minute", onTimeout: () => new VideoTransient({ reason: "no answer" }) }),
          Effect.flatMap(
            Option.match({
              onNone: (): ReturnType<TaskKind["run"]> => Effect.succeed(again({ submitAtMs: null, tries: 0 }, 0)),
              onSome: (id) => recordId(lease, upstream, id)
            })
          ),
          Effect.catchTags({
            VideoAmbiguous: () =>
              task.tries + 1 >= reconcileTries
                ? Effect.succeed(failed(unconfirmed))
                : Effect.map(Random.next, (random) =>
                    again({ tries: task.tries + 1 }, unreachable(task.tries, random))
                  ),
            VideoTransient: () =>
              Effect.map(Random.next, (random) => again({ tries: task.tries + 1 }, unreachable(task.tries, random)))
          })
        )
      })

    const poll = (task: Task, upstream: VideoUpstream, upstreamId: string): Effect.Effect<Turn> =>
      upstream.poll(upstreamId).pipe(
        Effect.timeoutFail({ duration: "1 minute", onTimeout: () => new VideoTransient({ reason: "no answer" }) }),
        Effect.tap(() => crash.at("polled")),
        Effect.flatMap((report) => afterPoll(task, report)),
        Effect.catchTags({
          VideoRejected: (error) => Effect.succeed(failed(error)),
          VideoTransient: () =>
            Effect.map(Random.next, (random) => again({ tries: task.tries + 1 }, unreachable(task.tries, random)))
        })
      )

    const afterPoll = (task: Task, report: VideoReport): Effect.Effect<Turn> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const ageMs = nowMs - (task.submitAtMs ?? nowMs)
        switch (report.status) {
          case "queued":
          case "unknown":
            return later(task, { tries: 0 }, ageMs, report.nextPollMs)
          case "running":
            return later(task, { state: "running", tries: 0 }, ageMs, report.nextPollMs)
          case "succeeded":
            learn(task.lane, ageMs)
            return Effect.succeed(ends({ state: "succeeded", result: report.result }))
          case "failed":
            return Effect.succeed(failed(report.error))
          case "expired":
          case "cancelled":
            return Effect.succeed(ends({ state: report.status }))
        }
      })

    const later = (task: Task, patch: TaskPatch, ageMs: number, saidMs: number | undefined) =>
      Effect.zipWith(Random.next, Clock.currentTimeMillis, (random, nowMs) => {
        const crowd = crowds.get(task.lane) ?? makeCrowd()
        crowds.set(task.lane, crowd)
        const ms = untilPoll(ageMs, usualMs.get(task.lane), saidMs, crowd.waiting(), random)
        crowd.asksAgainIn(ms, nowMs)
        return again(patch, ms)
      })

    const learn = (lane: string, tookMs: number) => {
      const before = usualMs.get(lane)
      usualMs.set(lane, before === undefined ? tookMs : before * 0.8 + tookMs * 0.2)
    }

    const upstreamOf = (task: Task) => (task.upstream === null ? undefined : upstreams.get(task.upstream))

    return {
      name: "video",
      parallel,
      run: (lease) => {
        const { task } = lease
        const upstream = upstreamOf(task)
        if (upstream === undefined) return Effect.succeed(failed(unserved))
        if (task.upstreamId !== null) return poll(task, upstream, task.upstreamId)
        if (task.submitAtMs !== null) return reconcile(lease, upstream, task.submitAtMs)
        return submit(lease, upstream)
      },
      record: family.record,
      ...(family.changed === undefined ? {} : { changed: family.changed }),
      cancel: (task) => {
        const upstream = upstreamOf(task)
        if (upstream === undefined || task.upstreamId === null) return Effect.succeed("ended" as const)
        return upstream.cancel(task.upstreamId).pipe(
          Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => new VideoTransient({ reason: "no answer" }) }),
          Effect.catchTag("VideoTransient", () => Effect.succeed("unreachable" as const))
        )
      },
      gaveUp: (reason) => ({ code: "InternalServiceError", message: `The video could not be made: ${reason}.` })
    }
  })

const jobOf = (lease: Lease) => Effect.flatMap(lease.request, (job) => Effect.orDie(decodeJob(job)))
const decodeJob = Schema.decodeUnknown(VideoJob)
const decodeKnownJob = Schema.decodeUnknownOption(VideoJob)
const jobIfKnown = (request: unknown) => Option.getOrUndefined(decodeKnownJob(request))

const again = (patch: TaskPatch, againInMs: number): Turn => ({ patch, againInMs })
const ends = (patch: TaskPatch): Turn => ({ patch, againInMs: 0 })
const failed = ({ code, message }: TaskError): Turn => ends({ state: "failed", error: { code, message } })

const unconfirmed: TaskError = {
  code: "SubmitUnconfirmed",
  message:
    "The upstream did not confirm that it took the task and can't tell whether it did; it was not submitted again, so that nothing is paid for twice. Create the task again."
}
const unserved: TaskError = {
  code: "ModelUnavailable",
  message: "The upstream that was to render this video is no longer configured."
}
