import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { bodied, endpoints } from "./endpoints.ts"
import { examples } from "./examples.ts"
import { existing } from "./existing.ts"
import { expectError } from "./families.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const auth = () => ({ authorization: `Bearer ${gateway.key}` })
const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  fetch(gateway.url + path, { method, headers, ...(body === undefined ? {} : { body }) })

/** Of the answer to a good request: nothing is there by the name in `endpoints`. */
const statusOf = (path: string): 200 | 404 => (path.includes("unknown") ? 404 : 200)

const table = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const bodyTable = bodied.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const locked = table.filter(([, { isPublic }]) => !isPublic)

describe("without a good key", () => {
  it.each(locked)("%s is refused before its body is looked at", async (_, { method, path, takesBody }) => {
    const body = takesBody ? "{" : undefined
    const missing = await expectError(path, "missingKey", await send(method, path, {}, body))
    expect(missing.message).toContain("Missing Authorization header")
    for (const authorization of [
      gateway.key,
      `Basic ${gateway.key}`,
      "Bearer",
      "Bearer  ",
      `Bearer ${gateway.key} x`
    ]) {
      const malformed = await expectError(path, "invalidKey", await send(method, path, { authorization }, body))
      expect(malformed.message).toContain("Malformed Authorization header")
    }
    for (const headers of [
      { authorization: "Bearer nobody-knows-this-key" },
      { "x-api-key": "nobody-knows-this-key" },
      // Bearer wins where both are sent.
      { authorization: "Bearer nobody-knows-this-key", "x-api-key": "nobody-knows-this-one" }
    ]) {
      const unknown = await expectError(path, "invalidKey", await send(method, path, headers, body), headers)
      expect(unknown.message).toContain("Invalid API key")
    }
  })

  it.each(table.filter(([, { isPublic }]) => isPublic))("%s answers all the same", async (_, { method, path }) => {
    const status = statusOf(path)
    expect((await send(method, path, {})).status).toBe(status)
    expect((await send(method, path, { authorization: "Bearer nobody" })).status).toBe(status)
  })
})

describe("a URL that is none", () => {
  it.each(table)("%s has no other methods and nothing below it", async (_, { path }) => {
    const known = endpoints.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    // Clients open a stream there, and end sessions.
    if (path.startsWith("/mcp")) known.push("GET", "DELETE")
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !known.includes(method))) {
      const { message } = await expectError(path, "unknownUrl", await send(method, path, {}))
      expect(message).toContain(`(${method} ${path})`)
    }
    const below = `${path}/no/such/thing`
    const { message } = await expectError(below, "unknownUrl", await send("POST", below, auth(), "{}"))
    expect(message).toContain(below)
  })

  const videos = endpoints.some(({ path }) => path.startsWith("/api/v3")) ? ["/api/v3", "/api/v3/contents"] : []
  it.each([
    "/",
    "/v1",
    "/v2/messages",
    "/v1/messagesx",
    "/v1/tasksx",
    "/v1/tasks/a/b",
    "/api/v4",
    "/favicon.ico",
    "/v1/chat",
    "/v1/completions",
    ...videos
  ])("GET %s is refused by the family nearest to it", async (path) => {
    await expectError(path, "unknownUrl", await send("GET", path, auth()))
  })
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
const keys = (count: number) => {
  // In objects of a thousand each, so that it is the total that counts.
  const one = `{${Array.from({ length: 1_000 }, (_, i) => `"k${i}":1`).join(",")}}`
  return `{"a":[${Array.from({ length: count / 1_000 }, () => one).join(",")}]}`
}

