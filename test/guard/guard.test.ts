import { createServer } from "node:net"
import type { AddressInfo, Server } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { AllowedAddresses, isCallable, parseAllowed } from "../../src/guard/addresses.ts"
import { Resolver, Unresolved } from "../../src/guard/Resolver.ts"
import { hostileAddresses } from "./hostile.ts"

/** Counts what connects to an address of this machine, and answers like a careless service. */
const listener = (host: string, port = 0) =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: Server; readonly port: number; connections: number }>((resume) => {
      const server = createServer((socket) => {
        counter.connections++
        socket.on("error", () => {})
        socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret"))
      })
      const counter = { server, port: 0, connections: 0 }
      server.on("error", () => resume(Effect.succeed(counter)))
      server.listen(port, host, () => {
        counter.port = (server.address() as AddressInfo).port
        resume(Effect.succeed(counter))
      })
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const resolving = (resolve: (host: string) => ReadonlyArray<string>) =>
  Layer.succeed(Resolver, {
    resolve: (host) => {
      const answers = resolve(host)
      return answers.length === 0 ? Effect.fail(new Unresolved()) : Effect.succeed(answers)
    }
  })

const guard = (resolve: (host: string) => ReadonlyArray<string>, allowed: ReadonlyArray<string> = []) =>
  AddressGuard.Default.pipe(
    Layer.provide(resolving(resolve)),
    Layer.provide(Layer.effect(AllowedAddresses, parseAllowed(allowed, "test")))
  )

const insideNames: Record<string, ReadonlyArray<string>> = {
  "half.test": ["93.184.216.34", "127.0.0.1"],
  "v6.test": ["::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "empty.test": [],
  "zone.test": ["fe80::1%lo"],
  "garbage.test": ["not an address"],
  "nowhere.test": []
}
const inside = (host: string) => insideNames[host] ?? ["127.0.0.1", "::1"]

const fetched = (url: string) =>
  Effect.flatMap(AddressGuard, (guard) => guard.fetchBytes(url, { param: "url", maxBytes: 1_000 }))

describe("the address guard", () => {
  it.scopedLive("opens no connection for any of the hostile spellings", () =>
    Effect.gen(function* () {
      const four = yield* listener("0.0.0.0")
      const six = yield* listener("::", four.port)
      const addresses = new Set(hostileAddresses.map((address) => address.replaceAll("PORT", String(four.port))))
      expect(addresses.size).toBeGreaterThanOrEqual(300)
      for (const address of addresses) {
        const failure = yield* Effect.flip(fetched(address)).pipe(
          Effect.timeoutFail({
            duration: "30 seconds",
            onTimeout: () => ({ _tag: "NotRefusedAtOnce", address }) as const
          })
        )
        expect(failure, address).toMatchObject({ _tag: "InvalidRequest", param: "url" })
      }
      expect(four.connections + six.connections).toBe(0)
    }).pipe(Effect.provide(guard(inside)))
  )

  it.scopedLive("would be needed: opened to this machine, many of the same spellings arrive", () =>
    Effect.gen(function* () {
      const four = yield* listener("0.0.0.0")
      for (const address of hostileAddresses.filter((address) => /^http:[^%]*PORT\/secret$/.test(address))) {
        yield* Effect.ignore(fetched(address.replaceAll("PORT", String(four.port))))
      }
      expect(four.connections).toBeGreaterThan(30)
    }).pipe(Effect.provide(guard(inside, ["127.0.0.0/8"])))
  )

  it.scopedLive("dials the answer it checked, whatever the name answers next", () => {
    let asked = 0
    return Effect.gen(function* () {
      const target = yield* listener("127.0.0.2")
      const victim = yield* listener("127.0.0.1", target.port)
      expect(victim.port).toBe(target.port)
      const bytes = yield* fetched(`http://rebinding.test:${target.port}/`)
      expect(new TextDecoder().decode(bytes)).toBe("secret")
      expect([asked, target.connections, victim.connections]).toEqual([1, 1, 0])
      // Now the name has turned; and so it does when only one of its answers has.
      const failure = yield* Effect.flip(fetched(`http://rebinding.test:${target.port}/`))
      expect(failure.message).toContain("expected a public address")
      expect([asked, target.connections, victim.connections]).toEqual([2, 1, 0])
    }).pipe(Effect.provide(guard(() => (asked++ === 0 ? ["127.0.0.2"] : ["127.0.0.2", "127.0.0.1"]), ["127.0.0.2"])))
  })

  it.effect("says which rule an address breaks, and nothing of what its name resolved to", () =>
    Effect.gen(function* () {
      const guard = yield* AddressGuard
      const refusal = (url: string) =>
        Effect.map(Effect.flip(guard.admit(url, "callback_url")), ({ message }) => message)
      expect(yield* refusal("ftp://example.com/")).toBe(
        "callback_url: expected an address that starts with http:// or https://"
      )
      expect(yield* refusal("https://user:pass@example.com/")).toBe(
        "callback_url: expected an address without a user name or password"
      )
      for (const hidden of ["https://exam\u00adple.com/", "https://example.com\u200b/", "https://example.com/\ta"]) {
        expect(yield* refusal(hidden)).toBe(
          "callback_url: expected an address without blanks, control characters and backslashes"
        )
      }
      const inner = yield* refusal("https://intranet.test/")
      expect(inner).toContain("callback_url: expected a public address")
      expect(inner).not.toContain("10.1.2.3")
    }).pipe(Effect.provide(guard(() => ["10.1.2.3"])))
  )

  it.effect("admits a name that doesn't resolve yet, but does not dial it", () =>
    Effect.gen(function* () {
      const guard = yield* AddressGuard
      yield* guard.admit("https://not-yet.test/hook", "callback_url")
      expect((yield* Effect.flip(guard.check("https://not-yet.test/hook"))).unresolved).toBe(true)
    }).pipe(Effect.provide(guard(() => [])))
  )
})

describe("addresses", () => {
  it("calls public ones", () => {
    for (const address of [
      "93.184.216.34",
      "8.8.8.8",
      "1.1.1.1",
      "2606:4700::1111",
      "2a00:1450:4001::200e",
      "2001:4860:4860::8888"
    ]) {
      expect(isCallable(address, []), address).toBe(true)
    }
  })

  it("calls none that only look public: IPv6 without a name, IPv4 hidden in ISATAP, a cloud's host, one with a zone", () => {
    for (const address of [
      "::127.0.0.1",
      "1000::1",
      "4000::1",
      "e000::1",
      "2600:1::5efe:7f00:1",
      "2600:1::200:5efe:a00:1",
      "168.63.129.16",
      "2606:4700::1111%lo"
    ]) {
      expect(isCallable(address, []), address).toBe(false)
    }
  })

  it.effect("opens what the operator lists, and nothing beside it", () =>
    Effect.gen(function* () {
      const allowed = yield* parseAllowed([" 127.0.0.0/8", "fd00::/8", "10.1.2.3 ", ""], "GATEWAY_ALLOW_ADDRESSES")
      for (const address of ["127.9.9.9", "fd12::1", "10.1.2.3"])
        expect(isCallable(address, allowed), address).toBe(true)
      for (const address of ["10.1.2.4", "fc00::1", "::1", "::ffff:127.0.0.1", "192.168.0.1"]) {
        expect(isCallable(address, allowed), address).toBe(false)
      }
    })
  )

  it.effect("names a bad entry of the list in one line", () =>
    Effect.gen(function* () {
      for (const entry of ["127.0.0.0/33", "localhost", "0x7f.1", "10.0.0.0/-1", "127.1/8"]) {
        const failure = yield* Effect.flip(parseAllowed([entry], "GATEWAY_ALLOW_ADDRESSES"))
        expect(failure.message).toBe(
          `GATEWAY_ALLOW_ADDRESSES: expected addresses like 127.0.0.0/8 or fd00::1; got "${entry}"`
        )
      }
    })
  )
})
