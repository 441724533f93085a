import * as fc from "fast-check"
import type { Body } from "../pieces.ts"

/** A request as a client sends it, but for its model. */
export interface Drawn {
  readonly body: Body
  readonly headers: Readonly<Record<string, string>>
}

/** Some members of which most are left out, so that a request has a few of them. */
export const few = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Body> =>
  fc
    .uniqueArray(fc.oneof(...Object.entries(members).map(([name, value]) => fc.tuple(fc.constant(name), value))), {
      maxLength: 5,
      selector: ([name]) => name
    })
    .map((entries) => Object.fromEntries(entries))

export const maybe = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 })

/** One of the characters, several times. */
const of = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters.split("")), minLength, maxLength })

export const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("Hi", "What?", "Go on.", "As json, please.", "Trailing space ") },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n", "\t ") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) }
)

/** Text with something to read. */
export const words = fc.constantFrom("Hi", "What?", "Go on.", "As json, please.", "Å¿🙂", "Trailing space ")

const letters = "abcXYZ019_-"
const long = "a".repeat(64)

/** Names that all three families take. */
export const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("get_weather", "Read", "ping", "mcp__files__read-file") },
  { weight: 2, arbitrary: fc.constantFrom("21st_x", "-x", "_", "9", `${long}_one`, `${long}_two`, "z".repeat(128)) },
  { weight: 1, arbitrary: of(letters, 1, 20) },
  { weight: 1, arbitrary: of(letters, 60, 128) }
)

export const id = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("call_1", "call_2", "toolu_01A", "toolu_01B", "call_0") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "call_0.a:b",
      "call_0_a_b",
      "functions.get_weather:0",
      "chatcmpl-tool-9f0c",
      "123456789",
      `toolu_${long}${long}`,
      `toolu_${long}x`,
      "an id"
    )
  },
  { weight: 1, arbitrary: of("abcXYZ019_-.:", 1, 12) }
)

/** An object of arguments. */
export const input = fc.oneof(
  fc.constantFrom<Array<Body>>({ city: "Oslo" }, {}, { city: null, days: 3 }, { a: { b: [1, "x", { c: null }] } }),
  fc
    .dictionary(fc.constantFrom("city", "days", "", "a b", "__x"), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((value): Body => value)
)

export const userId = fc.constantFrom("u1", "user_1", "u".repeat(64), "user_".repeat(30), "ann@example.com")

/** Names that no family has. */
export const unknown = few({
  x_unknown: fc.constantFrom(1, true, "x", { a: 1 }),
  enable_thinking: fc.boolean(),
  chat_template_kwargs: fc.constant({ enable_thinking: false }),
  top_a: fc.constant(0.5)
})
