import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Duration, Effect, Layer, Schema } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { Prefixes, RequestIdInErrors } from "../../src/contract/annotations.ts"
import { InvalidRequest, NotFound, RateLimited, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { maybe } from "../../src/contract/fields.ts"
import { handlers } from "../../src/contract/handlers.ts"
import { failureUnion, typedBody } from "../../src/contract/wire.ts"
import { streamAnswer } from "../../src/pipeline/streamAnswer.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { Lifecycle } from "../../src/flow/Lifecycle.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { serve } from "../../src/http/Server.ts"
import * as Database from "../../src/sql/Database.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"

const row = (status: number, type: string) => ({ status, code: type, type })

const EchoError = failureUnion(
  "Echo",
  {
    InvalidRequest: row(400, "invalid_request_error"),
    AuthMissing: row(401, "authentication_error"),
    AuthInvalid: row(401, "authentication_error"),
    Forbidden: row(403, "permission_error"),
    UnknownRoute: row(404, "invalid_request_error"),
    NotFound: row(404, "invalid_request_error"),
    TooLarge: row(413, "request_too_large"),
    UnsupportedEncoding: row(415, "invalid_request_error"),
    Undecodable: row(422, "invalid_request_error"),
    InsufficientBalance: row(402, "insufficient_balance"),
    QuotaExceeded: row(403, "quota_exceeded"),
    ModelForbidden: row(403, "quota_exceeded"),
    Unpriced: row(403, "quota_exceeded"),
    UnknownModel: row(400, "invalid_request_error"),
    Conflict: row(409, "invalid_request_error"),
    RateLimited: row(429, "rate_limit_error"),
    UpstreamFailed: row(500, "internal_server_error"),
    ToolsFailed: row(424, "tools_failed"),
    Unavailable: row(503, "internal_server_error"),
    Internal: row(500, "internal_server_error")
  },
  typedBody
)

const Echo = Schema.Struct({
  text: Schema.String,
  times: maybe(Schema.Int.pipe(Schema.between(1, 3))),
  mode: maybe(Schema.Literal("plain", "loud"))
})

class EchoApi extends HttpApiGroup.make("echo")
  .add(
    HttpApiEndpoint.post("say", "/echo")
      .setPayload(Echo)
      .addSuccess(Schema.Struct({ said: Schema.String }))
  )
  .add(
    HttpApiEndpoint.get("find", "/echo/:id")
      .setPath(Schema.Struct({ id: Schema.String }))
      .setUrlParams(Schema.Struct({ tag: Schema.optional(Schema.Array(Schema.String)) }))
      .addSuccess(Schema.Struct({ id: Schema.String, tags: Schema.Array(Schema.String) }))
  )
  .add(HttpApiEndpoint.post("stream", "/stream").setPayload(Echo).addSuccess(Schema.Struct({})))
  .addError(EchoError)
  .annotate(Prefixes, ["/"])
  .annotate(RequestIdInErrors, true) {}

export const api = HttpApi.make("test").add(EchoApi)
export const begun: Array<string> = []
export const cancelled: Array<string> = []

const EchoHandlers = handlers(
  EchoApi,
  Effect.succeed({
    say: ({ payload }) => {
      switch (payload.text) {
        case "defect":
          return Effect.die(new Error("a secret of ours"))
        case "wait":
          return Effect.sync(() => begun.push("wait")).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => cancelled.push("wait")))
          )
        case "late":
          return Effect.delay(Effect.succeed({ said: "late" }), "50 millis")
        case "busy":
          return Effect.fail(new RateLimited({ retryAfterSeconds: null }))
        case "busy for 1.5 s":
          return Effect.fail(new RateLimited({ retryAfterSeconds: 1.5 }))
        case "circuit open":
          return Effect.fail(new UpstreamFailed({ retryAfterSeconds: 2.25 }))
        case "upstream failed":
          return Effect.fail(new UpstreamFailed({}))
        case "refuse":
          return Effect.fail(new InvalidRequest({ param: "text", message: "text: no" }))
        default:
          return Effect.succeed({ said: payload.text.repeat(payload.times ?? 1) })
      }
    },
    find: ({ path, urlParams }) =>
      path.id === "none"
        ? Effect.fail(new NotFound({ param: null }))
        : Effect.succeed({ id: path.id, tags: urlParams.tag ?? [] }),
    stream: ({ payload, request }) => {
      let left = payload.times ?? 2
      return streamAnswer({
        request,
        heartbeat: ": ping\n\n",
        machine: { initial: 0, step: (n, event) => [n + 1, [{ type: event.type }]] },
        generation: {
          next: () => {
            if (payload.text === "fail") return [{ type: "failed", failure: new NotFound({ param: null }) }]
            if (payload.text === "hang")
              return left-- > 1 ? [{ type: "started", usage: undefined }] : new Promise(() => {})
            return left-- > 0
              ? Promise.resolve([{ type: "text-delta", text: "x" }])
              : [{ type: "finished", reason: "stop", stopSequence: null }]
          },
          cancel: () => cancelled.push(payload.text)
        }
      })
    }
  })
)

export const live = serve(
  api,
  {},
  {
    hostname: "127.0.0.1",
    port: 0,
    bodyLimit: 4096,
    drainDeadline: Duration.millis(300),
    checkAnswers: true,
    corsOrigins: ["https://app.example.com"]
  }
).pipe(
  Layer.provide(Layer.mergeAll(EchoHandlers, AccessLog.Off, Idempotency.Default)),
  Layer.provideMerge(Layer.mergeAll(Access.Default, Daemons.Default, Lifecycle.Default, Limits.Default)),
  Layer.provideMerge(Keys.Default),
  Layer.provide(Database.layer({ url: "sqlite::memory:", exclusive: true }))
)

export const failure = async (response: Response) => {
  const body = (await response.json()) as { type: string; error: { type: string; message: string }; request_id: string }
  expect(body.type).toBe("error")
  expect(body.request_id).toBe(response.headers.get("x-request-id"))
  return { status: response.status, ...body.error }
}
