import { expect, it } from "vitest"
import { incoming } from "../contract/incoming.ts"
import { Watcher } from "../../src/feed/Watcher.ts"

const decoder = new TextDecoder()

it("buffers events for a slow reader up to a limit, then sends `missed`", async () => {
  let left = 0
  const watcher = new Watcher(undefined, incoming(), () => left++)
  const reader = new ReadableStream<Uint8Array>(watcher, { highWaterMark: 0 }).getReader()
  const event = `event: request\ndata: ${"x".repeat(100_000)}\n\n`
  for (let n = 0; n < 50; n++) watcher.send(event)
  const text = decoder.decode((await reader.read()).value)
  expect(text.length).toBeLessThan(600_000)
  expect(text.split(event)).toHaveLength(6)
  expect(text).toMatch(/event: missed\ndata: \{\}\n\n$/)
  // Events after the read arrive complete.
  watcher.send("event: changed\ndata: 1\n\n")
  expect(decoder.decode((await reader.read()).value)).toBe("event: changed\ndata: 1\n\n")
  await reader.cancel()
  expect(left).toBe(1)
  watcher.send(event)
  watcher.end()
  expect(left).toBe(1)
})
