import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Eras } from "../../src/mcp/Eras.ts"
import { Lists } from "../../src/mcp/Lists.ts"
import { serverAt } from "./fakeServer.ts"

const list = { tools: [], warnings: [] }

describe("lists that are kept", () => {
  it.effect("end with their time, after an hour at most", () =>
    Effect.gen(function* () {
      const lists = new Lists()
      const [short, long] = [serverAt("http://short.test"), serverAt("http://long.test")]
      yield* lists.keep(short, list, 10, 1_000)
      yield* lists.keep(long, list, 10, 1e12)
      yield* TestClock.adjust("999 millis")
      expect(yield* lists.get(short)).toBe(list)
      yield* TestClock.adjust("1 millis")
      expect(yield* lists.get(short)).toBeUndefined()
      expect(yield* lists.get(long)).toBe(list)
      yield* TestClock.adjust("1 hour")
      expect(yield* lists.get(long)).toBeUndefined()
    })
  )

  it.effect("are 32 MiB at most: the oldest leave", () =>
    Effect.gen(function* () {
      const lists = new Lists()
      const server = (at: number) => serverAt(`http://server-${at}.test`)
      for (let at = 0; at < 40; at++) yield* lists.keep(server(at), list, 1_048_576, 60_000)
      expect(yield* lists.get(server(7))).toBeUndefined()
      expect(yield* lists.get(server(8))).toBe(list)
      // One that is replaced counts once.
      for (let time = 0; time < 40; time++) yield* lists.keep(server(39), list, 1_048_576, 60_000)
      expect(yield* lists.get(server(8))).toBe(list)
    })
  )
})

describe("the form that a server speaks", () => {
  it.effect("is remembered for an hour, of a thousand addresses", () =>
    Effect.gen(function* () {
      const eras = new Eras()
      for (let at = 0; at <= 1_000; at++) yield* eras.learn(`http://server-${at}.test`, "legacy")
      expect(yield* eras.at("http://server-0.test")).toBeUndefined()
      expect(yield* eras.at("http://server-1.test")).toBe("legacy")
      yield* TestClock.adjust("1 hour")
      expect(yield* eras.at("http://server-1.test")).toBeUndefined()
    })
  )
})
