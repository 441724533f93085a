import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit, Schema } from "effect"
import { JsonObject } from "../../src/contract/fields.ts"
import { layer } from "../../src/sql/Database.ts"
import { rows, UndecodableRow } from "../../src/sql/decode.ts"

const things = rows("things", {
  name: Schema.String,
  size: Schema.Int,
  weight: Schema.NullOr(Schema.Int),
  colour: Schema.NullOr(Schema.Literal("red", "blue")),
  isNew: Schema.Boolean,
  details: Schema.parseJson(JsonObject),
  result: Schema.NullOr(Schema.parseJson()),
  tags: Schema.parseJson(Schema.Array(Schema.String))
})

const stored = {
  name: "a",
  size: 3,
  weight: null,
  colour: "red",
  isNew: 1,
  details: `{"a":{"b":[1]}}`,
  result: null,
  tags: `["x"]`
}

const refused = (column: Record<string, unknown>) => {
  const outcome = Either.try({ try: () => things.one({ ...stored, ...column }), catch: (error) => error })
  return Either.isLeft(outcome) && outcome.left instanceof UndecodableRow ? outcome.left.message : outcome
}

describe("a decoded row", () => {
  it("has its columns as the schemas say, and no others", () => {
    expect(things.one({ ...stored, more: 1 })).toEqual({
      name: "a",
      size: 3,
      weight: null,
      colour: "red",
      isNew: true,
      details: { a: { b: [1] } },
      result: null,
      tags: ["x"]
    })
    expect(things.one({ ...stored, isNew: false, colour: null, result: "[null]", weight: 0 })).toMatchObject({
      isNew: false,
      colour: null,
      result: [null],
      weight: 0
    })
  })

  it.each([
    [7, 7],
    [7n, 7],
    ["7", 7],
    ["-9007199254740991", Number.MIN_SAFE_INTEGER],
    [9007199254740991n, Number.MAX_SAFE_INTEGER]
  ])("has an integer of 64 bits, %s, as a number", (size, expected) => {
    expect(things.one({ ...stored, size }).size).toBe(expected)
  })

  it("may have a number that is no integer, or too large for one, where its schema says a number", () => {
    const amounts = rows("amounts", { n: Schema.Number })
    expect([1.5, 9007199254740993n, "9007199254740993"].map((n) => amounts.one({ n }).n)).toEqual([
      1.5,
      2 ** 53,
      2 ** 53
    ])
    expect(() => amounts.one({ n: "much" })).toThrow("amounts.n: expected a number")
  })

  it.each([1.5, NaN, "9007199254740993", 9007199254740993n, "", "7.0", " 7", "1e3", "seven", null, true, undefined])(
    "is refused where its integer is %s",
    (size) => {
      expect(refused({ size })).toBe("things.size: expected an integer that a number holds exactly")
    }
  )

  it.each([
    ["name", 7, "things.name: expected a text"],
    ["name", null, "things.name: expected a text"],
    ["name", undefined, "things.name: expected a text"],
    ["weight", undefined, "things.weight: expected an integer that a number holds exactly, or null"],
    ["weight", "heavy secret", "things.weight: expected an integer that a number holds exactly, or null"],
    ["colour", "green", `things.colour: expected "red" | "blue", or null`],
    ["isNew", 2, "things.isNew: expected a boolean"],
    ["details", "secret", "things.details: expected JSON of an object"],
    ["details", `["secret"]`, "things.details: expected JSON of an object"],
    ["details", "null", "things.details: expected JSON of an object"],
    ["result", "{", "things.result: expected JSON, or null"],
    ["tags", `["x", 7]`, "things.tags: expected JSON of ReadonlyArray<string>"],
    ["tags", "oops", "things.tags: expected JSON of ReadonlyArray<string>"]
  ])("is refused, by the names of its table and column alone, where %s is %s", (column, value, message) => {
    expect(refused({ [column]: value })).toBe(message)
  })

  it("is refused where it is none", () => {
    expect(Either.isLeft(Either.try(() => things.one(null)))).toBe(true)
    expect(things.first([])).toBeUndefined()
    expect(things.all([])).toEqual([])
  })

  it.effect("is what SQLite answers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE numbers (n BIGINT, flag INTEGER NOT NULL)`
      yield* sql`INSERT INTO numbers ${sql.insert([
        { n: Number.MAX_SAFE_INTEGER, flag: 1 },
        { n: null, flag: 0 }
      ])}`
      const numbers = rows("numbers", { n: Schema.NullOr(Schema.Int), flag: Schema.Boolean })
      const sums = rows("numbers", { n: Schema.Int })
      expect(numbers.all(yield* sql`SELECT * FROM numbers ORDER BY flag`)).toEqual([
        { n: null, flag: false },
        { n: Number.MAX_SAFE_INTEGER, flag: true }
      ])
      expect(sums.first(yield* sql`SELECT SUM(n) AS n FROM numbers`)).toEqual({ n: Number.MAX_SAFE_INTEGER })
      yield* sql`INSERT INTO numbers ${sql.insert({ n: 1, flag: 0 })}`
      // One more than a number holds exactly: told, not rounded.
      const beyond = yield* Effect.exit(Effect.map(sql`SELECT SUM(n) AS n FROM numbers`, sums.first))
      const expected = "an integer that a number holds exactly"
      expect(beyond).toEqual(Exit.die(new UndecodableRow({ table: "numbers", column: "n", expected })))
    }).pipe(Effect.provide(layer({ url: "sqlite::memory:", exclusive: true })))
  )
})
