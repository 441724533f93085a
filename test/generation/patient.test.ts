import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { UpstreamFailed } from "../../src/contract/Failure.ts"
import type { Failure } from "../../src/contract/Failure.ts"
import { patient } from "../../src/generation/patient.ts"
import { eventStream } from "../../src/generation/streamed.ts"

const utf8 = new TextEncoder()
const shutdown = new AbortController()
const request = {
  id: "req_1",
  method: "POST",
  path: "/",
  headers: new Headers(),
  body: {},
  replyHeaders: {},
  shutdown: shutdown.signal
}
const options = {
  request,
  heartbeat: ": ping\n\n",
  failed: (failure: Failure) => `event: error\ndata: ${failure.message}\n\n`,
  holdMs: 20
}

const words = () => {
  let left = 2
  return eventStream(
    { pull: (controller) => (left-- > 0 ? controller.enqueue(utf8.encode("data: x\n\n")) : controller.close()) },
    request
  )
}
const run = (answer: Effect.Effect<Response, Failure>) => Effect.runPromiseExit(patient(answer, options))
const textOf = async (answer: Effect.Effect<Response, Failure>) => {
  const exit = await run(answer)
  if (exit._tag === "Failure") throw new Error("it failed")
  expect(exit.value.status).toBe(200)
  return exit.value.text()
}

describe("a stream whose upstream", () => {
  it("accepts at once is the answer itself", async () => {
    expect(await textOf(Effect.sync(words))).toBe("data: x\n\ndata: x\n\n")
  })

  it("refuses in time fails as an HTTP error", async () => {
    const refusal = new UpstreamFailed({ message: "no" })
    expect(await run(Effect.delay(Effect.fail(refusal), "5 millis"))).toMatchObject({
      _tag: "Failure",
      cause: { error: refusal }
    })
  })

  it("is slow to accept is open meanwhile, and then goes on with the answer", async () => {
    expect(await textOf(Effect.delay(Effect.sync(words), "80 millis"))).toBe(": ping\n\ndata: x\n\ndata: x\n\n")
  })

  it("refuses late is told in-band", async () => {
    const refusal = new UpstreamFailed({ message: "no" })
    expect(await textOf(Effect.delay(Effect.fail(refusal), "80 millis"))).toBe(": ping\n\nevent: error\ndata: no\n\n")
  })

  it("has not accepted is left when the client leaves", async () => {
    const left = Promise.withResolvers<string>()
    const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => left.resolve("left")))
    const exit = await run(never)
    if (exit._tag === "Failure") throw new Error("it failed")
    await exit.value.body?.cancel()
    expect(await left.promise).toBe("left")
  })

  it("has not accepted is left when the gateway stops, which is told in-band", async () => {
    const exit = await run(Effect.never)
    if (exit._tag === "Failure") throw new Error("it failed")
    const text = exit.value.text()
    shutdown.abort()
    expect(await text).toContain("event: error\ndata: The gateway is shutting down")
  })
})
