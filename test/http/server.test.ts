import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup, FetchHttpClient } from "@effect/platform"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, ManagedRuntime, Option, Redacted, Schema } from "effect"
import { Access } from "../../src/access/Access.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { Prefixes, RequestIdInErrors } from "../../src/contract/annotations.ts"
import { InvalidRequest, NotFound, RateLimited, UpstreamFailed } from "../../src/contract/Failure.ts"
import { maybe } from "../../src/contract/fields.ts"
import { handlers } from "../../src/contract/handlers.ts"
import { failureUnion, typedBody } from "../../src/contract/wire.ts"
import { streamed } from "../../src/pipeline/streamed.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { Lifecycle } from "../../src/flow/Lifecycle.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { Address, serve } from "../../src/http/Server.ts"
import * as Database from "../../src/sql/Database.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"
import { exchange } from "./rawSocket.ts"

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
    Conflict: row(409, "invalid_request_error"),
    RateLimited: row(429, "rate_limit_error"),
    UpstreamFailed: row(500, "internal_server_error"),
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

const api = HttpApi.make("test").add(EchoApi)
const begun: Array<string> = []
const cancelled: Array<string> = []

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
      return streamed({
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

const key = "operator-chosen-key-of-24-characters"
const live = serve(
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

const runtime = ManagedRuntime.make(live)
let url = ""
beforeAll(async () => {
  url = await runtime.runPromise(
    Effect.gen(function* () {
      yield* (yield* Keys).bootstrap(Option.some(Redacted.make(key)))
      return (yield* Address).url.href
    })
  )
})
afterAll(() => runtime.dispose())

const auth = { authorization: `Bearer ${key}` }
const post = (path: string, body: unknown, init: RequestInit = {}) =>
  fetch(new URL(path, url), {
    method: "POST",
    headers: { ...auth, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init
  })
const failure = async (response: Response) => {
  const body = (await response.json()) as { type: string; error: { type: string; message: string }; request_id: string }
  expect(body.type).toBe("error")
  expect(body.request_id).toBe(response.headers.get("x-request-id"))
  return { status: response.status, ...body.error }
}

describe("the server", () => {
  it("answers the typed client", async () => {
    const answer = await Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* HttpApiClient.make(api, {
          baseUrl: url,
          transformClient: (http) => http
        })
        return yield* Effect.flip(client.echo.say({ payload: { text: "hi" } }))
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
    expect(answer._tag).toBe("AuthMissing")
  })

  it("decodes the body and encodes the answer, with both request ids", async () => {
    const response = await post("/echo?beta=true", { text: "hi", times: 2, mode: null, unknown: { field: 1 } })
    expect([response.status, await response.json()]).toEqual([200, { said: "hihi" }])
    expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"))
    expect(response.headers.get("x-request-id")).toMatch(/^req_/)
  })

  it("answers a handler that waits", async () => {
    expect(await (await post("/echo", { text: "late" })).json()).toEqual({ said: "late" })
  })

  it("decodes path and repeated query parameters", async () => {
    const find = async (path: string) => (await fetch(new URL(path, url), { headers: auth })).json()
    expect(await find("/echo/a%20b?tag=x&tag=y")).toEqual({ id: "a b", tags: ["x", "y"] })
    expect(await find("/echo/a?tag=x")).toEqual({ id: "a", tags: ["x"] })
  })

  it.each<[string, RequestInit, string]>([
    ["no key", {}, "Missing Authorization header"],
    ["another scheme", { headers: { authorization: `Basic ${key}` } }, "Malformed Authorization header"],
    ["no scheme", { headers: { authorization: key } }, "Malformed Authorization header"],
    ["an unknown key", { headers: { authorization: "Bearer nobody" } }, "Invalid API key"]
  ])("refuses %s before it reads the body", async (_, init, message) => {
    const refused = await failure(await fetch(new URL("/echo", url), { method: "POST", body: "{", ...init }))
    expect(refused).toMatchObject({ status: 401, type: "authentication_error" })
    expect(refused.message).toContain(message)
  })

  it("takes x-api-key as an equal, and Bearer wins", async () => {
    const body = JSON.stringify({ text: "hi" })
    const ok = await fetch(new URL("/echo", url), { method: "POST", headers: { "x-api-key": key }, body })
    expect(ok.status).toBe(200)
    const headers = { "x-api-key": key, authorization: "Bearer nobody" }
    expect((await fetch(new URL("/echo", url), { method: "POST", headers, body })).status).toBe(401)
  })

  it.each<[string, unknown, string]>([
    ["no body", "", "The request body is empty"],
    ["malformed JSON", '{"text":', "The request body is not JSON"],
    ["an array", [], "The request body must be a JSON object"],
    ["null", "null", "The request body must be a JSON object"],
    ["a missing field", {}, "text: is required; expected a string"],
    ["a wrong type", { text: 1 }, "text: expected a string; got 1"],
    ["out of range", { text: "x", times: 4 }, "times: expected a number between 1 and 3; got 4"],
    ["not an integer", { text: "x", times: 1.5 }, "times: expected an integer; got 1.5"],
    ["a wrong choice", { text: "x", mode: "shy" }, 'mode: expected one of plain, loud; got "shy"'],
    ["too deep", `{"text":${"[".repeat(100)}${"]".repeat(100)}}`, "nested deeper than 64 levels"],
    ["a declared failure", { text: "refuse" }, "text: no"]
  ])("says what is wrong with %s", async (_, body, message) => {
    const refused = await failure(await post("/echo", body))
    expect(refused).toMatchObject({ status: 400, type: "invalid_request_error" })
    expect(refused.message).toContain(message)
  })

  it.each([
    ["refuse", 400, { "x-should-retry": "false", "retry-after": null, "retry-after-ms": null }],
    ["busy", 429, { "x-should-retry": null, "retry-after": "1", "retry-after-ms": "1000" }],
    ["busy for 1.5 s", 429, { "x-should-retry": null, "retry-after": "2", "retry-after-ms": "1500" }],
    ["circuit open", 500, { "x-should-retry": null, "retry-after": "3", "retry-after-ms": "2250" }],
    ["upstream failed", 500, { "x-should-retry": null, "retry-after": null, "retry-after-ms": null }]
  ])("tells clients whether and when to try again: %s", async (text, status, headers) => {
    const response = await post("/echo", { text })
    expect(response.status).toBe(status)
    for (const [name, value] of Object.entries(headers))
      expect([name, response.headers.get(name)]).toEqual([name, value])
  })

  it("reads a compressed body, within the same limit", async () => {
    const send = (encoding: string, body: Uint8Array | string) =>
      post("/echo", "", { body: body as BodyInit, headers: { ...auth, "content-encoding": encoding } })
    const plain = JSON.stringify({ text: "squeezed" })
    for (const encoding of ["gzip", "GZIP", "x-gzip"]) {
      expect(await (await send(encoding, Bun.gzipSync(plain))).json()).toEqual({ said: "squeezed" })
    }
    expect(await (await send("identity", plain)).json()).toEqual({ said: "squeezed" })
    // 3 KB that would be 3 MB.
    const bomb = Bun.gzipSync(new Uint8Array(2 ** 20 * 3), { level: 9 })
    expect(bomb.byteLength < 4_096).toBe(true)
    expect(await failure(await send("gzip", bomb))).toMatchObject({ status: 413, type: "request_too_large" })
    for (const encoding of ["br", "zstd", "deflate", "gzip, gzip"]) {
      expect(await failure(await send(encoding, plain))).toMatchObject({
        status: 415,
        message: `Content-Encoding: expected gzip or identity; got "${encoding}"`
      })
    }
    const cutOff = Bun.gzipSync(plain).subarray(0, 20)
    for (const wrong of [plain, cutOff]) {
      expect(await failure(await send("gzip", wrong))).toMatchObject({
        status: 422,
        message: "The request body is not gzip, or ends too early"
      })
    }
  })

  it("reads no more of a compressed body than the limit, though nothing comes out of it", async () => {
    // The empty blocks that a compressed body may have any number of.
    const begun = Bun.gzipSync("").subarray(0, 10)
    const blocks = Buffer.alloc(5 * 2_000, Buffer.from([0, 0, 0, 0xff, 0xff]))
    const piece = Buffer.concat([begun, blocks])
    const head = `POST /echo HTTP/1.1\r\nhost: x\r\nauthorization: ${auth.authorization}\r\ncontent-encoding: gzip\r\n`
    const chunk = `transfer-encoding: chunked\r\n\r\n${piece.length.toString(16)}\r\n${piece.toString("latin1")}\r\n`
    // It never ends: whoever reads on answers nothing.
    const [answer] = await exchange(url, head + chunk, { timeoutMs: 30_000 })
    expect([answer?.status, answer?.body]).toEqual([413, expect.stringContaining("request_too_large")])
  })

  it("refuses a body over the limit, declared or not", async () => {
    const big = JSON.stringify({ text: "x".repeat(5000) })
    expect(await failure(await post("/echo", big))).toMatchObject({ status: 413, type: "request_too_large" })
    const stream = new Blob([big]).stream()
    const chunked = await post("/echo", "", { body: stream, duplex: "half" } as RequestInit)
    expect(await failure(chunked)).toMatchObject({ status: 413, type: "request_too_large" })
  })

  it.each([
    ["POST", "/nowhere"],
    ["DELETE", "/echo"]
  ])("answers %s %s as an invalid URL", async (method, path) => {
    const refused = await failure(await fetch(new URL(path, url), { method }))
    expect(refused).toMatchObject({ status: 404, message: `Invalid URL (${method} ${path})` })
  })

  it("hides a defect behind the request id", async () => {
    const refused = await failure(await post("/echo", { text: "defect" }))
    expect(refused).toMatchObject({ status: 500, type: "internal_server_error" })
    expect(refused.message).not.toContain("secret")
    expect(refused.message).toMatch(/req_/)
  })

  it("interrupts a handler when the client hangs up", async () => {
    const controller = new AbortController()
    const answer = post("/echo", { text: "wait" }, { signal: controller.signal })
    await expect.poll(() => begun).toContain("wait")
    controller.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(() => cancelled).toContain("wait")
  })

  it("streams, and ends the stream with its generation", async () => {
    const response = await post("/stream", { text: "go" })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    expect(await response.text()).toBe(
      ["text-delta", "text-delta", "finished"].map((type) => `event: ${type}\ndata: {"type":"${type}"}\n\n`).join("")
    )
  })

  it("answers a failure before the first event as an HTTP error", async () => {
    expect(await failure(await post("/stream", { text: "fail" }))).toMatchObject({ status: 404 })
  })

  it("cancels a generation when the client leaves its stream", async () => {
    const controller = new AbortController()
    const response = await post("/stream", { text: "hang" }, { signal: controller.signal })
    const reader = response.body!.getReader()
    await reader.read()
    controller.abort()
    await expect.poll(() => cancelled).toContain("hang")
  })
})

describe("stopping", () => {
  it("ends a silent stream in-band and an idle server at once", async () => {
    const other = ManagedRuntime.make(live)
    const address = await other.runPromise(
      Effect.gen(function* () {
        yield* (yield* Keys).bootstrap(Option.some(Redacted.make(key)))
        return (yield* Address).url
      })
    )
    const response = await fetch(new URL("/stream", address), {
      method: "POST",
      headers: auth,
      body: JSON.stringify({ text: "hang" })
    })
    const text = response.text()
    await other.dispose()
    expect(await text).toContain("event: failed")
  })
})
