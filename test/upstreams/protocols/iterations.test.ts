import { expect, it } from "@effect/vitest"
import { readUsage } from "../../../src/upstreams/protocols/anthropicMessages/usage.ts"

const told = (iterations: unknown) => readUsage({ input_tokens: 10, output_tokens: 5, iterations }, undefined)
const compaction = { type: "compaction", input_tokens: 3, output_tokens: 2 }

it("reads the iterations that the totals leave out, however odd the list", () => {
  expect(told([compaction, { type: "message", input_tokens: 10 }, 5, null])?.besides).toMatchObject([
    { inputTokens: 3, outputTokens: 2 }
  ])
  for (const odd of [5, "x", null, {}, []]) expect(told(odd)).not.toHaveProperty("besides")
})

it("takes more iterations than can be for no usage, which the gateway then counts", () => {
  expect(told(Array.from({ length: 1_000 }, () => compaction))?.besides).toHaveLength(1_000)
  expect(told(Array.from({ length: 1_001 }, () => compaction))?.besides).toMatchObject([{ inputTokens: Number.NaN }])
})
