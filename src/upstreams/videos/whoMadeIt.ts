import { Effect } from "effect"
import type { Option } from "effect"
import type { JsonObject } from "../../contract/fields.ts"
import { agree } from "./SubmitFingerprint.ts"
import { VideoAmbiguous } from "./VideoUpstream.ts"
import type { UnheardSubmit, VideoRival, VideoRivals } from "./VideoUpstream.ts"

/** Slightly more than the longest time that a submit waits for its answer. */
const submitMs = 150_000

/** A video of an upstream's list that a submit may have made. */
export interface Candidate {
  readonly id: string
  /** Its fields in the list (`SubmitFingerprint`). */
  readonly shown: JsonObject
  /** False while the upstream may still show more of it. */
  readonly isEnded: boolean
  /** By our own clock, give or take the tolerance. */
  readonly madeMs: number
  readonly toleranceMs: number
}

type Submit = Pick<VideoRival, "fingerprint" | "submitAtMs">

/** True if the video was made in the time of a submit, and nothing that the list shows of it differs. */
export const mayHaveMade = ({ fingerprint, submitAtMs }: Submit, { shown, ...made }: Omit<Candidate, "id">): boolean =>
  made.madeMs >= submitAtMs - made.toleranceMs &&
  made.madeMs <= submitAtMs + submitMs + made.toleranceMs &&
  (fingerprint === undefined || agree(fingerprint.shown, shown))

/**
 * Which of these videos a submit made; none if it made none. Showing another caller's video would be worse than
 * failing, so it must be one that no other submit can have made. Equal requests of one account are no danger to each
 * other: the oldest of them takes the oldest video, then the next.
 */
export const whoMadeIt = (
  submit: UnheardSubmit,
  candidates: ReadonlyArray<Candidate>,
  { isCut, taken, unheard }: VideoRivals,
  nowMs: number
): Effect.Effect<Option.Option<string>, VideoAmbiguous> => {
  const left = candidates.filter(({ id }) => !taken.has(id)).toSorted((one, other) => one.madeMs - other.madeMs)
  if (left.length === 0) return Effect.succeedNone
  if (isCut) return new VideoAmbiguous({ reason: "too many other tasks of that time had no answer either" })
  const isTwin = ({ fingerprint }: VideoRival) =>
    fingerprint?.whole !== undefined && fingerprint.whole === submit.fingerprint.whole
  const others = unheard.filter((rival) => !isTwin(rival))
  const own = left.filter((video) => !others.some((rival) => mayHaveMade(rival, video)))
  const [first] = own
  if (first === undefined) {
    // One that is known to be unanswered has the whole fingerprint.
    const isUnderWay = (rival: VideoRival) =>
      rival.isOpen &&
      rival.fingerprint?.whole === undefined &&
      nowMs < rival.submitAtMs + submitMs &&
      left.some((video) => mayHaveMade(rival, video))
    return new VideoAmbiguous({
      reason: "other tasks of that time had no answer either, and nothing in its list tells whose video is whose",
      mayClear: left.some(({ isEnded }) => !isEnded) || others.some(isUnderWay)
    })
  }
  const twins = unheard.filter((rival) => isTwin(rival) && own.some((video) => mayHaveMade(rival, video)))
  if (own.length > twins.length + 1) {
    return new VideoAmbiguous({
      reason: "its list has several videos that this task may have made",
      mayClear: own.some(({ isEnded }) => !isEnded)
    })
  }
  return twins.some((twin) => twin.isOpen && isBefore(twin, submit))
    ? new VideoAmbiguous({ reason: "an equal task of yours from before it takes its video first", mayClear: true })
    : Effect.succeedSome(first.id)
}

const isBefore = (one: Pick<VideoRival, "id" | "submitAtMs">, other: typeof one): boolean =>
  one.submitAtMs < other.submitAtMs || (one.submitAtMs === other.submitAtMs && one.id < other.id)
