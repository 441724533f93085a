import { describe, expect, it } from "@effect/vitest"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { failed, finished, play, text, usage } from "./played.ts"

describe("a metered generation that its client leaves", () => {
  it("pays for what was produced when the client hangs up", async () => {
    const started: GenerationEvent = { type: "started", usage: usage({ inputTokens: 40, outputTokens: 1 }) }
    const run = play([[started], [text("one two three four")], [text("never read")]])
    await run.take(2)
    run.watched.cancel("hang-up")
    expect(run.cancelled).toEqual(["hang-up"])
    expect(run.paid).toEqual([{ used: usage({ inputTokens: 40, outputTokens: 4 }), how: "hang-up", estimated: true }])
    await run.take(1)
    expect(run.paid).toHaveLength(1)
  })

  it("is read on without its client where the upstream bills all of it, and pays what that one says", async () => {
    const told = usage({ inputTokens: 3, outputTokens: 5 })
    const run = play([[text("a")], [text("b")], [{ type: "usage", usage: told }, finished]], { runsOn: true })
    await run.take(1)
    run.watched.cancel("hang-up")
    expect(run.paid).toEqual([])
    await run.watched.settled?.()
    expect(run.paid).toEqual([{ used: told, how: "hang-up", estimated: false }])
    expect(run.cancelled).toEqual(["finished"])
  })

  it("pays nothing if the upstream says that it used nothing", async () => {
    const run = play([[text("a")], [{ type: "usage", usage: noUsage }, finished]], { runsOn: true })
    await run.take(1)
    run.watched.cancel("hang-up")
    await run.watched.settled?.()
    expect(run.paid).toEqual([{ used: noUsage, how: "hang-up", estimated: false }])
  })

  it("pays what was written if the usage that was told so far is less", async () => {
    const told = usage({ inputTokens: 3, outputTokens: 1 })
    const run = play([[{ type: "usage", usage: told }], [text("one two three four")]])
    await run.take(2)
    run.watched.cancel("hang-up")
    expect(run.paid).toEqual([{ used: { ...told, outputTokens: 4 }, how: "hang-up", estimated: true }])
  })

  it("is read on from the batch that its client waited for", async () => {
    const batch = Promise.withResolvers<Batch>()
    const told = usage({ inputTokens: 3, outputTokens: 5 })
    const run = play([batch.promise, [{ type: "usage", usage: told }, finished]], { runsOn: true })
    const waiting = run.watched.next()
    run.watched.cancel("hang-up")
    batch.resolve([text("a")])
    expect(await waiting).toEqual([text("a")])
    await run.watched.settled?.()
    expect(run.paid).toEqual([{ used: told, how: "hang-up", estimated: false }])
  })

  it("costs its client nothing if the upstream breaks it off while it is read on", async () => {
    const run = play([[text("a")], [failed]], { runsOn: true })
    await run.take(1)
    run.watched.cancel("hang-up")
    await run.watched.settled?.()
    expect(run.paid).toMatchObject([{ how: "cut" }])
  })

  it("pays what was read until the gateway stops", async () => {
    const run = play([[text("one two")], new Promise<Batch>(() => {})], { runsOn: true })
    await run.take(1)
    run.watched.cancel("hang-up")
    run.stop()
    expect(run.paid).toEqual([{ used: usage({ inputTokens: 7, outputTokens: 2 }), how: "hang-up", estimated: true }])
    expect(run.cancelled).toEqual(["hang-up"])
  })

  it("pays at the tier that it asked for, unless the upstream has told another one", async () => {
    const asked = { tier: "priority", speed: "fast" }
    const run = play([[text("a")]], { asked })
    await run.take(1)
    run.watched.cancel("hang-up")
    expect(run.paid).toMatchObject([{ used: { served: asked } }])
    const started: GenerationEvent = { type: "started", usage: usage({ inputTokens: 4, served: { tier: "default" } }) }
    const told = play([[started], [text("a")]], { asked })
    await told.take(2)
    told.watched.cancel("hang-up")
    expect(told.paid).toMatchObject([{ used: { served: { tier: "default", speed: "fast" } } }])
  })

  it("pays for the counted input when the client hangs up before the first word, once", async () => {
    const run = play([[text("never read")]])
    run.watched.cancel("hang-up")
    run.watched.cancel("hang-up")
    expect(run.paid).toEqual([{ used: usage({ inputTokens: 7 }), how: "hang-up", estimated: true }])
    expect(run.done).toEqual([7])
  })
})
