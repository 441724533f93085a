import { Clock, Effect, Random } from "effect"
import { makeCrowd, saturated, unreachable, untilPoll } from "../tasks/backoff.ts"
import type { AccountId } from "../contract/Caller.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"
import type { TaskTurn } from "../tasks/TaskKind.ts"
import type { VideoAmbiguous, VideoRejected, VideoTransient } from "../upstreams/VideoUpstream.ts"
import type { Wait } from "./places.ts"
import { Outages } from "./Outages.ts"

/** When tasks ask again, by what was seen of their upstreams. */
export const makePacing = Effect.gen(function* () {
  const silences = yield* Outages
  /** How long a lane's videos usually take, learned from those that were seen to end. */
  const usualMs = new Map<string, number>()
  const crowds = new Map<string, ReturnType<typeof makeCrowd>>()

  const took = (lane: string, ms: number) => {
    const before = usualMs.get(lane)
    usualMs.set(lane, before === undefined ? ms : before * 0.8 + ms * 0.2)
  }

  /** After the upstream told where the video is. */
  const later = (task: Task, patch: TaskPatch, ageMs: number, saidMs: number | undefined): Effect.Effect<TaskTurn> =>
    Effect.zipWith(Random.next, Clock.currentTimeMillis, (random, nowMs) => {
      const crowd = crowds.get(task.lane) ?? makeCrowd()
      crowds.set(task.lane, crowd)
      const ms = untilPoll(ageMs, usualMs.get(task.lane), saidMs, crowd.waiting(), random)
      crowd.asksAgainIn(ms, nowMs)
      return again(patch, ms)
    })

  /** After a call of which nothing is known, or nothing came. */
  const retried = (task: Task): Effect.Effect<TaskTurn> =>
    Effect.map(Random.next, (random) => again({ tries: task.tries + 1 }, unreachable(task.tries, random)))

  const failedFor = (task: Task, error: VideoTransient): Effect.Effect<TaskTurn> =>
    Effect.zipRight(heard(task.lane, task.account, error), retried(task))

  /** Nobody took it: the place that is soonest back says when they are asked again. */
  const resubmitted = (task: Task, wait: Wait): Effect.Effect<TaskTurn> =>
    Effect.map(Random.next, (random) =>
      again(
        { submitAtMs: null, tries: task.tries + 1 },
        wait._tag === "VideoSaturated"
          ? saturated(task.tries, wait.retryAfterSeconds, random)
          : unreachable(task.tries, random)
      )
    )

  const answered = (lane: string) => Effect.sync(() => silences.answered(lane))

  /** What a call that failed says of whoever was called. */
  const heard = (lane: string, account: AccountId, error: Unheard | Wait | VideoRejected) =>
    "unanswered" in error && error.unanswered
      ? Effect.map(Clock.currentTimeMillis, (nowMs) => {
          const isUnreachable = error._tag === "VideoTransient" && error.neverSent === true
          silences.unanswered(lane, isUnreachable ? undefined : account, nowMs)
        })
      : answered(lane)

  const { isSilent } = silences
  return { took, later, retried, failedFor, resubmitted, answered, heard, isSilent } as const
})

type Unheard = VideoAmbiguous | VideoTransient

export const again = (patch: TaskPatch, againInMs: number): TaskTurn => ({ patch, againInMs })
