import { describe, expect, it } from "@effect/vitest"
import { Effect, Runtime } from "effect"
import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { RequestRecord } from "../../src/contract/records/RequestRecord.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { holdResponse } from "../../src/pipeline/holdResponse.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Future } from "../../src/flow/Future.ts"
import type { Batch, GenerationEnding } from "../../src/generation/Generation.ts"
import type { Frame, Machine } from "../../src/generation/Machine.ts"
import { streamAnswer } from "../../src/pipeline/streamAnswer.ts"
import { eventStream } from "../../src/pipeline/streamResponse.ts"
import { incoming } from "../contract/incoming.ts"

const utf8 = new TextEncoder()
const shutdown = new AbortController()
const request = incoming({ shutdown: shutdown.signal })
const options = {
  request,
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
const run = (answer: Effect.Effect<Response, Failure>) =>
  Effect.runPromiseExit(toEffect(() => holdResponse(runFuture(Runtime.defaultRuntime, answer), options)))
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

  it("has not accepted is waited for without the client, where it goes on; its stream is over then", async () => {
    const gone = new Array<string>()
    const accepted = Promise.withResolvers<Response>()
    const body: Bun.UnderlyingSource<Uint8Array> = { cancel: () => void gone.push("cancelled") }
    const answer = Effect.onInterrupt(
      Effect.promise(() => accepted.promise),
      () => Effect.sync(() => void gone.push("interrupted"))
    )
    const record = new RequestRecord(
      { requestId: "req", method: "POST", path: "/" },
      { family: "messages", endpoint: "/" },
      performance.now(),
      () => {}
    )
    record.generation = { leave: () => true, isLeft: true }
    const held = holdResponse(runFuture(Runtime.defaultRuntime, answer), {
      ...options,
      request: { ...going, record }
    })
    const response = await Effect.runPromise(toEffect(() => held))
    const over = response.body?.cancel()
    await Promise.resolve()
    expect(gone).toEqual([])
    accepted.resolve(eventStream(body, request))
    await over
    expect(gone).toEqual(["cancelled"])
  })

  it("has not accepted is left when the gateway stops, which is told in-band", async () => {
    const exit = await run(Effect.never)
    if (exit._tag === "Failure") throw new Error("it failed")
    const text = exit.value.text()
    shutdown.abort()
    expect(await text).toContain("event: error\ndata: The gateway is shutting down")
  })

  it("accepts and then says nothing has no event on it but a comment, until there is one", async () => {
    const first = Promise.withResolvers<Batch>()
    const left: Array<Promise<Batch> | Batch> = [
      first.promise,
      [{ type: "finished", reason: "stop", stopSequence: null }]
    ]
    const generation = { next: () => left.shift(), cancel: () => {} }
    const response = await answerOf(streamAnswer({ generation, machine, heartbeat: "", request: going }))
    const read = piecesOf(response)
    expect(await read()).toBe(": ping\n\n")
    first.resolve([{ type: "text-delta", text: "hi" }])
    expect(await read()).toBe('event: text-delta\ndata: {"type":"text-delta"}\n\n')
    expect(await read()).toBe('event: finished\ndata: {"type":"finished"}\n\n')
    expect(await read()).toBeUndefined()
  })

  it("accepts and then says nothing is cancelled when the client leaves", async () => {
    const cancelled: Array<GenerationEnding | undefined> = []
    const generation = {
      next: () => new Promise<Batch>(() => {}),
      cancel: (how?: GenerationEnding) => void cancelled.push(how)
    }
    const response = await answerOf(streamAnswer({ generation, machine, heartbeat: "", request: going }))
    await response.body?.cancel()
    expect(cancelled).toEqual(["hang-up"])
  })
})

const going = { ...request, shutdown: new AbortController().signal }
const machine: Machine<null, Frame> = { initial: null, step: (state, { type }) => [state, [{ type }]] }
const answerOf = (answer: Future<Response, Failure>): Promise<Response> =>
  Effect.runPromise(toEffect(() => holdResponse(answer, { ...options, request: going })))
/** Reads a body piece by piece, as text; undefined at its end. */
const piecesOf = ({ body }: Response) => {
  const reader = body?.getReader()
  return async () => {
    const piece = await reader?.read()
    return piece?.value === undefined ? undefined : new TextDecoder().decode(piece.value)
  }
}
