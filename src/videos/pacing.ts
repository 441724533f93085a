import { Clock, Effect, Random } from "effect"
import { makeCrowd, saturatedDelay, unreachableDelay, untilPoll } from "../tasks/backoff.ts"
import type { AccountId } from "../contract/callers/Caller.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"
import type { TaskTurn } from "../tasks/TaskKind.ts"
import type { VideoAmbiguous, VideoRejected, VideoTransient } from "../upstreams/videos/VideoUpstream.ts"
import type { Wait } from "./places.ts"
import { failedTurn } from "./turns.ts"
import { Outages } from "./Outages.ts"

/** How long after its create a video may still be unknown to its upstream, in ms. */
const knownAfterMs = 30_000

/** Sets the time of a task's next call from its upstream's behaviour. */
export const makePacing = Effect.gen(function* () {
  const outages = yield* Outages
  /** The usual duration of an upstream's videos, learned from finished ones. */
  const usualMs = new Map<string, number>()
  const crowds = new Map<string, ReturnType<typeof makeCrowd>>()

  const took = (bulkhead: string, ms: number) => {
    const before = usualMs.get(bulkhead)
    usualMs.set(bulkhead, before === undefined ? ms : before * 0.8 + ms * 0.2)
  }

  /** After a report of the upstream. */
  const later = (task: Task, patch: TaskPatch, ageMs: number, saidMs: number | undefined): Effect.Effect<TaskTurn> =>
    Effect.zipWith(Random.next, Clock.currentTimeMillis, (random, nowMs) => {
      const crowd = crowds.get(task.lane) ?? makeCrowd()
      crowds.set(task.lane, crowd)
      const ms = untilPoll(ageMs, usualMs.get(task.lane), saidMs, crowd.waiting(), random)
      crowd.asksAgainIn(ms, nowMs)
      return again(patch, ms)
    })

  /** After a call that failed or whose outcome is unknown. */
  const retry = (task: Task): Effect.Effect<TaskTurn> =>
    Effect.map(Random.next, (random) => again({ tries: task.tries + 1 }, unreachableDelay(task.tries, random)))

  /** The upstream does not know the video. A relay may know it a little later than it gives the id. */
  const unknown = (task: Task, error: VideoRejected): Effect.Effect<TaskTurn> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      nowMs - (task.submitAtMs ?? -Infinity) < knownAfterMs ? retry(task) : Effect.succeed(failedTurn(error))
    )

  const failedFor = (task: Task, error: VideoTransient): Effect.Effect<TaskTurn> =>
    Effect.zipRight(noteFailure(task.lane, task.account, error), retry(task))

  /** Every route refused for now: the earliest deadline sets the next submit. */
  const resubmitted = (task: Task, wait: Wait): Effect.Effect<TaskTurn> =>
    Effect.map(Random.next, (random) =>
      again(
        { submitAtMs: null, tries: task.tries + 1 },
        wait._tag === "VideoSaturated"
          ? saturatedDelay(task.tries, wait.retryAfterSeconds, random)
          : unreachableDelay(task.tries, random)
      )
    )

  const noteAnswer = (bulkhead: string) => Effect.sync(() => outages.answered(bulkhead))

  /** Records a failed call in the upstream's outages. */
  const noteFailure = (bulkhead: string, account: AccountId, error: Unanswered | Wait | VideoRejected) => {
    if ("keptBack" in error && error.keptBack === true) return Effect.void
    return "unanswered" in error && error.unanswered
      ? Effect.map(Clock.currentTimeMillis, (nowMs) => {
          const isUnreachable = error._tag === "VideoTransient" && error.neverSent === true
          outages.unanswered(bulkhead, isUnreachable ? undefined : account, nowMs)
        })
      : noteAnswer(bulkhead)
  }

  const { isSilent } = outages
  return {
    took,
    later,
    retried: retry,
    unknown,
    failedFor,
    resubmitted,
    answered: noteAnswer,
    noteFailure,
    isSilent
  } as const
})

export type Pacing = Effect.Effect.Success<typeof makePacing>

type Unanswered = VideoAmbiguous | VideoTransient

export const again = (patch: TaskPatch, againInMs: number): TaskTurn => ({ patch, againInMs })
