import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { beginStopSearch, stopAt } from "../../../src/upstreams/protocols/stops.ts"

const said = (text: string): GenerationEvent => ({ type: "text-delta", text })
const finished: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }

/** What passes of batches of events, texts added up. */
const passing = (stops: ReadonlyArray<string>, batches: ReadonlyArray<ReadonlyArray<GenerationEvent>>) => {
  let state = beginStopSearch(stops)
  const passed: Array<GenerationEvent> = []
  for (const batch of batches) {
    const [next, events] = stopAt(state, batch)
    state = next
    for (const event of events) {
      const last = passed.at(-1)
      if (event.type === "text-delta" && last?.type === "text-delta") passed.splice(-1, 1, said(last.text + event.text))
      else passed.push(event)
    }
    if (passed.at(-1)?.type === "finished") break
  }
  return passed.filter((event) => event.type !== "text-delta" || event.text !== "")
}

/** The text and the sequence that ended it, found by looking at every beginning of it. */
const expected = (stops: ReadonlyArray<string>, text: string) => {
  for (let end = 1; end <= text.length; end++) {
    const ending = stops.filter((stop) => stop !== "" && text.slice(0, end).endsWith(stop))
    const [stop] = ending.sort((one, other) => other.length - one.length)
    if (stop !== undefined) return { text: text.slice(0, end - stop.length), stop }
  }
  return { text, stop: null }
}

it("ends with the first sequence that is whole, wherever the text is cut (property)", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b", "🦊"), maxLength: 7 })
  fc.assert(
    fc.property(
      fc.array(few, { maxLength: 6 }),
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "🦊"), maxLength: 5 }), { maxLength: 8 }),
      (stops, pieces) => {
        const { stop, text } = expected(stops, pieces.join(""))
        const batches = [...pieces.map((piece) => [said(piece)]), [finished]]
        const ended = stop === null ? finished : { type: "finished", reason: "stop-sequence", stopSequence: stop }
        expect(passing(stops, batches)).toEqual(text === "" ? [ended] : [said(text), ended])
        expect(passing(stops, [batches.flat()])).toEqual(passing(stops, batches))
      }
    ),
    { numRuns: 2_000 }
  )
})

it("lets a text go that can be the beginning of none, and one that something else follows", () => {
  const [state, passed] = stopAt(beginStopSearch(["abc"]), [said("xxab")])
  expect(passed).toEqual([said("xx")])
  expect(stopAt(state, [said("x")])[1]).toEqual([said("abx")])
  const ended: GenerationEvent = { type: "text-end" }
  const [after, told] = stopAt(state, [ended])
  expect(told).toEqual([said("ab"), ended])
  // What comes then is another text.
  expect(stopAt(after, [said("c")])[1]).toEqual([said("c")])
})

it("keeps what was used, told with the text that holds the sequence", () => {
  const usage: GenerationEvent = { type: "usage", usage: { ...noUsage, inputTokens: 7 } }
  expect(stopAt(beginStopSearch(["b"]), [said("abc"), said("d"), usage, finished])[1]).toEqual([
    said("a"),
    usage,
    { type: "finished", reason: "stop-sequence", stopSequence: "b" }
  ])
})

it("holds back what may be a very long one, beside a thousand others", () => {
  const stops = Array.from({ length: 1_000 }, (_, index) => `${"a".repeat(index)}bc`)
  const text = `${"a".repeat(5_000)}b`
  const pieces = Array.from(text, said)
  expect(passing(stops, [...pieces.map((piece) => [piece]), [finished]])).toEqual([said(text), finished])
  expect(
    passing(
      stops,
      [...pieces, said("c")].map((piece) => [piece])
    )
  ).toEqual([said("a".repeat(4_001)), { type: "finished", reason: "stop-sequence", stopSequence: stops[999] }])
})
