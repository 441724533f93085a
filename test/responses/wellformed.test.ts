import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { framesOf } from "../../src/responses/replay.ts"
import { generation } from "../generation/arbitrary.ts"
import { encoding, run } from "./encoding.ts"
import { read } from "./strictClient.ts"

const options = fc.record({ searchSources: fc.boolean(), encryptedReasoning: fc.boolean() }).map((include) => ({
  ...encoding,
  itemId: (prefix: string, index: number) => `${prefix}_${index}`,
  include,
  namespaced: new Map([["f", { namespace: "ns", name: "g" }]])
}))

describe("whatever an upstream does", () => {
  it("the stream is well-formed, and its fold is the synchronous answer", () => {
    fc.assert(
      fc.property(generation, options, (events, encoding) => {
        const { frames, state } = run(events, encoding)
        expect(read(frames)).toEqual(state.response)
      }),
      { numRuns: 2_000 }
    )
  })

  it("what is stored replays as a stream with the same end", () => {
    fc.assert(
      fc.property(generation, options, (events, encoding) => {
        const { state } = run(events, encoding)
        const stored = {
          response: state.response,
          output: state.output.toArray(),
          input: [],
          include: encoding.include
        }
        const replayed = read(framesOf(stored, encoding.include))
        expect(replayed.output).toEqual(state.response.output)
        expect(replayed.status).toBe(state.response.status)
        expect(replayed.usage).toEqual(state.response.usage)
      }),
      { numRuns: 1_000 }
    )
  })
})
