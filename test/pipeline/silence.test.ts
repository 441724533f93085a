import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { streamAnswer } from "../../src/pipeline/streamAnswer.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Batch, GenerationEnding } from "../../src/generation/Generation.ts"
import { incoming } from "../contract/incoming.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

/** An open stream of a generation that the test feeds, and how that was cancelled. */
const open = async () => {
  const cancelled: Array<GenerationEnding | undefined> = []
  let say: (batch: Batch) => void = () => {}
  const next = () => new Promise<Batch>((resolve) => (say = resolve))
  const first: Batch = [{ type: "text-delta", text: "first" }]
  let isFirst = true
  const response = await Effect.runPromise(
    toEffect(() =>
      streamAnswer({
        request: incoming(),
        heartbeat: ": ping\n\n",
        machine: {
          initial: 0,
          step: (n, event) => [n + 1, [event.type === "failed" ? { ...event } : { type: event.type }]]
        },
        generation: {
          next: () => {
            if (!isFirst) return next()
            isFirst = false
            return first
          },
          cancel: (how) => void cancelled.push(how)
        }
      })
    )
  )
  const reader = response.body!.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  return { read, cancelled, say: (batch: Batch) => say(batch) }
}

describe("a stream", () => {
  it("whose reader takes nothing for 120 s is cut, and its generation with it", async () => {
    const { cancelled, read, say } = await open()
    expect(await read()).toContain("text-delta")
    // The reader has asked for more when it pauses; one chunk is there for it.
    const taken = read()
    await Promise.resolve()
    say([{ type: "text-delta", text: "second" }])
    expect(await taken).toContain("text-delta")
    await vi.advanceTimersByTimeAsync(119_000)
    expect(cancelled).toEqual([])
    await vi.advanceTimersByTimeAsync(3_000)
    expect(cancelled).toEqual(["hang-up"])
    await expect(read()).rejects.toThrow("stopped reading")
  })

  it("whose reader pauses for less, over and over, goes on", async () => {
    const { cancelled, read, say } = await open()
    expect(await read()).toContain("text-delta")
    for (let pause = 0; pause < 5; pause++) {
      const taken = read()
      await Promise.resolve()
      say([{ type: "text-delta", text: "more" }])
      expect(await taken).toContain("text-delta")
      await vi.advanceTimersByTimeAsync(110_000)
    }
    expect(cancelled).toEqual([])
  })

  it("of a silent upstream is kept open by heartbeats, and told in-band after 300 s", async () => {
    const { cancelled, read } = await open()
    await read()
    const beats: Array<string> = []
    let text = ""
    const reading = (async () => {
      for (text = await read(); text.startsWith(":"); text = await read()) beats.push(text)
    })()
    await vi.advanceTimersByTimeAsync(299_000)
    expect(cancelled).toEqual([])
    expect(beats.length).toBeGreaterThanOrEqual(28)
    await vi.advanceTimersByTimeAsync(3_000)
    await reading
    expect(text).toContain("failed")
    expect(text).toContain("went silent")
    expect(cancelled).toEqual(["failed"])
  })
})
