import { Clock, Effect, Option } from "effect"
import { textAt } from "../contract/json.ts"
import { isOk, unansweredRead } from "./videoApi.ts"
import { usableId } from "./videoCalls.ts"
import type { NoAnswer, VideoAnswer } from "./videoApi.ts"
import { VideoAmbiguous, VideoTransient } from "./VideoUpstream.ts"
import type { UnheardSubmit, VideoJob } from "./VideoUpstream.ts"

/** An upstream's list of its videos, newest first. */
export interface VideoList {
  /** @param last the previous page's last item; undefined for the first page */
  readonly page: (number: number, last: unknown) => Effect.Effect<VideoAnswer, NoAnswer>
  readonly read: (answer: VideoAnswer) => { readonly items: ReadonlyArray<unknown>; readonly hasMore: boolean }
  /** Unix seconds. */
  readonly createdAt: (item: unknown) => number | undefined
  /** True if no field of the item differs from the job. */
  readonly isLike: (item: unknown, job: VideoJob) => boolean
}

/** Slightly more than the longest time that a submit waits for its answer. */
const submitMs = 150_000
/**
 * The tolerated difference of the clocks, after correction by the answer's `date` header: both sides truncate to
 * seconds.
 */
const toleranceMs = 5_000
const untoldToleranceMs = 60_000
const mostPages = 10

/**
 * Finds the video of a submit that got no answer: made at that time, like the job, and no other task's. Showing another
 * caller's video would be worse than failing, so a match counts only if no other submit can have made it. None if no
 * candidate is left.
 */
export const findUnansweredSubmit = Effect.fnUntraced(function* (
  job: VideoJob,
  submit: UnheardSubmit,
  list: VideoList
): Effect.fn.Return<Option.Option<string>, VideoAmbiguous | VideoTransient> {
  const candidates = new Map<string, unknown>()
  let last: unknown = undefined
  for (let number = 1; ; number++) {
    if (number > mostPages) return yield* new VideoAmbiguous({ reason: "too many videos since" })
    const answer = yield* Effect.mapError(list.page(number, last), unansweredRead)
    if (!isOk(answer)) return yield* new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
    const { fromMs, untilMs } = windowOf(submit.meantMs, answer, yield* Clock.currentTimeMillis)
    const { hasMore, items } = list.read(answer)
    let isPast = false
    for (const item of items) {
      const madeMs = (list.createdAt(item) ?? 0) * 1_000
      const id = usableId(textAt(item, "id"))
      if (madeMs < fromMs) isPast = true
      else if (madeMs <= untilMs && id !== undefined && list.isLike(item, job)) candidates.set(id, item)
    }
    if (isPast || !hasMore || items.length === 0) break
    last = items.at(-1)
  }
  const { taken, unheard } = yield* submit.rivals([...candidates.keys()])
  const [left, ...others] = [...candidates].filter(([id]) => !taken.has(id))
  if (left === undefined) return Option.none()
  const [id, item] = left
  const isRivals = unheard.some((rival) => rival === undefined || list.isLike(item, rival))
  if (others.length > 0 || isRivals) return yield* new VideoAmbiguous({ reason: "several submits may have made it" })
  return Option.some(id)
})

/** The period in which the video must have been made, by the upstream's clock. */
const windowOf = (meantMs: number, answer: VideoAnswer, nowMs: number) => {
  const theirs = Date.parse(answer.headers.get("date") ?? "")
  const isTold = !Number.isNaN(theirs)
  const startMs = meantMs + (isTold ? theirs - nowMs : 0)
  const tolerance = isTold ? toleranceMs : untoldToleranceMs
  return { fromMs: startMs - tolerance, untilMs: startMs + submitMs + tolerance }
}
