import { expect, it } from "@effect/vitest"
import { offShutdown, onShutdown } from "../../src/flow/shutdown.ts"
import type { ShutdownListener } from "../../src/flow/shutdown.ts"

it("tells those who have not left, each once, though they leave when they hear it", () => {
  const stopping = new AbortController()
  const told: Array<number> = []
  const all = Array.from({ length: 6 }, (_, index): ShutdownListener => {
    const one: ShutdownListener = {
      shutdownPlace: -1,
      handleEvent: () => {
        told.push(index)
        offShutdown(stopping.signal, one)
        // Another one's end may be the end of this one's work.
        if (index === 2 && all[4] !== undefined) offShutdown(stopping.signal, all[4])
      }
    }
    return one
  })
  for (const one of [...all, ...all]) onShutdown(stopping.signal, one)
  for (const index of [0, 3]) {
    const one = all[index]
    if (one !== undefined) offShutdown(stopping.signal, one)
  }
  stopping.abort()
  expect(told.toSorted((one, other) => one - other)).toEqual(told.includes(4) ? [1, 2, 4, 5] : [1, 2, 5])
  expect(told.indexOf(4) === -1 || told.indexOf(4) < told.indexOf(2)).toBe(true)
  expect(all.every(({ shutdownPlace }) => shutdownPlace === -1)).toBe(true)
})
