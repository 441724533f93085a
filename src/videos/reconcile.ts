import { Clock, Effect, Option } from "effect"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import type { Task } from "../tasks/Task.ts"
import type { Lease, LeaseLost, TaskTurn } from "../tasks/TaskKind.ts"
import { VideoTransient } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoAmbiguous, VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { rivalsOf, unansweredOf } from "./fingerprints.ts"
import { jobOf } from "./jobOf.ts"
import { again } from "./pacing.ts"
import type { Pacing } from "./pacing.ts"
import { placedJob } from "./places.ts"
import { failedTurn, unconfirmedError, unsearchable } from "./turns.ts"

/**
 * After a submit without an answer, the upstream may still be accepting it, and reconciling earlier could miss it. A
 * stored intent is submitted before that, or not at all.
 */
export const reconcileAfterMs = 5_000
/** How often reconciliation may be ambiguous before the task fails, if it can't become clearer. */
const reconcileTries = 5
/** How long after the submit it may still become clearer: most videos are made in less, and their records then whole. */
const clearsWithinMs = 60 * 60_000

type Reconciling = Effect.Effect<TaskTurn | "settled", LeaseLost | StoreFailure>

/**
 * A turn after a submit of unknown outcome. It is only submitted again if the upstream confirms that it has no such
 * video.
 */
export const makeReconcile =
  (pacing: Pacing, recordId: (lease: Lease, task: Task, upstream: VideoUpstream, upstreamId: string) => Reconciling) =>
  (lease: Lease, upstream: VideoUpstream, intendedMs: number): Reconciling =>
    Effect.gen(function* () {
      if (upstream.reconcile === undefined) return failedTurn(unconfirmedError(unsearchable))
      const waitMs = intendedMs + reconcileAfterMs - (yield* Clock.currentTimeMillis)
      if (waitMs > 0) return again({}, waitMs)
      const { task } = lease
      const rivals = (ids: ReadonlyArray<string>) =>
        Effect.mapBoth(lease.rivals(ids, intendedMs), {
          onSuccess: rivalsOf,
          onFailure: (error) => new VideoTransient({ reason: error.message })
        })
      const job = placedJob(task, yield* jobOf(lease))
      const fingerprint = unansweredOf(upstream, task, job)

      const unclear = ({ mayClear, reason }: VideoAmbiguous): Effect.Effect<TaskTurn> =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const isOver = mayClear === true ? nowMs >= intendedMs + clearsWithinMs : task.tries + 1 >= reconcileTries
          if (isOver) return Effect.succeed(failedTurn(unconfirmedError(reason)))
          // After a crash, its rivals don't know the whole fingerprint yet.
          return Effect.map(pacing.retried(task), ({ againInMs, patch }) => again({ ...patch, fingerprint }, againInMs))
        })

      const submit = { id: task.id, submitAtMs: intendedMs, fingerprint: fingerprint ?? { shown: {} }, rivals }
      return yield* upstream.reconcile(job, submit).pipe(
        Effect.timeoutFail({
          duration: "1 minute",
          onTimeout: () => new VideoTransient({ reason: "no answer", unanswered: true })
        }),
        Effect.tap(() => pacing.answered(task.lane)),
        Effect.flatMap(
          Option.match({
            onNone: (): Reconciling => Effect.succeed(again({ submitAtMs: null, tries: 0 }, 0)),
            onSome: (id) => recordId(lease, task, upstream, id)
          })
        ),
        Effect.catchTags({
          VideoAmbiguous: unclear,
          VideoTransient: (error) => pacing.failedFor(task, error)
        })
      )
    })
