import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { makeCap } from "../../src/ledger/cap.ts"
import { free } from "../../src/ledger/Price.ts"

const request = { model: "m", requestId: "req_1", price: free, mostNanoUsd: () => 500 }

it.effect("is ten times what is held, or what the request could cost where that is more", () => {
  const logged: Array<unknown> = []
  const log = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void logged.push(message))
  )
  return Effect.gen(function* () {
    const cap = yield* makeCap
    expect([cap(request, 0, 0), cap(request, 4_000, 400), cap(request, 5_000, 400)]).toEqual([0, 4_000, 5_000])
    expect(logged).toEqual([])
    // Of nothing held and of little.
    expect([cap(request, 5_001, 0), cap(request, 5_001, 400), cap(request, 1e15, 600)]).toEqual([5_000, 5_000, 6_000])
    yield* Effect.yieldNow()
    expect(logged).toHaveLength(3)
  }).pipe(Effect.provide(log))
})
