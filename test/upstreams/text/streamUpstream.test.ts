import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { UpstreamFailed } from "../../../src/contract/failures/Failure.ts"
import type { Batch, Generation } from "../../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import { streamUpstream } from "../../../src/upstreams/text/streamUpstream.ts"
import { UpstreamError } from "../../../src/upstreams/UpstreamError.ts"
import { conversation } from "../../generation/conversations.ts"
import { generated } from "../generated.ts"

const how = { upstreamModel: "m", stream: true, requestId: "r" }
const busy = new UpstreamError({
  failure: new UpstreamFailed({ message: "busy" }),
  retry: "elsewhere",
  retryAfterMs: undefined,
  status: undefined
})
const hello: GenerationEvent = { type: "text-delta", text: "hello" }
const stopped: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }

const begin = (events: Stream.Stream<GenerationEvent, UpstreamError>) =>
  generated(
    streamUpstream("own", () => events),
    conversation({}),
    how
  )

const all = (generation: Generation) =>
  Effect.promise(async () => {
    const events: Array<GenerationEvent> = []
    for (let batch = await generation.next(); batch !== undefined; batch = await generation.next()) {
      expect(batch.length).toBeGreaterThan(0)
      events.push(...batch)
    }
    return events
  })

describe("streamUpstream", () => {
  it.effect("gives the stream's events, chunk by chunk, and ends where they do", () =>
    Effect.gen(function* () {
      const chunks = Stream.make(hello, hello).pipe(
        Stream.rechunk(1),
        Stream.concat(Stream.empty),
        Stream.concat(Stream.make(stopped, hello))
      )
      const events = yield* Effect.flatMap(begin(chunks), all)
      expect(events).toEqual([hello, hello, stopped])
    })
  )

  it.effect("finishes an answer that ends without saying so, be it empty", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flatMap(begin(Stream.make(hello)), all)).toEqual([hello, stopped])
      expect(yield* Effect.flatMap(begin(Stream.empty), all)).toEqual([stopped])
    })
  )

  it.effect("is refused where the stream fails before its first event", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(begin(Stream.fail(busy)))).toBe(busy)
    })
  )

  it.effect("breaks the answer where the stream fails later, and hides a defect", () =>
    Effect.gen(function* () {
      const failing = yield* begin(Stream.concat(Stream.make(hello), Stream.fail(busy)))
      expect(yield* all(failing)).toEqual([hello, { type: "failed", failure: busy.failure }])
      const dying = yield* begin(Stream.concat(Stream.make(hello), Stream.dieMessage("a secret")))
      const events = yield* all(dying)
      expect(events.at(-1)).toMatchObject({ type: "failed", failure: { _tag: "Internal" } })
      expect(JSON.stringify(events)).not.toContain("a secret")
    })
  )

  it.effect("interrupts the stream when it is cancelled, and who waits for it is told", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const endless = Stream.concat(Stream.make(hello), Stream.never).pipe(
        Stream.ensuring(Deferred.succeed(closed, undefined))
      )
      const generation = yield* begin(endless)
      expect(generation.next()).toEqual([hello])
      const waiting: Batch | undefined | Promise<Batch | undefined> = generation.next()
      generation.cancel()
      generation.cancel()
      expect(yield* Effect.promise(async () => await waiting)).toBeUndefined()
      yield* Deferred.await(closed)
      expect(generation.next()).toBeUndefined()
    })
  )

  it.effect("closes a stream that is left before its first event", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const silent = Stream.acquireRelease(Deferred.succeed(opened, undefined), () =>
        Deferred.succeed(closed, undefined)
      ).pipe(Stream.flatMap(() => Stream.never))
      const waiting = yield* Effect.fork(begin(silent))
      yield* Deferred.await(opened)
      yield* Fiber.interrupt(waiting)
      yield* Deferred.await(closed)
    })
  )

  it.effect("closes the stream once its last event was given", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const generation = yield* begin(
        Stream.concat(Stream.make(stopped), Stream.never).pipe(Stream.ensuring(Deferred.succeed(closed, undefined)))
      )
      expect(yield* all(generation)).toEqual([stopped])
      yield* Deferred.await(closed)
    })
  )
})
