import * as fc from "fast-check"
import { Internal } from "../../src/contract/failures/Failure.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"

const id = fc.constantFrom("a", "b", "srvtoolu_c")
const text = fc.constantFrom("", "x", '{"a":1}', '{"a"', ":2}", "世")
const count = fc.nat(50)
const usage = fc.record({
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  searches: fc.nat(3)
})
const outcome = fc.oneof(
  fc.record({
    type: fc.constant("error" as const),
    code: fc.constantFrom("unavailable" as const, "query_too_long" as const)
  }),
  fc.record({
    type: fc.constant("results" as const),
    results: fc.array(fc.record({ url: text, title: text, text, pageAge: fc.option(text) }), { maxLength: 2 })
  })
)
const citation = fc.record({ url: text, title: text, citedText: text, start: fc.nat(9), end: fc.nat(9) })

const event: fc.Arbitrary<GenerationEvent> = fc.oneof(
  fc.record({ type: fc.constant("started" as const), usage: fc.option(usage, { nil: undefined }) }),
  fc.record({ type: fc.constant("text-start" as const) }),
  fc.record({ type: fc.constant("text-delta" as const), text }),
  fc.record({ type: fc.constant("text-end" as const) }),
  fc.record({ type: fc.constant("citation" as const), citation }),
  fc.record({ type: fc.constant("refusal-delta" as const), text }),
  fc.record({ type: fc.constant("reasoning-start" as const) }),
  fc.record({ type: fc.constant("reasoning-delta" as const), text }),
  fc.record({ type: fc.constant("reasoning-end" as const), signature: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant("redacted-reasoning" as const), data: text }),
  fc.record({
    type: fc.constant("image" as const),
    mediaType: fc.constant("image/png"),
    data: fc.constant("iVBORw0KGgo=")
  }),
  fc.record({
    type: fc.constant("tool-call-start" as const),
    callId: id,
    name: fc.constant("f"),
    kind: fc.constantFrom("function" as const, "custom" as const)
  }),
  fc.record({ type: fc.constant("tool-call-delta" as const), callId: id, text }),
  fc.record({ type: fc.constant("tool-call-end" as const), callId: id }),
  fc.record({ type: fc.constant("search-start" as const), id, query: text }),
  fc.record({ type: fc.constant("search-end" as const), id, outcome }),
  fc.record({ type: fc.constant("usage" as const), usage })
)
const ending: fc.Arbitrary<GenerationEvent> = fc.oneof(
  fc.record({
    type: fc.constant("finished" as const),
    reason: fc.constantFrom("stop" as const, "tool-calls" as const, "max-tokens" as const, "refusal" as const),
    stopSequence: fc.constant(null)
  }),
  fc.constant({ type: "failed" as const, failure: new Internal({}) })
)
/** Anything an upstream might do, in any order, with more after its end. */
export const generation = fc
  .tuple(fc.array(event, { maxLength: 25 }), ending, fc.array(event, { maxLength: 3 }))
  .map(([before, end, after]) => [...before, end, ...after])
