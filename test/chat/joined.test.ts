import { describe, expect, it } from "@effect/vitest"
import { joining } from "../../src/chat/chatFamily.ts"
import { join } from "../../src/chat/Joined.ts"
import type { Batch } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { free } from "../../src/ledger/Price.ts"
import { meter } from "../../src/ledger/meter.ts"

const head = { id: "chatcmpl-1", created: 1, model: "m", includeUsage: true }
const finished = { type: "finished", reason: "stop", stopSequence: null } as const

/** An answer whose upstream tells more output than there can be. */
const answering = (text: string) => {
  const batches: Array<Batch> = [
    [
      { type: "started", usage: undefined },
      { type: "text-delta", text }
    ],
    [{ type: "usage", usage: { ...noUsage, inputTokens: 3, outputTokens: 1_000_000 } }, finished]
  ]
  return { next: () => batches.shift(), cancel: () => {} }
}

/** Plays two such answers as one, to the end. */
const play = async (stream: boolean) => {
  const paid: Array<Usage> = []
  let text = ""
  const options = joining({ head, isLegacy: false, stream }, () => undefined)
  const generation = meter(
    join([answering("one two three"), answering("four five six")], options),
    { settle: (used) => Promise.resolve(void paid.push(used)), release: () => {}, cut: () => {} },
    {
      price: free,
      inputTokens: () => 7,
      doubtOf: ({ outputTokens }) => (outputTokens > 1_000 ? "output" : undefined),
      doubted: () => {},
      noted: () => {},
      firstPiece: () => {},
      failed: () => {},
      isShuttingDown: () => false,
      isLeft: false,
      readsOn: () => undefined,
      asked: () => undefined,
      done: () => {}
    }
  )
  for (let batch = await generation.next(); batch !== undefined; batch = await generation.next()) {
    for (const event of batch) {
      if (event.type === "passthrough") text += event.terminal ? event.text : new TextDecoder().decode(event.bytes)
    }
  }
  return { paid, text }
}

describe("several answers whose usage can't be", () => {
  it.each([["as a whole", false] as const, ["as a stream", true] as const])(
    "are counted once, %s, and the client is told what is paid",
    async (_, stream) => {
      const { paid, text } = await play(stream)
      expect(paid).toEqual([{ ...noUsage, inputTokens: 7, outputTokens: 6 }])
      expect(text).toContain('"prompt_tokens":7,"completion_tokens":6')
    }
  )
})
