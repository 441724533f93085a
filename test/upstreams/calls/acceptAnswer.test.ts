import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Future } from "../../../src/flow/Future.ts"
import { toEffect } from "../../../src/flow/toEffect.ts"
import type { Batch, Generation } from "../../../src/generation/Generation.ts"
import { defaultDeadlines } from "../../../src/upstreams/calls/client.ts"
import { protocols } from "../../../src/upstreams/protocols.ts"
import { conversation, user } from "../conversations.ts"
import { outcome } from "../events.ts"
import type { DialectName } from "../fakes/fakeUpstream.ts"
import { fakeUpstream } from "../fakes/fakeUpstream.ts"
import { generated } from "../generated.ts"
import { readsNothing } from "../noFiles.ts"

let answer: () => Response = () => new Response()
const fake = fakeUpstream("openai-chat", { answer: () => answer() })
afterAll(() => fake.stop())

/** A secret that looks like none. */
const team = "0123456789abcdef0123456789abcdef"

const upstream = (protocol: DialectName) =>
  protocols[protocol].upstream(
    {
      name: "up",
      baseUrl: `${fake.url}/v1`,
      apiKey: Redacted.make("sk-planted"),
      headers: { "x-team": team },
      deadlines: defaultDeadlines,
      ...readsNothing
    },
    protocol === "openai-chat" ? "openrouter" : undefined
  )

const told = { upstreamModel: "m", stream: true, requestId: "req_1" }
const translated = (protocol: DialectName) => generated(upstream(protocol), conversation({ items: [user("hi")] }), told)
const passedThrough = (protocol: DialectName, isPatient = false) =>
  Effect.flatMap(Effect.runtime(), (runtime) =>
    toEffect(() => {
      const { passthrough } = upstream(protocol)
      if (passthrough === undefined) throw new Error("forwards nothing")
      const request = { body: {}, headers: new Headers(), rewrite: (answer: object) => ({ ...answer }) }
      return passthrough.send(request, { ...told, isPatient, runtime }, () => Future.die("it is offered"))
    })
  )

const answering = (body: string, type: string) => {
  answer = () => new Response(body, { headers: { "content-type": type } })
}
const stream = (...frames: ReadonlyArray<object | string>) =>
  answering(
    frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join(""),
    "text/event-stream"
  )
const whole = (value: unknown) => answering(JSON.stringify(value), "application/json")
const chunk = (...choices: ReadonlyArray<object>) => ({ id: "c", object: "chat.completion.chunk", choices })
const failed = "The model's upstream failed"
const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
const anthropicStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 }
  }
}

