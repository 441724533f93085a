import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeOnEach } from "../sql/engines.ts"
import { settled } from "../tasks/engine.ts"
import { ask, askText, contentOf, live, rows } from "./counted.ts"

/** A stream under the test's control. */
const fed = () => {
  let feed!: ReadableStreamDefaultController<Uint8Array>
  const seen = { cancelled: 0, pulled: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (feed = controller),
      pull: () => void seen.pulled++,
      cancel: () => void seen.cancelled++
    },
    { highWaterMark: 0 }
  )
  return {
    seen,
    start: (): Effect.Effect<unknown> =>
      Effect.succeed(
        new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } })
      ),
    say: (text: string | Uint8Array) => feed.enqueue(typeof text === "string" ? new TextEncoder().encode(text) : text),
    end: () => feed.close()
  }
}

describeOnEach("a streamed answer", () => {
  it.effect("has the same bytes for readers from the start, in the middle, and after its end", () =>
    Effect.gen(function* () {
      const source = fed()
      const first = yield* ask(source.start)
      const reader = first.body!.getReader()
      source.say("one ")
      yield* Effect.promise(() => reader.read())
      const twin = yield* ask(() => Effect.die("begun twice"))
      source.say("two ")
      source.end()
      expect(yield* contentOf(twin)).toEqual({ status: 200, replayed: "true", text: "one two " })
      let rest = ""
      for (;;) {
        const { done, value } = yield* Effect.promise(() => reader.read())
        if (done) break
        rest += new TextDecoder().decode(value)
      }
      expect(rest).toBe("two ")
      const later = yield* ask(() => Effect.die("begun twice"))
      expect(later.headers.get("content-type")).toBe("text/event-stream")
      expect(yield* contentOf(later)).toEqual({ status: 200, replayed: "true", text: "one two " })
    }).pipe(Effect.provide(live))
  )

  it.effect("is pulled no faster than its readers read", () =>
    Effect.gen(function* () {
      const source = fed()
      const response = yield* ask(source.start)
      yield* settled
      expect(source.seen.pulled).toBe(0)
      const reader = response.body!.getReader()
      const read = reader.read()
      yield* settled
      source.say("x")
      yield* Effect.promise(() => read)
      yield* settled
      expect(source.seen.pulled).toBeLessThanOrEqual(2)
    }).pipe(Effect.provide(live))
  )

  it.effect("continues while it has a reader, and is cancelled when the last one leaves", () =>
    Effect.gen(function* () {
      const source = fed()
      const [first, second] = [yield* ask(source.start), yield* ask(source.start)]
      source.say("x")
      yield* Effect.promise(() => first.body!.cancel())
      expect(source.seen.cancelled).toBe(0)
      yield* Effect.promise(() => second.body!.cancel())
      yield* settled
      expect(source.seen.cancelled).toBe(1)
      expect(yield* rows).toBe(0)
      expect(yield* askText(() => Effect.succeed("again"))).toMatchObject({ replayed: null })
    }).pipe(Effect.provide(live))
  )

  it.effect("is not kept if it failed in-band", () =>
    Effect.gen(function* () {
      const source = fed()
      const response = yield* ask((once) =>
        Effect.zipRight(
          Effect.sync(() => once.ended("failed")),
          source.start()
        )
      )
      source.say("event: error")
      source.end()
      expect(yield* contentOf(response)).toMatchObject({ text: "event: error" })
      expect(yield* rows).toBe(0)
    }).pipe(Effect.provide(live))
  )

  it.effect("is kept even if its client leaves at the last frame", () =>
    Effect.gen(function* () {
      const source = fed()
      const response = yield* ask((once) =>
        Effect.zipRight(
          Effect.sync(() => once.ended("finished")),
          source.start()
        )
      )
      source.say("all")
      source.end()
      const reader = response.body!.getReader()
      yield* Effect.promise(() => reader.read())
      yield* Effect.promise(() => reader.cancel())
      yield* settled
      expect(yield* rows).toBe(1)
    }).pipe(Effect.provide(live))
  )

  it.effect("of more than 8 MiB is sent, but not kept or shared", () =>
    Effect.gen(function* () {
      const source = fed()
      const response = yield* ask(source.start)
      const reader = response.body!.getReader()
      let bytes = 0
      for (let n = 0; n < 9; n++) {
        source.say(new Uint8Array(1024 * 1024))
        const { value } = yield* Effect.promise(() => reader.read())
        bytes += value?.byteLength ?? 0
      }
      expect(yield* Effect.flip(ask(source.start))).toMatchObject({ _tag: "Conflict" })
      source.end()
      expect((yield* Effect.promise(() => reader.read())).done).toBe(true)
      expect(bytes).toBe(9 * 1024 * 1024)
      expect(yield* rows).toBe(0)
      expect(yield* askText(() => Effect.succeed("again"))).toMatchObject({ replayed: null })
    }).pipe(Effect.provide(live))
  )
})
