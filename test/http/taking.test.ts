import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Schema } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { Idempotent, Prefixes } from "../../src/contract/annotations.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { CodedError } from "../../src/contract/failures/codedErrors.ts"
import { handlers } from "../../src/contract/handlers.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { Lifecycle } from "../../src/flow/Lifecycle.ts"
import { Address, serve } from "../../src/http/Server.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import * as Database from "../../src/sql/Database.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"

const Kind = Schema.Struct({ kind: Schema.Literal("whole", "stream", "short") })

class LongApi extends HttpApiGroup.make("long")
  .add(HttpApiEndpoint.post("read", "/long").setPayload(Kind).addSuccess(Schema.String).annotate(Idempotent, true))
  .addError(CodedError)
  .annotate(Prefixes, ["/"]) {}

const tens = 10_000_000
const endless = () => {
  const piece = new Uint8Array(100_000)
  return new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(piece) }, { highWaterMark: 0 })
}

const served = serve(
  HttpApi.make("test").add(LongApi),
  {},
  {
    hostname: "127.0.0.1",
    port: 0,
    bodyLimit: 4096,
    drainDeadline: Duration.millis(300),
    checkAnswers: false,
    corsOrigins: [],
    takingSeconds: 4
  }
).pipe(
  Layer.provide(Layer.mergeAll(AccessLog.Off, Idempotency.Default)),
  Layer.provide(
    handlers(
      LongApi,
      Effect.succeed({
        read: ({ payload }) => {
          if (payload.kind === "stream") return Effect.sync(() => new Response(endless()))
          const text = payload.kind === "whole" ? "x".repeat(3 * tens) : "hello"
          return Effect.delay(Effect.succeed(text), "5 millis")
        }
      })
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Access.Default, Daemons.Default, Lifecycle.Default, Limits.Default)),
  Layer.provideMerge(Keys.Default),
  Layer.provideMerge(Database.layer({ url: "sqlite::memory:", exclusive: true }))
)

/** True if the server's end of a connection is open: a client that does not read can't notice its end. */
const isOpen = (port: number): boolean => {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n")
  return lines.map((line) => line.trim().split(/\s+/)).some(([, , to, state]) => to === remote && state === established)
}
const established = "01"

const asking = Effect.gen(function* () {
  const { url } = yield* Address
  const keys = yield* Keys
  const { secret } = yield* keys.create({ account: AccountId.make("a"), name: "k" })
  return (kind: (typeof Kind.Type)["kind"], more = "") =>
    Effect.acquireRelease(
      Effect.async<{ readonly port: number; readonly read: () => void }>((resume) => {
        const socket = connect(Number(url.port), "127.0.0.1", () => {
          const body = JSON.stringify({ kind })
          const head = `POST /long HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${Redacted.value(secret)}\r\n`
          socket.write(`${head}${more}content-length: ${body.length}\r\n\r\n${body}`)
          socket.pause()
          socket.on("error", () => {})
          resume(Effect.succeed({ port: socket.localPort ?? 0, read: () => socket.resume(), socket }))
        })
      }),
      (asked) => Effect.sync(() => "socket" in asked && asked.read())
    )
})

describe("a client that takes nothing of its answer", () => {
  it.scopedLive.each([
    ["whole", ""],
    ["stream", ""],
    ["whole", "idempotency-key: a\r\n"],
    ["stream", "idempotency-key: b\r\n"]
  ] as const)("is cut (%s %j)", ([kind, more]) =>
    Effect.gen(function* () {
      const ask = yield* asking
      const { port } = yield* ask(kind, more)
      expect(isOpen(port)).toBe(true)
      yield* Effect.promise(() => expect.poll(() => isOpen(port)).toBe(false))
    }).pipe(Effect.provide(served))
  )

  it.scopedLive("and one that keeps its connection and asks nothing more", () =>
    Effect.gen(function* () {
      const ask = yield* asking
      const { port, read } = yield* ask("short")
      read()
      expect(isOpen(port)).toBe(true)
      yield* Effect.promise(() => expect.poll(() => isOpen(port)).toBe(false))
    }).pipe(Effect.provide(served))
  )
})