/** A 200 that is no answer: who sent it, and what it becomes. */
const refusals: Readonly<Record<string, readonly [DialectName, () => void, object]>> = {
  "a stream that opens with an error": [
    "anthropic-messages",
    () => stream(overloaded),
    { retry: "again", failure: { message: "The model's upstream is overloaded" }, said: "overloaded_error: Overloaded" }
  ],
  "an error behind the beginning of a message": [
    "anthropic-messages",
    () => stream(anthropicStart, overloaded),
    { retry: "again", failure: { _tag: "UpstreamFailed" } }
  ],
  "a whole error with a numeric code": [
    "openai-chat",
    () => whole({ error: { code: 429, message: "Rate limited upstream" } }),
    { retry: "again", failure: { _tag: "RateLimited" }, said: "429: Rate limited upstream" }
  ],
  "an error as the first frame": [
    "openai-chat",
    () => stream({ error: { code: 502, message: "Provider down" } }),
    { retry: "again", failure: { message: failed }, said: "502: Provider down" }
  ],
  "an error of the caller's": [
    "openai-chat",
    () => stream({ error: { code: 400, message: "messages: too long" } }),
    { retry: "never", failure: { _tag: "InvalidRequest", message: "messages: too long" } }
  ],
  "an error that repeats a secret": [
    "openai-chat",
    () => stream({ error: { code: 400, message: `no team ${team}` } }),
    { retry: "never", failure: { _tag: "InvalidRequest", message: "no team […]" }, said: "400: no team […]" }
  ],
  "an error inside the choice": [
    "openai-chat",
    () => stream(chunk({ index: 0, delta: {}, finish_reason: "error", error: { code: 503, message: "gone" } })),
    { retry: "again", failure: { message: failed } }
  ],
  "an empty account": [
    "openai-chat",
    () => stream({ error: { type: "insufficient_quota", code: "insufficient_quota", message: "Check your plan" } }),
    { retry: "elsewhere", failure: { message: failed } }
  ],
  "a flat error frame": [
    "openai-chat",
    () => stream({ object: "error", message: "EngineCore died", type: "InternalServerError", code: 500 }, "[DONE]"),
    { retry: "again", failure: { message: failed }, said: "InternalServerError: 500: EngineCore died" }
  ],
  "an error behind the role": [
    "openai-chat",
    () => stream(chunk({ index: 0, delta: { role: "assistant", content: "" } }), { error: "no memory left" }),
    { retry: "again", failure: { message: failed }, said: "no memory left" }
  ],
  "a page": [
    "openai-chat",
    () => answering("<!DOCTYPE html>\n<h1>It works, sk-planted</h1>", "text/html"),
    {
      retry: "again",
      failure: { message: expect.stringContaining("no answer") },
      said: "no JSON: <!DOCTYPE html> <h1>It works, […]</h1>"
    }
  ],
  "a page that calls itself a stream": [
    "openai-chat",
    () => answering("<!DOCTYPE html><h1>It works</h1>", "text/event-stream"),
    { retry: "again", failure: { message: expect.stringContaining("no answer") } }
  ],
  "nothing at all": [
    "openai-chat",
    () => answering("", "application/json"),
    { retry: "again", status: 200, said: "nothing" }
  ],
  "another dialect's answer": [
    "openai-chat",
    () => whole({ type: "message", content: [{ type: "text", text: "hi" }] }),
    { retry: "again", said: 'no answer: {"type":"message","content":[{"type":"text","text":"hi"}]}' }
  ],
  "another dialect's stream": [
    "anthropic-messages",
    () => stream(chunk({ index: 0, delta: { content: "hi" } }), "[DONE]"),
    { retry: "again", failure: { _tag: "UpstreamFailed" } }
  ],
  "an empty stream": ["openai-responses", () => answering("", "text/event-stream"), { retry: "again", status: 200 }],
  "a stream that never has a choice": [
    "openai-chat",
    () => stream(chunk(), chunk(), "[DONE]"),
    { retry: "again", failure: { _tag: "UpstreamFailed" } }
  ]
}

describe("a 200 that is no answer", () => {
  for (const [what, [protocol, play, expected]] of Object.entries(refusals)) {
    it.effect(`is a refused call: ${what}`, () =>
      Effect.gen(function* () {
        play()
        expect(yield* Effect.flip(translated(protocol))).toMatchObject({ _tag: "UpstreamError", ...expected })
        expect(yield* Effect.flip(passedThrough(protocol))).toMatchObject({ _tag: "UpstreamError", ...expected })
      })
    )
  }
})

const events = (generation: Generation) =>
  Effect.promise(async () => {
    const all: Array<Batch[number]> = []
    for (let batch = await generation.next(); batch !== undefined; batch = await generation.next()) all.push(...batch)
    return all
  })

const text = [{ type: "text", text: "hi" }]

