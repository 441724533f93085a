import { Clock, Effect, Option } from "effect"
import { textAt } from "../contract/json.ts"
import { isOk, unansweredRead } from "./videoApi.ts"
import type { NoAnswer, VideoAnswer } from "./videoApi.ts"
import { VideoAmbiguous, VideoTransient } from "./VideoUpstream.ts"
import type { UnheardSubmit, VideoJob } from "./VideoUpstream.ts"

/** An upstream's list of its videos, newest first. */
export interface VideoList {
  /** @param last the last item of the page before; undefined for the first page */
  readonly page: (number: number, last: unknown) => Effect.Effect<VideoAnswer, NoAnswer>
  readonly read: (answer: VideoAnswer) => { readonly items: ReadonlyArray<unknown>; readonly hasMore: boolean }
  /** Unix seconds. */
  readonly createdAt: (item: unknown) => number | undefined
  /** Whether nothing that the item says of itself speaks against its being this job's. */
  readonly isLike: (item: unknown, job: VideoJob) => boolean
}

/** The longest that a submit waits for its answer, and some. */
const submitMs = 150_000
/** What its clock and ours may differ by beside what its answer's date tells: seconds are cut off on either side. */
const toleranceMs = 5_000
const untoldToleranceMs = 60_000
const mostPages = 10

/**
 * Looks for the video that an unheard submit made: one of that time that looks like it and is no other task's. Showing
 * somebody else's video would be worse than failing, so it is only taken where it can be nobody else's of this gateway;
 * where none is left, none was made.
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
      const id = textAt(item, "id")
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

/** The time in which the video must have been made, by the upstream's clock. */
const windowOf = (meantMs: number, answer: VideoAnswer, nowMs: number) => {
  const theirs = Date.parse(answer.headers.get("date") ?? "")
  const isTold = !Number.isNaN(theirs)
  const startMs = meantMs + (isTold ? theirs - nowMs : 0)
  const tolerance = isTold ? toleranceMs : untoldToleranceMs
  return { fromMs: startMs - tolerance, untilMs: startMs + submitMs + tolerance }
}
