import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectError } from "../contract/families.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { exchange } from "./rawSocket.ts"

let gateway: GatewayHere
beforeAll(async () => {
  const config = join(mkdtempSync(join(tmpdir(), "gateway-cors-")), "gateway.yaml")
  writeFileSync(config, 'server: { cors_origins: ["https://app.example.com"] }')
  gateway = await startGateway({ env: { GATEWAY_CONFIG: config } })
})
afterAll(() => gateway.dispose())

const message = JSON.stringify({ model: "sandbox-text", max_tokens: 50, messages: "hi" })
const head = (line: string, ...headers: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "host: x", `authorization: Bearer ${gateway.key}`, ...headers].join("\r\n") + "\r\n\r\n"
const post = (body: string, ...headers: ReadonlyArray<string>) =>
  head("POST /v1/messages", `content-length: ${body.length}`, ...headers) + body
const chunked = (...chunks: ReadonlyArray<string>) =>
  head("POST /v1/messages", "transfer-encoding: chunked") + chunks.join("")
const statuses = async (bytes: string | ReadonlyArray<string>, answers = 1) =>
  (await exchange(gateway.url, bytes, { answers })).map(({ status }) => status)

describe("what no client would send", () => {
  it("answers pipelined requests in their order", async () => {
    const sent = post(message) + head("GET /v1/models") + post("{}") + head("GET /healthz")
    expect(await statuses(sent, 4)).toEqual([200, 200, 400, 200])
  })

  it("goes on after a refusal that came before the body did", async () => {
    const early = "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"
    expect(await statuses(early + head("GET /healthz"), 2)).toEqual([401, 200])
  })

  it("invites a body that waits to be invited", async () => {
    const [answer] = await exchange(gateway.url, [
      head("POST /v1/messages", `content-length: ${message.length}`, "expect: 100-continue"),
      message
    ])
    expect(answer?.status).toBe(200)
  })

  it("answers HEAD as GET, without the body", async () => {
    const [found] = await exchange(gateway.url, head("HEAD /v1/models"))
    expect([found?.status, found?.body, found?.headers.get("content-type")]).toEqual([200, "", "application/json"])
    expect(await statuses(head("HEAD /api/hello"))).toEqual([200])
    expect(await statuses(head("HEAD /api/other"))).toEqual([404])
  })

  it("reads chunked bodies, and refuses broken ones without falling over", async () => {
    const size = message.length.toString(16)
    expect(await statuses(chunked(`${size}\r\n${message}\r\n0\r\n\r\n`))).toEqual([200])
    for (const lie of ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx\r\n0\r\n\r\n", "ffffffffffffffff\r\n{}\r\n"]) {
      expect(await statuses(chunked(lie))).toEqual([400])
    }
  })

  it.each([
    ["a negative length", "content-length: -5"],
    ["a length that is none", "content-length: abc"],
    ["two lengths", "content-length: 2\r\ncontent-length: 3"],
    ["a length and chunks", "content-length: 2\r\ntransfer-encoding: chunked"],
    ["an unknown encoding", "transfer-encoding: gzip"],
    ["a line that is no header", "no header"],
    ["a NUL in a header", "x-a: a\0b"]
  ])("refuses %s", async (_, header) => {
    expect(await statuses(`${head("POST /v1/messages", header)}{}`)).toEqual([400])
  })

  it.each([
    ["a flood of headers", Array.from({ length: 3_000 }, (_, i) => `x-${i}: 1`).join("\r\n")],
    ["a huge header", `x-a: ${"a".repeat(300_000)}`]
  ])("refuses %s", async (_, headers) => {
    expect(await statuses(head("GET /v1/models", headers))).toEqual([431])
  })

  it.each(["", "a b c", "\xff\xfe", "a/b?c#d@e", "[::1", "x:99999999"])("routes with the Host %j", async (host) => {
    const path = "/v1/messages/nope"
    const [answer] = await exchange(
      gateway.url,
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`
    )
    // A Host with a slash in it moves the path; it is answered all the same.
    expect([400, 404]).toContain(answer?.status)
    if (host.includes("/")) return
    await expectError(
      path,
      "unknownUrl",
      new Response(answer?.body ?? "", { status: answer?.status ?? 0, headers: answer?.headers ?? {} })
    )
  })

  it.each(["[::1", "x:99999999"])(
    "knows none of the console's files and no admin API with the Host %j",
    async (host) => {
      for (const path of ["/console/assets/none.js", "/admin/v1/keys"]) {
        const [answer] = await exchange(gateway.url, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
        expect([path, answer?.status]).toEqual([path, 404])
      }
    }
  )

  it.each(["%00", "%ff", "%", "%zz", "%2e%2e", "a%2Fb", "a".repeat(8_000), "'", "日本"])(
    "answers the path segment %j",
    async (segment) => {
      for (const path of ["/v1/tasks/", "/v1/models/", "/v1/responses/", "/api/v3/contents/generations/tasks/"]) {
        const [answer] = await exchange(gateway.url, head(`GET ${path}${Buffer.from(segment).toString("latin1")}`))
        expect(answer?.status).toBe(path === "/v1/tasks/" || segment === "%00" ? 400 : 404)
        expect(JSON.parse(answer?.body ?? "")).toHaveProperty("error.message")
      }
    }
  )

  it("survives garbage", async () => {
    for (const garbage of [
      "\x16\x03\x01\x02\x00\x01",
      "hello\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\0\0\0\0\r\n\r\n"
    ]) {
      await exchange(gateway.url, garbage, { timeoutMs: 300 })
    }
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  })

  it("survives clients that leave in the middle of a body", async () => {
    const partial = head("POST /v1/messages", "content-length: 5000") + message
    await Promise.all(Array.from({ length: 200 }, () => exchange(gateway.url, partial, { timeoutMs: 200 })))
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    expect(gateway.output()).not.toContain('"level":"error"')
  })
})

describe("pages of other origins", () => {
  const preflight = (origin: string) =>
    fetch(`${gateway.url}/v1/messages`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-os"
      }
    })

  it("may call where they are listed", async () => {
    const asked = await preflight("https://app.example.com")
    expect(asked.status).toBe(204)
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://app.example.com")
    expect(asked.headers.get("access-control-allow-methods")).toContain("POST")
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-stainless-os")
    for (const headers of [{ authorization: `Bearer ${gateway.key}` }, {}]) {
      const answer = await fetch(`${gateway.url}/v1/models`, {
        headers: { ...headers, origin: "https://app.example.com" }
      })
      expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example.com")
      expect(answer.headers.get("access-control-expose-headers")).toBe("*")
      expect(answer.headers.get("vary")).toBe("origin")
    }
  })

  it("may not where they are not", async () => {
    for (const origin of [
      "https://evil.example",
      "https://app.example.com.evil.example",
      "null",
      "http://app.example.com"
    ]) {
      const asked = await preflight(origin)
      await expectError("/v1/messages", "unknownUrl", asked)
      expect(asked.headers.get("access-control-allow-origin")).toBeNull()
      const answer = await fetch(`${gateway.url}/healthz`, { headers: { origin } })
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
  })
})
