import * as fc from "fast-check"
import { pixel } from "../../upstreams/conversations.ts"
import { gif, jpeg, pdf } from "../pieces.ts"
import type { Body } from "../pieces.ts"
import { id, input, maybe, text, words } from "./drawn.ts"

const mark = fc.option(
  fc.constantFrom<Array<Body>>(
    { type: "ephemeral" },
    { type: "ephemeral", ttl: "5m" },
    { type: "ephemeral", ttl: "1h" }
  ),
  {
    nil: undefined,
    freq: 6
  }
)
export const marked = (cache_control: Body | undefined): Body => (cache_control === undefined ? {} : { cache_control })

const image = fc.constantFrom(
  { mime: "image/png", data: pixel },
  { mime: "image/gif", data: gif },
  { mime: "image/jpeg", data: jpeg },
  { mime: "image/jpg", data: jpeg },
  { mime: "image/webp", data: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==" }
)

/** A piece of a turn, which each family writes its own way. */
export const part = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("text" as const), text, mark }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("image" as const), image, mark }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("pdf" as const),
      data: fc.constant(pdf),
      title: maybe(fc.constantFrom("a.pdf", "a_b  c (1).pdf", "ü.pdf")),
      mark
    })
  }
)
export type Part = typeof part extends fc.Arbitrary<infer A> ? A : never

/** With a text at least: an image or a file alone asks nothing. */
const parts = fc
  .tuple(fc.array(part, { maxLength: 3 }), words, mark)
  .map(([before, last, mark]) => [...before, { kind: "text" as const, text: last, mark }])

const thought = fc.option(
  fc.record({ text: fc.constantFrom("hm", ""), signature: fc.constantFrom("c2ln", "gAAAAother", "skip", "") }),
  { nil: undefined, freq: 3 }
)

const result = fc.oneof(
  { weight: 3, arbitrary: fc.record({ parts: text, isError: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.record({ parts: fc.array(part, { maxLength: 3 }), isError: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ parts: undefined, isError: false }) }
)

const call = fc.record({ id, tool: fc.nat({ max: 7 }), input, result, mark })

/** Something that happened in a conversation: a turn, or calls together with their results. */
export const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("user" as const), parts: fc.oneof(text, parts) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("assistant" as const),
      text: fc.oneof(text, words),
      thought,
      mark,
      isBlocks: fc.boolean()
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("calls" as const),
      text: maybe(words),
      thought,
      calls: fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      isReversed: fc.boolean(),
      after: maybe(parts)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("system" as const), text: words }) }
)
export type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Any order of steps, with a question among them; most end in one, a few in the assistant's own words. */
export const steps = fc
  .tuple(fc.array(step, { maxLength: 5 }), words, fc.array(step, { maxLength: 1 }))
  .map(([before, question, after]): ReadonlyArray<Step> => [...before, { kind: "user", parts: question }, ...after])
