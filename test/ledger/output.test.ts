import { expect, it } from "vitest"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { Output } from "../../src/ledger/Output.ts"
import { countText } from "../../src/tokens/tokenizer.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const tokensOf = (...frames: ReadonlyArray<string>) => {
  const output = new Output()
  for (const frame of frames) output.take({ type: "passthrough", bytes: bytesOf(frame), terminal: false })
  return output.tokens()
}
const frame = (text: string) => `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`

it("reads the texts of passthrough frames, whatever they are and however they are spaced", () => {
  const words = "one two three four five six seven eight nine ten"
  expect(tokensOf(frame(words))).toBe(countText(words))
  expect(tokensOf(`{"text": "${words}"}`)).toBe(countText(words))
  expect(tokensOf(frame(""))).toBe(0)
  // Escapes are counted as they are written.
  const quoted = String.raw`a \"quoted\" word and a backslash \\`
  expect(tokensOf(`{"content":"${quoted}","other":"x"}`)).toBe(countText(quoted))
  expect(tokensOf(`{"content":"${quoted}"}`, `{"thinking":"${words}"}`)).toBe(countText(quoted + words))
})

it("keeps no more than some MiB of a text, and counts all of it", () => {
  const words = "one two three four five six seven eight nine ten ".repeat(20_000)
  const grown = (event: (text: string) => GenerationEvent) => {
    const output = new Output()
    const before = process.memoryUsage().heapUsed
    for (let round = 0; round < 60; round++) output.take(event(words))
    Bun.gc(true)
    return { tokens: output.tokens(), mebibytes: (process.memoryUsage().heapUsed - before) / 1_048_576 }
  }
  const expected = 60 * countText(words)
  for (const event of [
    (text: string): GenerationEvent => ({ type: "text-delta", text }),
    (text: string): GenerationEvent => ({ type: "reasoning-delta", text }),
    (text: string): GenerationEvent => ({ type: "passthrough", bytes: bytesOf(frame(text)), terminal: false }),
    (text: string): GenerationEvent => ({ type: "passthrough", bytes: bytesOf(`{"delta":"${text}"}`), terminal: false })
  ]) {
    const { mebibytes, tokens } = grown(event)
    expect(tokens / expected).toBeGreaterThan(0.97)
    expect(tokens / expected).toBeLessThan(1.03)
    expect(mebibytes).toBeLessThan(24)
  }
})

it("prefers deltas to the texts that repeat them, and ignores a text that has no end", () => {
  const words = "one two three four five six seven eight nine ten"
  expect(tokensOf(`{"delta":"${words}"}`, `{"text":"${words}"}`)).toBe(countText(words))
  expect(tokensOf(`{"delta":"${words}`)).toBe(0)
  expect(tokensOf(`{"delta":"${words}"}{"delta":"${words}`)).toBe(countText(words))
})
