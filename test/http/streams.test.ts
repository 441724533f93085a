import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Option, Redacted } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { Address } from "../../src/http/Server.ts"
import { begun, cancelled, failure, live } from "./echoServer.ts"

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