describe("a body that is no request", () => {
  const bad: ReadonlyArray<readonly [string, string, string]> = [
    ["empty", "", "The request body is empty"],
    ["spaces", "  \n", "The request body is not JSON"],
    ["cut off", '{"model":', "The request body is not JSON"],
    ["two values", "{}{}", "The request body is not JSON"],
    ["with a comment", "{/* */}", "The request body is not JSON"],
    ["an array", "[]", "must be a JSON object"],
    ["a string", '"x"', "must be a JSON object"],
    ["null", "null", "must be a JSON object"],
    ["a number", "1e999", "must be a JSON object"],
    ["too deep", deep(65), "nested deeper than 64 levels"],
    ["hostilely deep", "[".repeat(1_000_000), "nested deeper than 64 levels"],
    ["with too many keys", keys(101_000), "more than 100000 keys"],
    ["with a giant object", `{"a":{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(",")}}}`, "keys"],
    ["with too many values", `{"a":[${"1,".repeat(400_000)}1]}`, "values"]
  ]
  it.each(bodyTable)("%s says what is wrong with it", async (_, { method, path }) => {
    for (const [name, body, message] of bad) {
      const refused = await expectError(path, "invalid", await send(method, path, auth(), body))
      expect([name, refused.message]).toEqual([name, expect.stringContaining(message)])
      expect(refused.param).toBeNull()
    }
  })

  it.each(bodyTable)(
    "%s takes no NUL in any text, and names the place; a backslash before u0000 is none",
    async (_, endpoint) => {
      const { id, method } = endpoint
      const path = await existing(gateway, endpoint)
      const [example] = examples[id] ?? []
      const unknown = { list: ["fine", { "a b": "x\u0000y" }] }
      const refused = await send(method, path, auth(), JSON.stringify({ ...example, unknown }))
      const { message, param } = await expectError(path, "invalid", refused)
      expect(message).toBe("unknown.list[1].a b: expected text without NUL characters (U+0000)")
      // Some families have no place for it.
      expect([null, "unknown.list[1].a b"]).toContain(param)
      const named = await send(method, path, auth(), JSON.stringify({ ...example, unknown: { "\u0000": 1 } }))
      await expectError(path, "invalid", named)
      const fine = await send(method, path, auth(), JSON.stringify({ ...example, unknown: "\\u0000" }))
      expect(fine.status).toBe(statusOf(path))
    }
  )

  it.each(bodyTable)("%s takes one as deep as it may be", async (_, endpoint) => {
    const { id, method } = endpoint
    const [example] = examples[id] ?? []
    const body = JSON.stringify({ ...example, unknown: JSON.parse(deep(63)) })
    const path = await existing(gateway, endpoint)
    expect((await send(method, path, auth(), body)).status).toBe(statusOf(path))
  })

  it.each(bodyTable)("%s refuses one over its limit by its length alone", async (_, { bodyLimit, method, path }) => {
    const url = new URL(gateway.url)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname)
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString()
        if (text.includes("}")) socket.end()
      })
      socket.on("close", () => resolve(text))
      socket.on("error", reject)
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n` +
          `content-length: ${bodyLimit + 1}\r\n\r\n{`
      )
    })
    const [head = "", body = ""] = answer.split("\r\n\r\n")
    const [status = "", ...lines] = head.split("\r\n")
    const headers = lines.map((line) => line.split(": ") as [string, string])
    const { message } = await expectError(
      path,
      "tooLarge",
      new Response(body, { status: Number(status.split(" ")[1]), headers })
    )
    expect(message).toContain(String(bodyLimit))
  })

  it.each(bodyTable)("%s counts one that does not say its length", async (_, { bodyLimit, method, path }) => {
    let left = bodyLimit + 1
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const bytes = Math.min(left, 1 << 20)
        if (bytes === 0) return controller.close()
        left -= bytes
        controller.enqueue(new Uint8Array(bytes).fill(0x20))
      }
    })
    const response = await fetch(gateway.url + path, { method, headers: auth(), body, duplex: "half" } as RequestInit)
    await expectError(path, "tooLarge", response)
  })
})

describe("an address with a NUL", () => {
  it.each([
    ["GET", "/v1/responses/resp_%00", "id"],
    ["GET", "/v1/tasks/task_a%00b", "id"],
    ["GET", "/api/v3/contents/generations/tasks?filter.model=a%00b", "filter.model"],
    ["GET", "/v1/usage?model=%00", "model"]
  ])("%s %s is refused", async (method, path, name) => {
    const { message } = await expectError(path, "invalid", await send(method, path, auth()))
    expect(message).toContain(`${name}: expected text without NUL characters`)
  })
})

describe("the examples", () => {
  it("are there for every endpoint that takes a body", () => {
    expect(bodied.map(({ id }) => id).filter((id) => examples[id] === undefined)).toEqual([])
  })

  it.each(bodyTable)("%s answers each of them, with any query", async (_, endpoint) => {
    const { id, method } = endpoint
    for (const example of examples[id] ?? []) {
      for (const query of ["", "?beta=true", "?a[]=%zz&&=&beta"]) {
        const path = await existing(gateway, endpoint)
        const response = await send(method, path + query, auth(), JSON.stringify(example))
        expect([response.status, await response.text()]).toEqual([statusOf(path), expect.anything()])
      }
    }
  })
})