describe("an answer", () => {
  const said = chunk({ index: 0, delta: { content: "hi" }, finish_reason: "stop" })

  it.effect("is one though it does not call itself what it is", () =>
    Effect.gen(function* () {
      answering(`data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`, "text/plain")
      expect(outcome(yield* Effect.flatMap(translated("openai-chat"), events)).items).toMatchObject(text)
      const message = { role: "assistant", content: "hi" }
      answering(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }), "text/event-stream")
      expect(outcome(yield* Effect.flatMap(translated("openai-chat"), events)).items).toMatchObject(text)
    })
  )

  it.effect("that fails in the middle repeats no secret", () =>
    Effect.gen(function* () {
      const begun = chunk({ index: 0, delta: { content: "hi" } })
      for (const ask of [translated, passedThrough]) {
        let fail: () => void = () => {}
        answer = () =>
          new Response(
            new ReadableStream({
              start: (controller) => {
                const write = (frame: object) => controller.enqueue(`data: ${JSON.stringify(frame)}\n\n`)
                write(begun)
                fail = () => {
                  write({ error: { code: 400, message: `no team ${team}` } })
                  controller.close()
                }
              }
            }),
            { headers: { "content-type": "text/event-stream" } }
          )
        const generation = yield* ask("openai-chat")
        fail()
        const last = (yield* events(generation)).at(-1)
        expect(last).toMatchObject({ type: "failed", said: "400: no team […]", failure: { message: "no team […]" } })
      }
    })
  )

  for (const [isPatient, what, heldMs] of [
    [false, "at once if no other can be asked", 0],
    [true, "after a second where others can", 900]
  ] as const) {
    it.live(`that has only begun is accepted ${what}, and goes on`, () =>
      Effect.gen(function* () {
        let goOn: () => void = () => {}
        answer = () =>
          new Response(
            new ReadableStream({
              start: (controller) => {
                const write = (frame: object) => controller.enqueue(`data: ${JSON.stringify(frame)}\n\n`)
                write(chunk({ index: 0, delta: { role: "assistant" } }))
                goOn = () => {
                  write(said)
                  controller.close()
                }
              }
            }),
            { headers: { "content-type": "text/event-stream" } }
          )
        const began = performance.now()
        const generation = yield* generated(upstream("openai-chat"), conversation({ items: [user("hi")] }), {
          ...told,
          isPatient
        })
        const tookMs = performance.now() - began
        expect(tookMs).toBeGreaterThanOrEqual(heldMs)
        if (!isPatient) expect(tookMs).toBeLessThan(900)
        goOn()
        const all = yield* events(generation)
        expect(all[0]).toMatchObject({ type: "started" })
        expect(outcome(all).items).toMatchObject(text)
      })
    )
  }

  /** Frames that come one after the other, so many ms apart. */
  const paced = (everyMs: number, ...frames: ReadonlyArray<object>) => {
    answer = () =>
      new Response(
        new ReadableStream({
          start: async (controller) => {
            for (const frame of frames) {
              controller.enqueue(`data: ${JSON.stringify(frame)}\n\n`)
              await Bun.sleep(everyMs)
            }
            controller.close()
          }
        }),
        { headers: { "content-type": "text/event-stream" } }
      )
  }
  const ways = (isPatient: boolean) =>
    [
      generated(upstream("anthropic-messages"), conversation({ items: [user("hi")] }), { ...told, isPatient }),
      passedThrough("anthropic-messages", isPatient)
    ] as const

  it.live(
    "that fails some time behind its beginning is refused where others may be asked, and has begun where not",
    () =>
      Effect.gen(function* () {
        paced(40, anthropicStart, overloaded)
        for (const call of ways(true)) expect(yield* Effect.flip(call)).toMatchObject({ retry: "again" })
        for (const call of ways(false)) {
          const all = yield* Effect.flatMap(call, events)
          expect(all[0]).toMatchObject({ type: "started" })
          expect(all.at(-1)).toMatchObject({ type: "failed", failure: { _tag: "UpstreamFailed" } })
        }
      })
  )

  it.live("that is none is none however slowly it comes", () =>
    Effect.gen(function* () {
      const foreign = chunk({ index: 0, delta: { content: "hi" } })
      paced(20, foreign, foreign, foreign)
      for (const call of ways(false)) expect(yield* Effect.flip(call)).toMatchObject({ _tag: "UpstreamError" })
    })
  )
})
