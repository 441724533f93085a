import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Schema } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { Prefixes } from "../../src/contract/annotations.ts"
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
import { exchange } from "./rawSocket.ts"

const Text = Schema.Struct({ text: Schema.String })

class EchoApi extends HttpApiGroup.make("echo")
  .add(HttpApiEndpoint.post("say", "/echo").setPayload(Text).addSuccess(Text))
  .addError(CodedError)
  .annotate(Prefixes, ["/"]) {}

/** Looking a key up takes a while, as it does where the database is elsewhere. */
const AccessThatWaits = Layer.effect(
  Access,
  Effect.map(
    Access,
    ({ authenticate, ofKey, open }) =>
      new Access({ open, ofKey, authenticate: (headers) => Effect.delay(authenticate(headers), "5 millis") })
  )
).pipe(Layer.provide(Access.Default))

const served = serve(
  HttpApi.make("test").add(EchoApi),
  {},
  {
    hostname: "127.0.0.1",
    port: 0,
    bodyLimit: 4096,
    drainDeadline: Duration.millis(300),
    checkAnswers: true,
    corsOrigins: [],
    idleSeconds: 1
  }
).pipe(
  Layer.provide(Layer.mergeAll(AccessLog.Off, Idempotency.Default)),
  Layer.provide(
    handlers(EchoApi, Effect.succeed({ say: ({ payload }) => Effect.delay(Effect.succeed(payload), "3 seconds") }))
  ),
  Layer.provideMerge(Layer.mergeAll(AccessThatWaits, Daemons.Default, Lifecycle.Default, Limits.Default)),
  Layer.provideMerge(Keys.Default),
  Layer.provideMerge(Database.layer({ url: "sqlite::memory:", exclusive: true }))
)

const head = (key: string, length: number) =>
  `POST /echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${length}\r\n\r\n`

describe("a client that is silent", () => {
  it.live("in the middle of its body is cut, also where looking up its key took a while", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const keys = yield* Keys
      const { secret } = yield* keys.create({ account: AccountId.make("a"), name: "k" })
      const key = Redacted.value(secret)
      const talk = (bytes: string) => Effect.promise(() => exchange(url.href, bytes, { timeoutMs: 600_000 }))
      const whole = '{"text":"hi"}'
      // It ends by the server's word alone: the exchange itself would wait for longer than any test.
      yield* talk(head(key, whole.length) + whole.slice(0, 5))
      // While its answer is made, it may wait for it.
      const [answer] = yield* talk(head(key, whole.length) + whole)
      expect([answer?.status, answer?.body]).toEqual([200, whole])
    }).pipe(Effect.provide(served))
  )

  it.live("about a body that is too long by its own word is answered before it sends it", () =>
    Effect.gen(function* () {
      const { url } = yield* Address
      const keys = yield* Keys
      const { secret } = yield* keys.create({ account: AccountId.make("a"), name: "k" })
      const key = Redacted.value(secret)
      const [answer] = yield* Effect.promise(() => exchange(url.href, head(key, 100_000_000), { timeoutMs: 60_000 }))
      expect(answer?.status).toBe(413)
    }).pipe(Effect.provide(served))
  )
})
