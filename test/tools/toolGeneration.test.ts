import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { InvalidRequest, RateLimited, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { ServerTool } from "../../src/tools/ServerTool.ts"
import { toolGeneration } from "../../src/tools/toolGeneration.ts"
import type { GenerateOptions } from "../../src/upstreams/Upstream.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { conversation, user } from "../upstreams/conversations.ts"
import { generated } from "../upstreams/generated.ts"
import { calls, drained, says, scripted, stops, used } from "../search/script.ts"
import type { Turn } from "../search/script.ts"

const functionOf = (name: string) =>
  ({ type: "function", name, description: undefined, parameters: {}, strict: undefined }) as const
const asked = conversation({ items: [user("Roll")], tools: [functionOf("dice__roll"), functionOf("own")] })

/** A server with one tool, whose calls are shown as redacted reasoning: what it opened, wrote, began and ended. */
const dice = (over: Partial<ServerTool> = {}) => {
  const ran: Array<string> = []
  const shown = (data: string) => [{ type: "redacted-reasoning", data } as const]
  const end = (id: string, name: string, text: string) => ({
    events: shown(`end ${text}`),
    usage: { ...noUsage, searches: 1 },
    items: () =>
      [
        { type: "tool-call", callId: id, name, arguments: "{}", kind: "function" },
        { type: "tool-result", callId: id, content: [{ type: "text", text }], isError: text !== "6" }
      ] as const
  })
  const tool: ServerTool = {
    names: new Set(["dice__roll"]),
    mostCalls: 100,
    mostUsage: () => ({ ...noUsage, searches: 1 }),
    begins: (call) => shown(`begin ${call.arguments}`),
    run: ({ arguments: text, id, name }) =>
      Effect.sync(() => {
        ran.push(text)
        return end(id, name, "6")
      }),
    refuse: ({ id, name }) => Effect.succeed(end(id, name, "no more")),
    ...over
  }
  return { tool, ran, shown }
}

const run = (
  turns: ReadonlyArray<Turn>,
  { tool }: Pick<ReturnType<typeof dice>, "tool">,
  more: Partial<GenerateOptions> = {},
  asking: Conversation = asked
) =>
  Effect.gen(function* () {
    const model = scripted(turns)
    const runtime = yield* Effect.runtime()
    const options: GenerateOptions = { upstreamModel: "m", stream: true, requestId: "req_1", runtime, ...more }
    const first = yield* generated(model.upstream, asking, options)
    const generation = toolGeneration({ upstream: model.upstream, options, asked: asking, first, tools: [tool] })
    const events = yield* Effect.promise(() => drained(generation))
    return { events, model, last: events.at(-1) }
  })

const rolling = [...calls("dice__roll", "c", { sides: 6 }), used(10, 5), stops("tool-calls")]
const answering = [...says("Six"), used(1, 1), stops()]

describe("rounds with a server tool", () => {
  it.effect("show a call as it is written, and go on with its result", () =>
    Effect.gen(function* () {
      const own = dice({
        opens: ({ name }) => [{ type: "redacted-reasoning", data: `open ${name}` }],
        writes: (_, text) => [{ type: "redacted-reasoning", data: `write ${text}` }]
      })
      const { events, model } = yield* run([[...says("ok"), ...rolling], answering], own)
      expect(events.flatMap((event) => (event.type === "redacted-reasoning" ? [event.data] : []))).toEqual([
        "open dice__roll",
        'write {"si',
        'write des":6}',
        'begin {"sides":6}',
        "end 6"
      ])
      expect(model.asked[1]?.items.slice(1)).toMatchObject([
        { type: "message", role: "assistant" },
        { type: "tool-call", name: "dice__roll" },
        { type: "tool-result", content: [{ text: "6" }], isError: false }
      ])
      expect(events.findLast((event) => event.type === "usage")?.usage).toEqual({
        ...noUsage,
        inputTokens: 11,
        outputTokens: 6,
        searches: 1
      })
    })
  )

  it.effect("keep a text as the model wrote it, with its probabilities", () =>
    Effect.gen(function* () {
      const text = { type: "text-delta", text: "a", logprobs: [{ token: "a" }] } as const
      const { events } = yield* run([[text, used(1, 1), stops()]], dice())
      expect(events[0]).toBe(text)
    })
  )

  it.effect("end with words after twenty, however often the model calls", () =>
    Effect.gen(function* () {
      const own = dice()
      const { last, model } = yield* run(
        Array.from({ length: 20 }, () => rolling),
        own
      )
      expect(model.asked).toHaveLength(20)
      expect(own.ran).toHaveLength(19)
      expect(model.asked.map(({ tools }) => tools.length)).toEqual([...Array.from({ length: 19 }, () => 2), 1])
      expect(last).toMatchObject({ type: "finished", reason: "max-tokens" })
    })
  )

  it.effect("run 64 calls at most, and take the tools away then", () =>
    Effect.gen(function* () {
      const own = dice()
      const many = [
        ...Array.from({ length: 40 }, (_, n) => calls("dice__roll", `c${n}`, {})).flat(),
        used(1, 1),
        stops("tool-calls")
      ]
      const { events, model } = yield* run([many, many, answering], own)
      expect(own.ran).toHaveLength(64)
      expect(
        events.filter((event) => event.type === "redacted-reasoning" && event.data === "end no more")
      ).toHaveLength(16)
      expect(model.asked[2]?.tools.map(({ name }) => name)).toEqual(["own"])
    })
  )
})

describe("a later round that is refused", () => {
  const refused = (retry: UpstreamError["retry"], retryAfterMs?: number) => {
    const failure = new RateLimited({ retryAfterSeconds: 1 })
    return () => Effect.fail(new UpstreamError({ failure, retry, retryAfterMs, status: 429 }))
  }

  it.live("is asked again twice, and runs no tool again", () =>
    Effect.gen(function* () {
      const own = dice()
      const { last, model } = yield* run([rolling, refused("again"), refused("again", 10), answering], own)
      expect(last).toMatchObject({ type: "finished", reason: "stop" })
      expect(own.ran).toHaveLength(1)
      expect(model.asked.slice(2)).toEqual([model.asked[1], model.asked[1]])
    })
  )

  it.effect("as the upstream takes no pictures is asked with a line for each that the tools answered", () =>
    Effect.gen(function* () {
      const picture = {
        type: "image",
        source: { type: "base64", mediaType: "image/png", data: "AAAA" },
        detail: "auto"
      } as const
      const own = dice({
        run: ({ id, name }) =>
          Effect.succeed({
            events: [],
            usage: noUsage,
            items: () => [
              { type: "tool-call", callId: id, name, arguments: "{}", kind: "function" },
              { type: "tool-result", callId: id, content: [picture], isError: false }
            ]
          })
      })
      const turns: ReadonlyArray<Turn> = [
        rolling,
        () => Effect.fail(new InvalidRequest({ param: "image", message: "image: none" })),
        rolling,
        answering
      ]
      const { last, model } = yield* run(turns, own)
      expect(last).toMatchObject({ type: "finished", reason: "stop" })
      const results = model.asked.map(({ items }) =>
        items.flatMap((item) => (item.type === "tool-result" ? item.content : []))
      )
      const line = { type: "text", text: "[image, image/png, 1 kB]" }
      expect(results).toEqual([[], [picture], [line], [line, picture]])
    })
  )

  it.live("fails the answer after two more tries", () =>
    Effect.gen(function* () {
      const own = dice()
      const turns = [rolling, refused("again"), refused("again"), refused("again")]
      const { last, model } = yield* run(turns, own)
      expect(last).toMatchObject({ type: "failed", failure: { _tag: "RateLimited" } })
      expect(model.asked).toHaveLength(4)
    })
  )

  it.effect.each([
    [refused("again", 30_001)],
    [refused("elsewhere")],
    [() => Effect.fail(new UpstreamFailed({ message: "no" }))]
  ] as const)("fails it at once where a try would be of no use", ([turn]) =>
    Effect.gen(function* () {
      const { last, model } = yield* run([rolling, turn], dice())
      expect(last).toMatchObject({ type: "failed" })
      expect(model.asked).toHaveLength(2)
    })
  )
})

describe("a hold that is raised before each round", () => {
  /** Money for so much more: a call costs 10, a round as many as the output that it may write. */
  const purse = (most: number) => {
    const asks: Array<number> = []
    const extend: GenerateOptions["extend"] = (so, next) => {
      const needed = so.searches * 10 + (next?.maxOutputTokens ?? (next === undefined ? 0 : 5_000))
      asks.push(needed)
      return Effect.succeed(needed <= most)
    }
    return { asks, extend }
  }

  it.effect("is asked for the calls before they run, and for the round before it begins", () =>
    Effect.gen(function* () {
      const { asks, extend } = purse(10_000)
      const { last } = yield* run([rolling, rolling, answering], dice(), { extend })
      expect(asks).toEqual([10, 5_010, 20, 5_020])
      expect(last).toMatchObject({ reason: "stop" })
    })
  )

  it.effect("takes the tools away and bounds the last words where it is refused", () =>
    Effect.gen(function* () {
      const own = dice()
      const { last, model } = yield* run([rolling, answering], own, { extend: purse(1_100).extend })
      expect(own.ran).toHaveLength(1)
      expect(model.asked[1]).toMatchObject({ tools: [{ name: "own" }], maxOutputTokens: 1_024 })
      expect(last).toMatchObject({ reason: "stop" })
    })
  )

  it.effect("runs no call that is not covered, and ends the answer where not even words are", () =>
    Effect.gen(function* () {
      const own = dice()
      const { events, last, model } = yield* run([rolling], own, { extend: purse(5).extend })
      expect(own.ran).toEqual([])
      expect(events).toContainEqual({ type: "redacted-reasoning", data: "end no more" })
      expect(model.asked).toHaveLength(1)
      expect(last).toEqual({ type: "finished", reason: "max-tokens", stopSequence: null })
    })
  )
})
