import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Daemons } from "../../src/flow/Daemons.ts"
import { Descriptors } from "../../src/flow/Descriptors.ts"
import { shedConnections } from "../../src/http/shedConnections.ts"

/** What is done to a listener while so many of 400 descriptors are open, one after the other. */
const shed = (counts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const calls: Array<string> = []
    let at = 0
    const done = Promise.withResolvers<void>()
    class Counted extends Descriptors {
      override isScarce(): boolean {
        if (at === counts.length) done.resolve()
        return (counts[at++] ?? 0) > 300
      }
      override isFlooded(): boolean {
        return (counts[at - 1] ?? 0) > 350
      }
    }
    const listener = {
      isPaused: false,
      closeIdle: () => void calls.push("close idle"),
      pause: () => void calls.push("pause"),
      resume: () => void calls.push("resume")
    }
    yield* shedConnections([listener], new Counted(() => 400))
    yield* Effect.promise(() => done.promise)
    return calls.slice(0, counts.length + 1)
  }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(Daemons.Default)))

describe("while descriptors are scarce", () => {
  it.live("idle connections are closed; while they run out, none is accepted; then all is as before", () =>
    Effect.gen(function* () {
      expect(yield* shed([301, 351, 300])).toEqual(["close idle", "close idle", "pause", "resume"])
    })
  )
})
