import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Internal } from "../../src/contract/failures/Failure.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { earlierRounds, goingOn } from "../../src/tools/journal/earlierRounds.ts"
import type { JournalRound, JournalUse, OpenJournal } from "../../src/tools/journal/RoundJournal.ts"
import type { ServerTool } from "../../src/tools/ServerTool.ts"
import { toolGeneration } from "../../src/tools/toolGeneration.ts"
import { conversation, user } from "../upstreams/conversations.ts"
import { generated } from "../upstreams/generated.ts"
import { calls, drained, says, scripted, stops, used } from "../search/script.ts"
import type { Turn } from "../search/script.ts"

const functionOf = (name: string) =>
  ({ type: "function", name, description: undefined, parameters: {}, strict: undefined }) as const
const asked = conversation({ items: [user("Roll")], tools: [functionOf("dice__roll"), functionOf("own")] })

/** A journal in memory, which outlives the runs of a request, and what happened in order. */
const notebook = (breaks?: "begin" | "end") => {
  const rounds: Array<JournalRound> = []
  const happened: Array<string> = []
  let use: JournalUse = { used: noUsage, called: noUsage }
  const write = (step: "begin" | "end") => (number: number, round: JournalRound, now: JournalUse) =>
    Effect.suspend(() => {
      if (step === breaks) return new Internal({})
      happened.push(`${step} ${number}`)
      rounds[number - 1] = round
      use = now
      return Effect.void
    })
  const open = (): OpenJournal => ({ rounds: [...rounds], use, begin: write("begin"), end: write("end") })
  const end = (id: string, name: string, text: string) => ({
    events: [{ type: "server-call-end", id, result: { text } } as const],
    usage: { ...noUsage, searches: 1 },
    items: () =>
      [
        { type: "tool-call", callId: id, name, arguments: "{}", kind: "function" },
        { type: "tool-result", callId: id, content: [{ type: "text", text }], isError: false }
      ] as const
  })
  const tool: ServerTool = {
    names: new Set(["dice__roll"]),
    mostCalls: 100,
    mostUsage: () => ({ ...noUsage, searches: 1 }),
    opens: ({ id }) => [{ type: "server-call-start", id, server: "dice", tool: "roll" }],
    begins: ({ id }) => [{ type: "server-call-written", id }],
    run: ({ id, name }) => Effect.sync(() => (happened.push("call"), end(id, name, "6"))),
    refuse: ({ id, name }) => Effect.succeed(end(id, name, "no more"))
  }
  return { open, happened, rounds, tool }
}

/** A run of the request, behind what the journal has. */
const run = ({ open, tool }: ReturnType<typeof notebook>, turns: ReadonlyArray<Turn>, mayRepeat = false) =>
  Effect.gen(function* () {
    const tools = [{ ...tool, mayRepeat: () => mayRepeat }]
    const journal = open()
    const earlier = yield* earlierRounds(journal, tools)
    const asking = earlier === undefined ? asked : goingOn(asked, earlier, tools)
    const { asked: seen, upstream } = scripted(turns)
    const runtime = yield* Effect.runtime()
    const options = { upstreamModel: "m", stream: true, requestId: "req_1", runtime }
    const first = yield* generated(upstream, asking, options)
    const events = yield* Effect.promise(() =>
      drained(toolGeneration({ upstream, options, asked: asking, first, tools, journal, earlier }))
    )
    return { events, seen, ids: events.flatMap((event) => (event.type === "server-call-end" ? [event.id] : [])) }
  })

const rolling = [...calls("dice__roll", "c", {}), used(10, 5), stops("tool-calls")]
const answering = [...says("Six"), used(1, 1), stops()]
const failing: Turn = () => Effect.fail(new Internal({}))

describe("the journal of a request that may run again", () => {
  it.effect("has a round before its call leaves, and its end after it", () =>
    Effect.gen(function* () {
      const one = notebook()
      yield* run(one, [rolling, rolling, answering])
      expect(one.happened).toEqual(["begin 1", "call", "end 1", "begin 2", "call", "end 2"])
    })
  )

  it.effect("is gone on from: the same calls under the same ids, the use of all rounds, and none called again", () =>
    Effect.gen(function* () {
      const one = notebook()
      const before = yield* run(one, [rolling, failing])
      const after = yield* run(one, [rolling, answering])
      expect(after.ids.slice(0, 1)).toEqual(before.ids)
      expect(one.happened).toEqual(["begin 1", "call", "end 1", "begin 2", "call", "end 2"])
      expect(after.seen[0]?.items.map(({ type }) => type)).toEqual(["message", "tool-call", "tool-result"])
      expect(after.events.findLast((event) => event.type === "usage")?.usage).toEqual({
        ...noUsage,
        inputTokens: 21,
        outputTokens: 11,
        searches: 2
      })
    })
  )

  it.effect("tells of a call whose end it does not have, unless that may be called again", () =>
    Effect.gen(function* () {
      for (const mayRepeat of [false, true]) {
        const one = notebook("end")
        yield* run(one, [rolling])
        const { happened, open, rounds } = notebook()
        rounds.push(...one.rounds)
        const { seen } = yield* run({ ...one, open }, [answering], mayRepeat)
        const result = seen[0]?.items.at(-1)
        expect(result).toMatchObject({
          isError: !mayRepeat,
          content: [{ text: mayRepeat ? "6" : "It is not known whether this call took effect." }]
        })
        expect(happened).toEqual(["end 1"])
        expect(one.happened.filter((step) => step === "call")).toHaveLength(mayRepeat ? 2 : 1)
      }
    })
  )

  it.effect("lets no call leave that it can't store", () =>
    Effect.gen(function* () {
      const one = notebook("begin")
      const { events } = yield* run(one, [rolling])
      expect(one.happened).toEqual([])
      expect(events.at(-1)).toMatchObject({ type: "failed" })
    })
  )

  it.effect("has no calls of the caller's own, which the model makes anew", () =>
    Effect.gen(function* () {
      const one = notebook()
      yield* run(one, [[...calls("own", "a", {}), ...rolling]])
      const { events, seen } = yield* run(one, [answering])
      expect(events.some(({ type }) => type === "tool-call-start")).toBe(false)
      expect(seen[0]?.items.map(({ type }) => type)).toEqual(["message", "tool-call", "tool-result"])
    })
  )
})
