import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Incoming } from "../../src/contract/handlers.ts"
import { Leavable } from "../../src/dispatch/Leavable.ts"
import { ReadOns } from "../../src/dispatch/ReadOns.ts"

const shutdown = new AbortController().signal

/** A whole answer of an upstream that goes on. */
class Whole extends Leavable {
  readonly request: Incoming = {
    id: "req",
    method: "POST",
    path: "/",
    headers: new Headers(),
    body: {},
    replyHeaders: {},
    shutdown
  }
  readonly options = { stream: false, kind: "text" } as const
  protected readonly readOns: ReadOns
  isStopping = false
  isSent = true

  constructor(readOns: ReadOns) {
    super()
    this.readOns = readOns
  }

  protected runsOn(): boolean {
    return this.isSent
  }

  isShuttingDown(): boolean {
    return this.isStopping
  }
}

const setUp = Effect.map(Effect.clock, (clock) => {
  const readOns = new ReadOns(clock)
  return { whole: () => new Whole(readOns), readOns }
})

describe("a generation whose client leaves", () => {
  it.effect("goes on, and gives its place back at its end, once", () =>
    Effect.gen(function* () {
      const { readOns, whole } = yield* setUp
      const all = Array.from({ length: 64 }, whole)
      expect(all.map((one) => one.leave())).toEqual(all.map(() => true))
      expect(all.every(({ isLeft }) => isLeft)).toBe(true)
      const next = whole()
      expect(next.leave()).toBe(false)
      for (const one of all.slice(0, 2)) {
        one.over()
        one.over()
      }
      expect([readOns.begin(), readOns.begin(), readOns.begin()]).toEqual([true, true, false])
      // What was decided when the client left stays.
      all[2]?.over()
      expect([next.leave(), next.isLeft]).toEqual([false, false])
    })
  )

  it.effect("ends if nothing was sent, or the gateway stops", () =>
    Effect.gen(function* () {
      const { whole } = yield* setUp
      const unsent = whole()
      unsent.isSent = false
      expect(unsent.leave()).toBe(false)
      const stopped = whole()
      expect(stopped.leave()).toBe(true)
      stopped.isStopping = true
      expect([stopped.leave(), stopped.isLeft]).toEqual([false, true])
    })
  )

  it.effect("takes no place once it has ended, while its answer is stored", () =>
    Effect.gen(function* () {
      const { readOns, whole } = yield* setUp
      const ended = whole()
      ended.over()
      expect(ended.leave()).toBe(true)
      const places = Array.from({ length: 65 }, () => readOns.begin())
      expect(places.filter((isFree) => isFree)).toHaveLength(64)
    })
  )
})
