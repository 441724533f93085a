import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Either, Layer, TestClock } from "effect"
import { AccountId, KeyId, unrestricted } from "../../src/contract/Caller.ts"
import { Limits } from "../../src/limits/Limits.ts"

/** As much of Redis as counting needs, in memory, over its own protocol. */
const redis = Effect.acquireRelease(
  Effect.sync(() => {
    const counts = new Map<string, number>()
    const answer = ([name = "", key = "", amount = "0"]: ReadonlyArray<string>): string => {
      const add = (by: number) => {
        counts.set(key, (counts.get(key) ?? 0) + by)
        return `:${counts.get(key)}\r\n`
      }
      switch (name.toUpperCase()) {
        case "HELLO":
          return "%1\r\n$5\r\nproto\r\n:3\r\n"
        case "INCRBY":
          return add(Number(amount))
        case "DECRBY":
          return add(-Number(amount))
        default:
          return ":1\r\n"
      }
    }
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket, chunk) => {
          // Commands are arrays of bulk strings; the client sends each whole.
          for (const command of chunk
            .toString()
            .split(/^\*\d+\r\n/m)
            .slice(1)) {
            socket.write(answer(command.split("\r\n").filter((_, index) => index % 2 === 1)))
          }
        }
      }
    })
    return { url: `redis://127.0.0.1:${server.port}`, counts, stop: () => server.stop(true) }
  }),
  (server) => Effect.sync(() => server.stop())
)

const oneProcess = (url: string) =>
  Layer.fresh(Limits.Default).pipe(
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["REDIS_URL", url]])))),
    Layer.build,
    Effect.map(Context.get(Limits))
  )

describe("limits in Redis", () => {
  it.scoped("are shared by every process", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* redis
      const caller = { ...unrestricted(AccountId.make("a"), KeyId.make("k")), keyLimits: { requestsPerMinute: 5 } }
      const admit = (limits: Limits) => Effect.either(limits.admit(caller, null, {}))
      const [first, second] = yield* Effect.all([oneProcess(url), oneProcess(url)])
      const results = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) => admit(index % 2 === 0 ? first : second)),
        { concurrency: "unbounded" }
      )
      expect(results.filter(Either.isRight)).toHaveLength(5)
      expect([...counts.values()]).toEqual([5])
      yield* TestClock.adjust("1 minute")
      expect(Either.isRight(yield* admit(second))).toBe(true)
    })
  )

  it.scoped("that can't be reached let everybody in", () =>
    Effect.gen(function* () {
      const { stop, url } = yield* redis
      stop()
      const caller = { ...unrestricted(AccountId.make("a"), KeyId.make("k")), keyLimits: { requestsPerMinute: 1 } }
      const limits = yield* oneProcess(url)
      yield* limits.admit(caller, null, {})
      yield* limits.admit(caller, null, {})
    })
  )
})
