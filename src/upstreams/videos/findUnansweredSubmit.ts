import { Clock, Effect } from "effect"
import type { Option } from "effect"
import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json/json.ts"
import { isOk, unansweredRead } from "./videoApi.ts"
import { usableId } from "./videoCalls.ts"
import type { NoAnswer, VideoAnswer } from "./videoApi.ts"
import { videoStatus } from "./videoStatus.ts"
import { VideoAmbiguous, VideoTransient } from "./VideoUpstream.ts"
import type { UnheardSubmit } from "./VideoUpstream.ts"
import { mayHaveMade, whoMadeIt } from "./whoMadeIt.ts"
import type { Candidate } from "./whoMadeIt.ts"

/** An upstream's list of its videos, newest first. */
export interface VideoList {
  /** @param last the previous page's last item; undefined for the first page */
  readonly page: (number: number, last: unknown) => Effect.Effect<VideoAnswer, NoAnswer>
  readonly read: (answer: VideoAnswer) => { readonly items: ReadonlyArray<unknown>; readonly hasMore: boolean }
  /** Unix seconds. */
  readonly createdAt: (item: unknown) => number | undefined
  /** The fields of its request that an item shows (`SubmitFingerprint`); undefined if no create of ours makes such a one. */
  readonly shownIn: (item: unknown) => JsonObject | undefined
}

/**
 * The tolerated difference of the clocks, after correction by the answer's `date` header: both sides truncate to
 * seconds.
 */
const toleranceMs = 5_000
const untoldToleranceMs = 60_000
const mostPages = 10
/** The statuses of an upstream without a list. */
const unlisted = [404, 405, 501]

/** Finds the video of a submit that got no answer in the upstream's list (`whoMadeIt`). */
export const findUnansweredSubmit = Effect.fnUntraced(function* (
  submit: UnheardSubmit,
  list: VideoList
): Effect.fn.Return<Option.Option<string>, VideoAmbiguous | VideoTransient> {
  const candidates = new Map<string, Candidate>()
  const self = { fingerprint: submit.fingerprint, submitAtMs: submit.submitAtMs }
  let last: unknown = undefined
  for (let number = 1; ; number++) {
    if (number > mostPages) return yield* new VideoAmbiguous({ reason: "its list has too many videos since then" })
    const answer = yield* Effect.mapError(list.page(number, last), unansweredRead)
    if (unlisted.includes(answer.status))
      return yield* new VideoAmbiguous({ reason: "it offers no list of its videos" })
    if (!isOk(answer)) return yield* new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
    const clock = clockOf(answer, yield* Clock.currentTimeMillis)
    const { hasMore, items } = list.read(answer)
    let isPast = false
    for (const item of items) {
      const madeMs = (list.createdAt(item) ?? 0) * 1_000 - clock.aheadMs
      const id = usableId(textAt(item, "id"))
      const shown = list.shownIn(item)
      if (madeMs < submit.submitAtMs - clock.toleranceMs) isPast = true
      else if (id !== undefined && shown !== undefined) {
        const candidate = { id, shown, isEnded: hasEnded(item), madeMs, toleranceMs: clock.toleranceMs }
        if (mayHaveMade(self, candidate)) candidates.set(id, candidate)
      }
    }
    if (isPast || !hasMore || items.length === 0) break
    last = items.at(-1)
  }
  const rivals = yield* submit.rivals([...candidates.keys()])
  return yield* whoMadeIt(submit, [...candidates.values()], rivals, yield* Clock.currentTimeMillis)
})

/** How far the upstream's clock is ahead of ours, as its answer tells. */
const clockOf = (answer: VideoAnswer, nowMs: number) => {
  const theirs = Date.parse(answer.headers.get("date") ?? "")
  return Number.isNaN(theirs)
    ? { aheadMs: 0, toleranceMs: untoldToleranceMs }
    : { aheadMs: theirs - nowMs, toleranceMs }
}

const hasEnded = (item: unknown): boolean =>
  !["queued", "running", "unknown"].includes(videoStatus(textAt(item, "status") ?? ""))
