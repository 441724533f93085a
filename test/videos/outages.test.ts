import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { VideoTransient } from "../../src/upstreams/videos/VideoUpstream.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { makePacing } from "../../src/videos/pacing.ts"

const silences = Effect.provide(Outages, Outages.Default)
const lane = "video:up"

describe("an upstream", () => {
  it.effect("is silent from the sixteenth unanswered call in a row on", () =>
    Effect.map(silences, ({ isSilent, unanswered }) => {
      for (let call = 1; call < 16; call++) unanswered(lane, undefined, 0)
      expect(isSilent(lane, 0)).toBe(false)
      unanswered(lane, undefined, 0)
      expect(isSilent(lane, 0)).toBe(true)
      expect(isSilent("video:other", 0)).toBe(false)
    })
  )

  it.effect("is so no more with one answer", () =>
    Effect.map(silences, ({ answered, isSilent, unanswered }) => {
      for (let call = 0; call < 100; call++) unanswered(lane, undefined, 0)
      answered(lane)
      for (let call = 1; call < 16; call++) unanswered(lane, undefined, 0)
      expect(isSilent(lane, 0)).toBe(false)
    })
  )

  it.effect("is so for a minute after the last call", () =>
    Effect.map(silences, ({ isSilent, unanswered }) => {
      for (let call = 0; call < 16; call++) unanswered(lane, undefined, call)
      expect([isSilent(lane, 60_014), isSilent(lane, 60_015)]).toEqual([true, false])
      unanswered(lane, undefined, 70_000)
      expect(isSilent(lane, 129_999)).toBe(true)
    })
  )

  it.effect("is so for one account alone where it answers no call of that account", () =>
    Effect.map(silences, ({ isSilent, isSilentFor, unanswered }) => {
      const [one, other] = [AccountId.make("one"), AccountId.make("other")]
      for (let call = 0; call < 16; call++) unanswered(lane, one, 0)
      expect([isSilentFor(lane, one, 0), isSilentFor(lane, other, 0), isSilent(lane, 0)]).toEqual([true, false, true])
      unanswered(lane, other, 0)
      expect(isSilentFor(lane, AccountId.make("third"), 0)).toBe(true)
    })
  )

  it.effect("is not silent because the gateway could not call it", () =>
    Effect.gen(function* () {
      const { isSilent, noteFailure } = yield* makePacing
      const failure = (keptBack?: boolean) =>
        new VideoTransient({ reason: "no", unanswered: true, neverSent: true, keptBack })
      for (let call = 0; call < 16; call++) yield* noteFailure(lane, AccountId.make("one"), failure(true))
      expect(isSilent(lane, 0)).toBe(false)
      for (let call = 0; call < 15; call++) yield* noteFailure(lane, AccountId.make("one"), failure())
      yield* noteFailure(lane, AccountId.make("one"), failure(true))
      expect(isSilent(lane, 0)).toBe(false)
      yield* noteFailure(lane, AccountId.make("one"), failure())
      expect(isSilent(lane, 0)).toBe(true)
    }).pipe(Effect.provide(Outages.Default))
  )
})
