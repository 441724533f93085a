import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { nextTurn } from "../../../src/flow/eventLoop.ts"
import { defaultDeadlines, callUpstream } from "../../../src/upstreams/calls/client.ts"
import type { Exchange } from "../../../src/upstreams/calls/Exchange.ts"

it.live("an answer that arrives as its caller is interrupted is closed, not leaked", () =>
  Effect.gen(function* () {
    const real = globalThis.fetch
    const answer = Promise.withResolvers<Response>()
    let signal: AbortSignal | null | undefined
    globalThis.fetch = Object.assign(
      (_: unknown, init?: RequestInit) => {
        signal = init?.signal
        return answer.promise
      },
      { preconnect: real.preconnect }
    )
    const call = { url: "http://127.0.0.1:1/", headers: {}, body: "{}", deadlines: defaultDeadlines }
    // The test's own way through the client: the exchange is never read.
    const fiber = yield* Effect.fork(Effect.zipLeft(callUpstream(call), Effect.never))
    yield* Effect.promise(() => new Promise(setImmediate))
    globalThis.fetch = real
    expect(signal?.aborted).toBe(false)
    // Behind the client's own callback, before the fiber goes on.
    const interrupted = answer.promise.then(() => fiber.unsafeInterruptAsFork(fiber.id()))
    answer.resolve(new Response("never read"))
    yield* Effect.promise(() => interrupted)
    expect(Exit.isInterrupted(yield* Fiber.await(fiber))).toBe(true)
    expect(signal?.aborted).toBe(true)
  })
)

it.effect("opens nothing but http", () =>
  Effect.gen(function* () {
    for (const url of ["file:///etc/passwd", "data:application/json,{}", "ftp://127.0.0.1/"]) {
      const error = yield* Effect.flip(callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines }))
      expect(error.failure._tag).toBe("UpstreamFailed")
    }
  })
)

it.live("knows no proxy variables, follows no redirects and asks for nothing compressed", () =>
  Effect.gen(function* () {
    const proxied: Array<string> = []
    const proxy = Bun.serve({
      port: 0,
      fetch: (request) => {
        proxied.push(request.url)
        return new Response("proxy")
      }
    })
    const server = Bun.serve({
      port: 0,
      fetch: (request) =>
        new Response(request.headers.get("accept-encoding"), { status: 307, headers: { location: "/elsewhere" } })
    })
    const before = process.env["HTTP_PROXY"]
    process.env["HTTP_PROXY"] = `http://127.0.0.1:${proxy.port}`
    const url = `http://127.0.0.1:${server.port}/`
    const exchange = yield* callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines })
    if (before === undefined) delete process.env["HTTP_PROXY"]
    else process.env["HTTP_PROXY"] = before
    expect(exchange.status).toBe(307)
    expect(yield* Effect.promise(() => exchange.text(100))).toBe("identity")
    expect(proxied).toEqual([])
    yield* Effect.promise(() => Promise.all([server.stop(true), proxy.stop(true)]))
  })
)

it.live("a packed answer is counted as it is unpacked, and left where it is too long", () =>
  Effect.gen(function* () {
    const bomb = gzipSync(new Uint8Array(64 * 1_048_576).fill(0x20))
    const headers = { "content-encoding": "gzip" }
    const server = Bun.serve({ port: 0, fetch: () => new Response(bomb, { headers }) })
    const url = `http://127.0.0.1:${server.port}/`
    const exchange = yield* callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines })
    const limit = 1_048_576
    const text = yield* Effect.promise(() => exchange.text(limit))
    expect(bomb.length).toBeLessThan(limit)
    expect(text.length).toBeGreaterThan(limit)
    // One piece of it is the most that goes over.
    expect(text.length).toBeLessThan(2 * limit)
    yield* Effect.promise(() => server.stop(true))
  })
)

