import { Effect } from "effect"
import type { UnheardSubmit, VideoJob, VideoRival, VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"

/** A submit of five seconds ago without an answer, and no other. */
export const unheard = (over: Partial<UnheardSubmit> = {}): UnheardSubmit => ({
  id: "cgt-1",
  submitAtMs: Date.now() - 5_000,
  fingerprint: { shown: {} },
  rivals: () => Effect.dieMessage("not asked"),
  ...over
})

/** What the other tasks know: ids that are theirs, and other submits that were not heard of. */
export const among = (taken: ReadonlyArray<string>, rivals: ReadonlyArray<VideoRival> = [], isCut = false) => ({
  rivals: () => Effect.succeed({ taken: new Set(taken), unheard: rivals, isCut })
})

/** Another submit of the same time; undefined is one that left no fingerprint. */
export const rivalFor = (
  upstream: VideoUpstream,
  asked: VideoJob | undefined,
  over: Partial<VideoRival> = {}
): VideoRival => ({
  id: "cgt-2",
  submitAtMs: Date.now() - 5_000,
  isOpen: false,
  fingerprint: asked && { shown: upstream.shownInList!(asked) },
  ...over
})
