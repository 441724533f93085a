import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { outcome } from "./events.ts"
import { fakeUpstream } from "./fakes/fakeUpstream.ts"
import { generated } from "./generated.ts"
import { all, asking, at, how } from "./runningUpstream.ts"

describe("a connection", () => {
  /** A server that says how it is talked to: plain sockets, so that a close is seen when it happens. */
  const sockets = (head: string) => {
    let opened = 0
    let closed = 0
    const waiting: Array<() => void> = []
    const heard: Array<() => void> = []
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: () => void opened++,
        data: (socket) => {
          if (head !== "") socket.write(head)
          heard.splice(0).forEach((tell) => tell())
        },
        close: () => {
          closed++
          waiting.splice(0).forEach((tell) => tell())
        }
      }
    })
    return {
      url: `http://127.0.0.1:${server.port}`,
      server,
      open: () => opened - closed,
      heard: () => Effect.promise(() => new Promise<void>((resolve) => void heard.push(resolve))),
      closed: () =>
        Effect.promise(() =>
          opened === closed ? Promise.resolve() : new Promise<void>((done) => void waiting.push(done))
        )
    }
  }
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
  const line = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
  const chunk = `${line.length.toString(16)}\r\n${line}\r\n`

  it.live("closes when the caller leaves before the head", () =>
    Effect.gen(function* () {
      const up = sockets("")
      const heard = up.heard()
      const fiber = yield* Effect.fork(generated(at("openai-chat", up.url), asking("hi"), how(true)))
      yield* heard
      yield* Fiber.interrupt(fiber)
      yield* up.closed()
      expect(up.open()).toBe(0)
      up.server.stop(true)
    })
  )

  it.live("closes when the caller leaves, streamed or not", () =>
    Effect.gen(function* () {
      const json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
      for (const [stream, answer] of [
        [true, head + chunk],
        [true, head],
        [false, json]
      ] as const) {
        const up = sockets(answer)
        const heard = up.heard()
        const call = generated(at("openai-chat", up.url), asking("hi"), how(stream))
        if (answer === head + chunk) {
          const generation = yield* call
          yield* Effect.promise(async () => generation.next())
          const waiting = generation.next()
          generation.cancel()
          yield* up.closed()
          expect(yield* Effect.promise(async () => waiting)).toBeUndefined()
        } else {
          // Accepted with its first words alone.
          const fiber = yield* Effect.fork(call)
          yield* heard
          yield* Fiber.interrupt(fiber)
          yield* up.closed()
        }
        expect(up.open()).toBe(0)
        up.server.stop(true)
      }
    })
  )

  it.live("closes when the caller leaves just as the answer arrives", () =>
    Effect.gen(function* () {
      const up = sockets(head)
      for (let round = 0; round < 50; round++) {
        const heard = up.heard()
        const fiber = yield* Effect.fork(generated(at("openai-chat", up.url), asking("hi"), how(true)))
        yield* heard
        // From at once to a few turns of the loop later: around the moment the head is read.
        for (let turn = 0; turn < round % 10; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        const exit = yield* Fiber.interrupt(fiber)
        if (Exit.isSuccess(exit)) exit.value.cancel()
        yield* up.closed()
      }
      expect(up.open()).toBe(0)
      up.server.stop(true)
    })
  )

  it.live("is used again after a complete answer", () =>
    Effect.gen(function* () {
      const up = sockets(`${head}${chunk}e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n`)
      for (let round = 0; round < 3; round++) {
        const generation = yield* generated(at("openai-chat", up.url), asking("hi"), how(true))
        const events = yield* Effect.promise(() => all(generation))
        expect(outcome(events).ending).toMatchObject({ reason: "stop" })
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      expect(up.open()).toBe(1)
      up.server.stop(true)
    })
  )

  const short = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000 }
  it.live("is given up when the server does not answer in time", () =>
    Effect.gen(function* () {
      const up = sockets("")
      const upstream = at("openai-chat", up.url, { deadlines: { ...short, firstByteMs: 50 } })
      const error = yield* Effect.flip(generated(upstream, asking("hi"), how(true)))
      expect(error).toMatchObject({ retry: "elsewhere", failure: { message: expect.stringContaining("in time") } })
      yield* up.closed()
      up.server.stop(true)
    })
  )
  it.live("is given up when the server is gone", () =>
    Effect.gen(function* () {
      const up = sockets("")
      const upstream = at("openai-chat", up.url, { deadlines: { ...short, connectMs: 500 } })
      const heard = up.heard()
      const fiber = yield* Effect.fork(Effect.flip(generated(upstream, asking("hi"), how(true))))
      yield* heard
      up.server.stop()
      expect(yield* Fiber.join(fiber)).toMatchObject({
        retry: "again",
        failure: { message: expect.stringContaining("reached") }
      })
      up.server.stop(true)
    })
  )
  it.live("ends in-band when it goes silent, or breaks", () =>
    Effect.gen(function* () {
      const silent = sockets(head + chunk)
      const upstream = at("openai-chat", silent.url, { deadlines: { ...short, idleMs: 50 } })
      const events = yield* Effect.flatMap(generated(upstream, asking("hi"), how(true)), (generation) =>
        Effect.promise(() => all(generation))
      )
      expect(outcome(events)).toMatchObject({
        items: [{ text: "a" }],
        ending: { failed: "UpstreamFailed", message: "The model's upstream went silent" }
      })
      silent.server.stop(true)
      const broken = fakeUpstream("openai-chat", {
        answer: () => new Response(line, { headers: { "content-type": "text/event-stream" } })
      })
      const cut = yield* Effect.flatMap(
        generated(at("openai-chat", broken.url), asking("hi"), how(true)),
        (generation) => Effect.promise(() => all(generation))
      )
      expect(outcome(cut)).toMatchObject({ items: [{ text: "a" }], ending: { failed: "UpstreamFailed" } })
      yield* Effect.promise(() => broken.stop())
    })
  )
})
