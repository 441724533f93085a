import { afterAll, beforeEach, describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { AllowedAddresses, CallerProxy, parseAllowed } from "../../src/guard/addresses.ts"
import { FileUnread, makeCallerFiles } from "../../src/guard/CallerFiles.ts"
import type { Download } from "../../src/guard/download.ts"
import { HeldBytes } from "../../src/guard/HeldBytes.ts"
import { Resolver } from "../../src/guard/Resolver.ts"
import { freePort } from "../freePort.ts"
import { pixel } from "../upstreams/conversations.ts"
import { picture, plan, startFileServer } from "../upstreams/fakes/fileServer.ts"

const server = startFileServer()
afterAll(() => server.stop())
beforeEach(() => void server.asked.splice(0))

const guardBy = (proxy?: string) =>
  AddressGuard.Default.pipe(
    Layer.provide(Resolver.Default),
    Layer.provide(Layer.succeed(CallerProxy, () => proxy)),
    Layer.provide(Layer.effect(AllowedAddresses, parseAllowed(["127.0.0.1"], "test")))
  )

const read = (addresses: ReadonlyArray<string>, request: object = {}) =>
  Effect.flatMap(AddressGuard, ({ files }) => files.read({ account: "acc", request }, addresses))

const at = (path: string) => server.url + path

describe("files at callers' addresses", () => {
  it.live("are read once for a request, until they are forgotten, and typed by their bytes", () =>
    Effect.gen(function* () {
      const request = {}
      const found = yield* read([at("/picture.png"), at("/plan.pdf"), at("/picture.png")], request)
      expect(found.get(at("/picture.png"))).toEqual({ mediaType: "image/png", data: pixel })
      expect(found.get(at("/plan.pdf"))).toEqual({ mediaType: "application/pdf", data: plan.toString("base64") })
      yield* Effect.all([read([at("/picture.png")], request), read([at("/picture.png")], request)], { concurrency: 2 })
      expect(server.asked.toSorted()).toEqual(["/picture.png", "/plan.pdf"])
      const { files } = yield* AddressGuard
      files.forget(request)
      yield* read([at("/picture.png")], request)
      expect(server.asked).toHaveLength(3)
    }).pipe(Effect.provide(guardBy()))
  )

  it.live("are read behind a few redirects, each of which is checked", () =>
    Effect.gen(function* () {
      const to = (target: string) => at(`/elsewhere?to=${encodeURIComponent(target)}`)
      const found = yield* read([to("/picture")])
      expect(found.get(to("/picture"))?.mediaType).toBe("image/png")
      const refused = "expected a public address"
      for (const target of ["http://169.254.169.254/latest", `http://127.0.0.2:${server.port}/`, "http://[::1]/"]) {
        const { isOurs, reason } = yield* Effect.flip(read([to(target)]))
        expect([isOurs, reason], target).toEqual([false, expect.stringContaining(refused)])
      }
      expect((yield* Effect.flip(read([to("file:///etc/passwd")]))).reason).toContain("http:// or https://")
      expect((yield* Effect.flip(read([at("/elsewhere")]))).reason).toContain("it is elsewhere")
      expect(server.asked).not.toContain("/latest")
    }).pipe(Effect.provide(guardBy()))
  )

  it.live.each([
    ["/gone.png", "expected the address to answer 200; got 404"],
    ["/page.png", "expected a PNG, JPEG, GIF or WebP image or a PDF there"],
    ["/cut.png", "expected a PNG, JPEG, GIF or WebP image or a PDF there"],
    ["/bomb.png", "expected a PNG, JPEG, GIF or WebP image or a PDF there"],
    ["/endless.png", "expected at most 20971520 bytes"]
  ] as const)("are refused: %s", ([path, reason]) =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(read([at(path)]))
      expect(failed).toEqual(new FileUnread({ address: at(path), reason, isOurs: false }))
    }).pipe(Effect.provide(guardBy()))
  )

  it.live("of a host that nobody answers at are the caller's fault, but not if the operator's proxy is away", () =>
    Effect.gen(function* () {
      const nobody = `http://127.0.0.1:${freePort()}`
      const direct = yield* Effect.provide(Effect.flip(read([nobody])), guardBy())
      expect(direct).toMatchObject({ reason: "connection refused", isOurs: false })
      for (const address of [at("/picture"), "https://127.0.0.1/picture"]) {
        const proxied = yield* Effect.provide(Effect.flip(read([address])), guardBy(nobody))
        expect(proxied, address).toMatchObject({ reason: "connection refused", isOurs: true })
      }
    })
  )

  it.live("end with the reader", () =>
    Effect.gen(function* () {
      const before = server.gone()
      const fiber = yield* Effect.fork(read([at("/silent.png")]))
      yield* Effect.promise(() => expect.poll(() => server.asked).toEqual(["/silent.png"]))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => expect.poll(() => server.gone()).toBe(before + 1))
    }).pipe(Effect.provide(guardBy()))
  )
})