it.live("an answer with unrequested compression is read, in each usual form", () =>
  Effect.gen(function* () {
    const packed: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
      gzip: gzipSync("an answer"),
      deflate: deflateSync("an answer"),
      br: brotliCompressSync("an answer"),
      zstd: zstdCompressSync("an answer"),
      identity: Buffer.from("an answer")
    }
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        const encoding = new URL(url).pathname.slice(1)
        return new Response(packed[encoding] ?? "an answer", { headers: { "content-encoding": encoding } })
      }
    })
    const asked = (encoding: string) =>
      Effect.flatMap(
        callUpstream({ url: `${server.url.href}${encoding}`, headers: {}, body: "{}", deadlines: defaultDeadlines }),
        (exchange) => Effect.tryPromise(() => exchange.text(1_000))
      )
    for (const encoding of Object.keys(packed))
      expect([encoding, yield* asked(encoding)]).toEqual([encoding, "an answer"])
    expect(yield* Effect.flip(asked("of-their-own"))).toMatchObject({ error: expect.objectContaining({}) })
    yield* Effect.promise(() => server.stop(true))
  })
)

const mebibyte = 1_048_576

/** A body as it is read, and how many turns the event loop had meanwhile. */
const inTurns = <A>(
  body: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
  read: (exchange: Exchange) => Promise<A>
) =>
  Effect.gen(function* () {
    const server = Bun.serve({ port: 0, fetch: () => new Response(body, { headers }) })
    const url = `http://127.0.0.1:${server.port}/`
    const exchange = yield* callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines })
    // All of it has come before it is read.
    yield* Effect.sleep(200)
    const found = yield* Effect.promise(async () => {
      let turns = 0
      let isOver = false
      void (async () => {
        for (; !isOver; turns++) await nextTurn()
      })()
      const whole = await read(exchange)
      isOver = true
      return { whole, turns }
    })
    yield* Effect.promise(() => server.stop(true))
    return found
  })
const piecesOf = async (exchange: Exchange) => {
  const pieces: Array<number> = []
  for (let piece = await exchange.read(); piece !== undefined; piece = await exchange.read()) pieces.push(piece.length)
  return pieces
}
const packed = { "content-encoding": "gzip" }

it.live("what came at once is given in pieces, and the event loop has its turns between them", () =>
  Effect.gen(function* () {
    const { whole: pieces, turns } = yield* inTurns(new Uint8Array(4 * mebibyte), {}, piecesOf)
    expect(pieces.reduce((sum, length) => sum + length)).toBe(4 * mebibyte)
    expect(Math.max(...pieces)).toBeLessThanOrEqual(32_768)
    expect(turns).toBeGreaterThan(64)
  })
)

it.live("what is unpacked waits for the event loop's turns too", () =>
  Effect.gen(function* () {
    const { whole: pieces, turns } = yield* inTurns(gzipSync(new Uint8Array(8 * mebibyte)), packed, piecesOf)
    expect(pieces.reduce((sum, length) => sum + length)).toBe(8 * mebibyte)
    expect(Math.max(...pieces)).toBeLessThanOrEqual(32_768)
    expect(turns).toBeGreaterThan(128)
  })
)

it.live("a packed text is unpacked in turns", () =>
  Effect.gen(function* () {
    const body = gzipSync(new Uint8Array(32 * mebibyte).fill(0x20))
    const { turns, whole } = yield* inTurns(body, packed, (exchange) => exchange.text(64 * mebibyte))
    expect(whole).toHaveLength(32 * mebibyte)
    expect(turns).toBeGreaterThan(24)
  })
)

it.live("an answer that is cancelled between two pieces gives no more", () =>
  Effect.gen(function* () {
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(gzipSync(new Uint8Array(mebibyte)), { headers: packed })
    })
    const url = `http://127.0.0.1:${server.port}/`
    const exchange = yield* callUpstream({ url, headers: {}, body: "{}", deadlines: defaultDeadlines })
    expect(yield* Effect.promise(() => exchange.read())).toBeDefined()
    const next = exchange.read()
    exchange.cancel()
    expect(yield* Effect.promise(() => next)).toBeUndefined()
    expect(yield* Effect.promise(() => exchange.read())).toBeUndefined()
    yield* Effect.promise(() => server.stop(true))
  })
)
