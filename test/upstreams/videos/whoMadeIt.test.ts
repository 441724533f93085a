import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { UnheardSubmit, VideoRival } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { whoMadeIt } from "../../../src/upstreams/videos/whoMadeIt.ts"
import type { Candidate } from "../../../src/upstreams/videos/whoMadeIt.ts"

const atMs = 1_000_000
const submit = (over: Partial<UnheardSubmit> = {}): UnheardSubmit => ({
  id: "b",
  submitAtMs: atMs,
  fingerprint: { shown: { model: "m", duration: 5 }, whole: "five" },
  rivals: () => Effect.dieMessage("not asked"),
  ...over
})
const rival = (over: Partial<VideoRival> = {}): VideoRival => ({
  id: "x",
  submitAtMs: atMs,
  isOpen: false,
  fingerprint: { shown: { model: "m", duration: 5 }, whole: "other" },
  ...over
})
const video = (id: string, over: Partial<Candidate> = {}): Candidate => ({
  id,
  shown: { model: "m", duration: 5 },
  isEnded: true,
  madeMs: atMs + 1_000,
  toleranceMs: 5_000,
  ...over
})

const nowMs = atMs + 600_000
const decide = (
  candidates: ReadonlyArray<Candidate>,
  unheard: ReadonlyArray<VideoRival> = [],
  { isCut = false, mine = submit(), taken = [] as ReadonlyArray<string> } = {}
) => whoMadeIt(mine, candidates, { taken: new Set(taken), unheard, isCut }, nowMs)

describe("the video of an unanswered submit", () => {
  it.effect("is the one that no other can have made", () =>
    Effect.gen(function* () {
      expect(yield* decide([])).toEqual(Option.none())
      expect(yield* decide([video("v")])).toEqual(Option.some("v"))
      expect(yield* decide([video("v")], [], { taken: ["v"] })).toEqual(Option.none())
      const longer = rival({ fingerprint: { shown: { duration: 10 } } })
      expect(yield* decide([video("v")], [longer])).toEqual(Option.some("v"))
      // Of two that it may have made, the first may be the other's, the second is its own.
      const open = video("v", { shown: { model: "m" } })
      expect(yield* decide([open, video("w")], [longer])).toEqual(Option.some("w"))
    })
  )

  it.effect("is not known where another can have made it", () =>
    Effect.gen(function* () {
      for (const other of [rival(), rival({ fingerprint: undefined })]) {
        expect((yield* Effect.flip(decide([video("v")], [other]))).reason).toContain("nothing in its list tells")
      }
      expect((yield* Effect.flip(decide([video("v"), video("w")]))).reason).toContain("several videos")
      expect((yield* Effect.flip(decide([video("v")], [], { isCut: true }))).reason).toContain("too many other tasks")
    })
  )

  it.effect("is not another's that was submitted at another time", () =>
    Effect.gen(function* () {
      const before = (ms: number) => rival({ submitAtMs: atMs - ms })
      expect(yield* decide([video("v", { madeMs: atMs })], [before(200_000), before(280_000)])).toEqual(
        Option.some("v")
      )
      expect(yield* decide([video("v", { madeMs: atMs })], [before(-10_000)])).toEqual(Option.some("v"))
      expect((yield* Effect.flip(decide([video("v", { madeMs: atMs })], [before(150_000)])))._tag).toBe(
        "VideoAmbiguous"
      )
    })
  )

  it.effect("may become clear while a video is being made, or another submit is under way", () =>
    Effect.gen(function* () {
      const mayClear = (videos: ReadonlyArray<Candidate>, unheard: ReadonlyArray<VideoRival>) =>
        Effect.map(Effect.flip(decide(videos, unheard)), (error) => error.mayClear)
      expect(yield* mayClear([video("v")], [rival()])).toBe(false)
      expect(yield* mayClear([video("v", { isEnded: false })], [rival()])).toBe(true)
      expect(yield* mayClear([video("v")], [rival({ isOpen: true })])).toBe(false)
      const unanswered = { submitAtMs: nowMs - 100_000, isOpen: true }
      expect(yield* mayClear([video("v", { madeMs: nowMs })], [rival(unanswered)])).toBe(false)
      const underWay = { ...unanswered, fingerprint: { shown: { model: "m" } } }
      expect(yield* mayClear([video("v", { madeMs: nowMs })], [rival(underWay)])).toBe(true)
      expect(yield* mayClear([video("v"), video("w", { isEnded: false })], [])).toBe(true)
    })
  )

  it.effect("of an account's equal requests, the oldest takes the oldest, and then the next", () =>
    Effect.gen(function* () {
      const equal = (id: string, over: Partial<VideoRival> = {}) =>
        rival({ id, ...over, fingerprint: submit().fingerprint })
      const videos = [video("late", { madeMs: atMs + 2_000 }), video("early")]
      expect(yield* decide(videos, [equal("c", { isOpen: true })])).toEqual(Option.some("early"))
      expect((yield* Effect.flip(decide(videos, [equal("a", { isOpen: true })]))).mayClear).toBe(true)
      const before = { isOpen: true, submitAtMs: atMs - 1_000 }
      expect((yield* Effect.flip(decide(videos, [equal("c", before)]))).mayClear).toBe(true)
      // One that has ended has no use for its video.
      expect(yield* decide(videos, [equal("a")])).toEqual(Option.some("early"))
      expect(yield* decide(videos, [], { taken: ["early"] })).toEqual(Option.some("late"))
      expect((yield* Effect.flip(decide([...videos, video("third")], [equal("c")]))).reason).toContain("several videos")
    })
  )
})
