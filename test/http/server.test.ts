import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib"
import { HttpApiClient, FetchHttpClient } from "@effect/platform"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Option, Redacted } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { Address } from "../../src/http/Server.ts"
import { exchange } from "./rawSocket.ts"
import { api, failure, live } from "./echoServer.ts"

const key = "operator-chosen-key-of-24-characters"
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

  it("takes x-api-key as an equal, also beside another service's Bearer", async () => {
    const body = JSON.stringify({ text: "hi" })
    const ok = await fetch(new URL("/echo", url), { method: "POST", headers: { "x-api-key": key }, body })
    expect(ok.status).toBe(200)
    const headers = { "x-api-key": key, authorization: "Bearer another's" }
    expect((await fetch(new URL("/echo", url), { method: "POST", headers, body })).status).toBe(200)
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

  const send = (encoding: string, body: Uint8Array | string) =>
    post("/echo", "", { body: body as BodyInit, headers: { ...auth, "content-encoding": encoding } })
  const plain = JSON.stringify({ text: "squeezed" })

  describe.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync]
  ])("a body in %s", (encoding, pack) => {
    const packed = pack(plain)

    it("is read", async () => {
      for (const name of [encoding, ` ${encoding.toUpperCase()} `]) {
        expect(await (await send(name, packed)).json()).toEqual({ said: "squeezed" })
      }
    })

    it("is refused over the limit, unpacked or packed", async () => {
      const bomb = pack(new Uint8Array(2 ** 20 * 3))
      expect(bomb.byteLength).toBeLessThan(4_096)
      const noise = pack(crypto.getRandomValues(new Uint8Array(8_192)))
      for (const big of [bomb, noise]) {
        expect(await failure(await send(encoding, big))).toMatchObject({ status: 413, type: "request_too_large" })
      }
    })

    it.each([
      ["is something else", Buffer.from(plain)],
      ["ends too early", packed.subarray(0, -3)],
      ["has hardly begun", packed.subarray(0, 2)],
      ["is empty", Buffer.alloc(0)],
      ["has something behind its end", Buffer.concat([packed, Buffer.from("and more")])],
      ["has zeros behind its end", Buffer.concat([packed, Buffer.alloc(3)])],
      ["is changed in its middle", packed.map((byte, at) => (at === packed.length >> 1 ? byte ^ 0xff : byte))]
    ])("is refused if it %s", async (_, body) => {
      const refused = await failure(await send(encoding, body))
      // A changed byte may also unpack to other text.
      expect([400, 422]).toContain(refused.status)
      if (refused.status === 422) {
        expect(refused.message).toBe(`The request body is not ${encoding}, or ends too early`)
      }
    })
  })

  it("reads a body that is not encoded, and refuses encodings that it does not know, and several", async () => {
    expect(await (await send("identity", plain)).json()).toEqual({ said: "squeezed" })
    for (const encoding of ["deflate", "compress", "zstd, gzip", "gzip, gzip", "identity, br", "aes128gcm"]) {
      expect(await failure(await send(encoding, plain))).toMatchObject({
        status: 415,
        message: `Content-Encoding: expected one of gzip, br, zstd, identity; got "${encoding}"`
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
    // It never ends: reading on would never answer.
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
    expect(refused).toMatchObject({
      status: 404,
      message: `Invalid URL (${method} ${path}): this gateway does not serve this API`
    })
  })

  it("hides a defect behind the request id", async () => {
    const refused = await failure(await post("/echo", { text: "defect" }))
    expect(refused).toMatchObject({ status: 500, type: "internal_server_error" })
    expect(refused.message).not.toContain("secret")
    expect(refused.message).toMatch(/req_/)
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
