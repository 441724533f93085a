import { describe, expect, it } from "@effect/vitest"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { countText } from "../../src/tokens/tokenizer.ts"
import { failed, finished, play, text, usage } from "./played.ts"

describe("a metered generation", () => {
  it("pays what the upstream says it used, once, and counts nothing", async () => {
    const told = usage({ inputTokens: 3, cacheReadTokens: 2, outputTokens: 5 })
    const run = play([[text("a")], [{ type: "usage", usage: told }, finished]])
    await run.take(3)
    run.watched.cancel("finished")
    run.watched.cancel()
    expect(run.paid).toEqual([{ used: told, how: "finished", estimated: false }])
    expect(run.counts()).toBe(0)
    expect(run.done).toEqual([10])
    expect(await run.watched.settled?.()).toBeUndefined()
  })

  it("says once that the answer itself begins", async () => {
    const run = play([[{ type: "started", usage: undefined }], [text("a")], [text("b")], [finished]])
    await run.take(1)
    expect(run.firstPieces()).toBe(0)
    await run.take(3)
    expect(run.firstPieces()).toBe(1)
  })

  it("keeps an explicit zero", async () => {
    const run = play([[text("hello")], [{ type: "usage", usage: noUsage }], [finished]])
    await run.take(3)
    expect(run.paid).toEqual([{ used: noUsage, how: "finished", estimated: false }])
  })

  it("counts where the upstream told nothing, and tells the client the same", async () => {
    const run = play([[text("one two "), text("three")], [{ type: "reasoning-delta", text: "hm" }], [finished]])
    const events = await run.take(3)
    const counted = usage({
      inputTokens: 7,
      outputTokens: countText("one two three") + countText("hm"),
      reasoningTokens: countText("hm")
    })
    expect(run.paid).toEqual([{ used: counted, how: "finished", estimated: true }])
    expect(events.slice(-2)).toEqual([{ type: "usage", usage: counted }, finished])
  })

  it("reads the text out of forwarded frames", async () => {
    const frame = (value: object): GenerationEvent => ({
      type: "passthrough",
      terminal: false,
      bytes: new TextEncoder().encode(`event: x\ndata: ${JSON.stringify(value)}\n\n`)
    })
    const message = play([
      [frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one two" } })],
      [frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " three" } })]
    ])
    const response = play([
      [frame({ type: "response.output_text.delta", item_id: "msg_1", delta: "one two" })],
      [frame({ type: "response.output_text.delta", item_id: "msg_1", delta: " three" })],
      // Says it once more.
      [frame({ type: "response.output_text.done", item_id: "msg_1", text: "one two three" })]
    ])
    for (const run of [message, response]) {
      await run.take(run === message ? 2 : 3)
      run.watched.cancel()
      expect(run.paid).toEqual([{ used: usage({ inputTokens: 7, outputTokens: 3 }), how: "hang-up", estimated: true }])
    }
  })

  it("reads it out of however many forwarded frames there were", async () => {
    const frame = (words: string): GenerationEvent => ({
      type: "passthrough",
      terminal: false,
      bytes: new TextEncoder().encode(`event: x\ndata: {"delta": {"text": ${JSON.stringify(words)}}}\n\n`)
    })
    const run = play([Array.from({ length: 900 }, () => frame(" two words")), [frame(" word".repeat(20_000))]])
    await run.take(2)
    run.watched.cancel()
    const [paid] = run.paid
    const tokens = typeof paid === "object" ? paid.used.outputTokens : 0
    // Long texts are counted in parts, between which a token may be counted twice.
    expect(tokens).toBeGreaterThanOrEqual(21_800)
    expect(tokens).toBeLessThan(21_850)
  })

  it("is cut when the upstream fails, ends early, or the gateway stops it: the operator bears what it used", async () => {
    const broken = play([[text("a")], [failed]])
    await broken.take(2)
    broken.watched.cancel("failed")
    const short = play([[text("a")]])
    await short.take(2)
    const stopped = play([[text("a")]])
    await stopped.take(1)
    stopped.watched.cancel("failed")
    const drained = play([[text("a")]], { shuttingDown: true })
    await drained.take(1)
    drained.watched.cancel()
    for (const run of [broken, short, stopped, drained]) {
      expect(run.paid).toEqual([{ used: usage({ inputTokens: 7, outputTokens: 1 }), how: "cut", estimated: true }])
      expect(run.done).toEqual([0])
    }
    const told = usage({ inputTokens: 3, outputTokens: 5 })
    const late = play([[text("a")], [{ type: "usage", usage: told }], [failed]])
    await late.take(3)
    expect(late.paid).toEqual([{ used: told, how: "cut", estimated: false }])
  })

  it("costs nobody anything when it ends before the upstream has said a word", async () => {
    const refused = play([[failed]])
    await refused.take(1)
    const silent = play([[text("a")]])
    silent.watched.cancel("failed")
    for (const run of [refused, silent]) {
      expect(run.paid).toEqual(["released"])
      expect(run.counts()).toBe(0)
    }
  })

  it("counts where the upstream told what can't be, and tells the client that", async () => {
    const told = usage({ inputTokens: -5, outputTokens: 3 })
    const run = play([[text("one two"), { type: "usage", usage: told }], [finished]])
    const counted = usage({ inputTokens: 7, outputTokens: 2 })
    expect(await run.take(3)).toEqual([text("one two"), { type: "usage", usage: counted }, finished])
    expect(run.paid).toEqual([{ used: counted, how: "finished", estimated: true }])
    expect(run.doubted).toEqual(["number"])
  })

  it("tells the count at the start where that is doubted, and believes a total that can be", async () => {
    const run = play([
      [{ type: "started", usage: usage({ inputTokens: Number.NaN }) }],
      [text("one two"), { type: "usage", usage: usage({ inputTokens: 9, outputTokens: 2 }) }, finished]
    ])
    const [started] = await run.take(2)
    expect(started).toEqual({ type: "started", usage: usage({ inputTokens: 7 }) })
    expect(run.paid).toEqual([{ used: usage({ inputTokens: 9, outputTokens: 2 }), how: "finished", estimated: false }])
  })

  it("says all that is believed in the total's frame where the beginning was doubted", async () => {
    const total: GenerationEvent = {
      type: "passthrough",
      terminal: true,
      text: "as it came",
      usageFrame: { isTotal: true, as: ({ cacheReadTokens, inputTokens }) => `${inputTokens} and ${cacheReadTokens}` }
    }
    const run = play([
      [{ type: "started", usage: usage({ inputTokens: Number.NaN, cacheReadTokens: 5 }) }],
      [{ type: "usage", usage: usage({ inputTokens: 9, cacheReadTokens: 5 }) }, total, finished]
    ])
    expect(await run.take(2)).toContainEqual(expect.objectContaining({ text: "9 and 5" }))
    expect(run.paid).toMatchObject([{ used: { inputTokens: 9, cacheReadTokens: 5 }, estimated: false }])
  })

  it("rewrites the frames that told it, and those that left it out", async () => {
    const frames = (told: ReadonlyArray<GenerationEvent>): Batch => [
      ...told,
      {
        type: "passthrough",
        terminal: true,
        text: '{"text": "one two"}',
        usageFrame: { isTotal: true, as: ({ inputTokens, outputTokens }) => `${inputTokens} and ${outputTokens}` }
      },
      finished
    ]
    const believed = play([frames([{ type: "usage", usage: usage({ inputTokens: 1, outputTokens: 1 }) }])])
    expect(await believed.take(1)).toContainEqual(expect.objectContaining({ text: '{"text": "one two"}' }))
    expect(believed.paid).toEqual([
      { used: usage({ inputTokens: 1, outputTokens: 1 }), how: "finished", estimated: false }
    ])
    for (const told of [[], [{ type: "usage", usage: usage({ inputTokens: -1 }) } as const]]) {
      const run = play([frames(told)])
      expect(await run.take(1)).toContainEqual(expect.objectContaining({ text: "7 and 2" }))
      expect(run.paid).toEqual([{ used: usage({ inputTokens: 7, outputTokens: 2 }), how: "finished", estimated: true }])
    }
  })
})