/** A download whose bytes come when the gate opens, and counts of those under way. */
const gated = Effect.map(Deferred.make<void>(), (gate) => {
  const counts = { now: 0, most: 0 }
  const open = () =>
    Effect.acquireRelease(
      Effect.sync(() => {
        counts.most = Math.max(counts.most, ++counts.now)
      }),
      () => Effect.sync(() => counts.now--)
    ).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(answer()))
  return { gate, counts, open }
})

const answer = (bytes: Uint8Array = picture): Download => {
  const chunks = [bytes]
  return {
    status: 200,
    location: undefined,
    length: undefined,
    mediaType: undefined,
    contentRange: undefined,
    read: () => Promise.resolve(chunks.pop())
  }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `http://a.test/${index}`)

describe("bounds on files at addresses", () => {
  it.effect("hold for a request, an account and the process, and others don't wait for an account", () =>
    Effect.gen(function* () {
      const { counts, gate, open } = yield* gated
      const files = makeCallerFiles(open)
      const ask = (account: string) => Effect.fork(files.read({ account, request: {} }, many(9)))
      const first = yield* ask("a")
      yield* TestClock.adjust(0)
      expect(counts.now).toBe(4)
      const others = yield* Effect.forEach([1, 2, 3], () => ask("a"))
      yield* TestClock.adjust(0)
      expect(counts.now).toBe(8)
      yield* ask("b")
      yield* TestClock.adjust(0)
      expect(counts.now).toBe(12)
      yield* Effect.forEach(many(30), ask)
      yield* TestClock.adjust(0)
      expect(counts.now).toBe(64)
      yield* Deferred.succeed(gate, undefined)
      const all = yield* Fiber.joinAll([first, ...others])
      expect(all.map(({ size }) => size)).toEqual([9, 9, 9, 9])
      expect(counts.most).toBe(64)
    })
  )

  it.effect("are a hundred addresses, and half a minute for all", () =>
    Effect.gen(function* () {
      const { counts, open } = yield* gated
      const files = makeCallerFiles(open)
      const of = { account: "a", request: {} }
      const failed = yield* Effect.flip(files.read(of, many(101)))
      expect(failed.reason).toBe("expected at most 100 addresses in a request; got 101")
      expect(counts.most).toBe(0)
      const slow = yield* Effect.fork(Effect.flip(files.read(of, many(1))))
      yield* TestClock.adjust("30 seconds")
      expect((yield* Fiber.join(slow)).reason).toBe("the request's files did not arrive within 30 s")
      expect(counts.now).toBe(0)
    })
  )

  it.effect("are 24 MiB in all files", () =>
    Effect.gen(function* () {
      const large = new Uint8Array(13 * 1_048_576)
      large.set(picture)
      const files = makeCallerFiles(() => Effect.succeed(answer(large)))
      expect((yield* files.read({ account: "a", request: {} }, many(1))).size).toBe(1)
      const { reason } = yield* Effect.flip(files.read({ account: "a", request: {} }, many(2)))
      expect(reason).toBe("expected at most 25165824 bytes in all files")
    })
  )

  it.effect("are those that an account's requests hold, until an upstream got them or they failed", () =>
    Effect.gen(function* () {
      const bytes = picture.length
      const files = makeCallerFiles(() => Effect.succeed(answer()), { each: 3 * bytes, all: 5 * bytes })
      const ask = (account: string, request: object) => files.read({ account, request }, many(1))
      const [first, second, third] = [{}, {}, {}]
      for (const request of [first, second, third]) yield* ask("a", request)
      const { isOurs, reason } = yield* Effect.flip(ask("a", {}))
      expect([isOurs, reason]).toEqual([true, "requests hold too many bytes of files"])
      yield* ask("b", {})
      // Another answer to a request that has its files.
      yield* ask("a", first)
      files.forget(first)
      yield* Effect.flip(files.read({ account: "a", request: {} }, many(2)))
      yield* ask("a", {})
      yield* ask("c", {})
      expect((yield* Effect.flip(ask("d", {}))).isOurs).toBe(true)
      expect((yield* Effect.flip(ask("a", {}))).isOurs).toBe(true)
    })
  )

  it("of all are given back by requests that are gone", () => {
    const held = new HeldBytes({ each: 10, all: 15 })
    const [first, second] = [{}, {}]
    expect([held.more({ account: "a", request: first }, 10), held.more({ account: "b", request: second }, 5)]).toEqual([
      true,
      true
    ])
    expect(held.more({ account: "c", request: {} }, 1)).toBe(false)
    held.release(first)
    held.release(first)
    expect(held.more({ account: "a", request: first }, 10)).toBe(true)
    expect(held.more({ account: "a", request: second }, 1)).toBe(false)
  })

  it("of a request that nobody released are given back once it is collected", async () => {
    const second = {}
    const held = new HeldBytes({ each: 10, all: 10 })
    held.more({ account: "a", request: {} }, 10)
    await expect
      .poll(() => {
        Bun.gc(true)
        return held.more({ account: "a", request: second }, 1)
      })
      .toBe(true)
  })
})
