import { HttpApi } from "@effect/platform"
import { Either, Option, ParseResult } from "effect"
import type { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { GatewayApi } from "../../src/Api.ts"
import { describe as describeIssue } from "../../src/contract/describe.ts"
import { jsonDecoder } from "../../src/contract/jsonDecoder.ts"
import { bodied } from "./endpoints.ts"
import { examples } from "./examples.ts"
import { places, replaced } from "./mutate.ts"

const payloads: Array<readonly [string, Schema.Schema<unknown>]> = []
HttpApi.reflect(GatewayApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const id = `${group.identifier}.${endpoint.name}`
    if (Option.isSome(endpoint.payloadSchema) && bodied.some((one) => one.id === id)) {
      payloads.push([id, endpoint.payloadSchema.value as unknown as Schema.Schema<unknown>])
    }
  }
})

const said = <A>(result: Either.Either<A, ParseResult.ParseIssue>) => Either.mapLeft(result, describeIssue)

type Said = ReturnType<typeof said>

/** Of an array for an object, the library says that it has no such literal: that it is no object helps more. */
const isMisread = (ours: Said, theirs: Said): boolean => {
  if (Either.isRight(ours) || Either.isRight(theirs)) return false
  const list = /^(.+)\.(?:type|anchor)$/.exec(theirs.left.param ?? "")?.[1]
  return list !== undefined && (ours.left.param === list || ours.left.param?.startsWith(`${list}[`) === true)
}

describe("jsonDecoder", () => {
  it.each(payloads)("decodes and refuses %s as the library does", (id, schema) => {
    const fast = jsonDecoder(schema)
    const library = ParseResult.decodeUnknownEither(schema, { errors: "first" })
    const bodies = examples[id] ?? []
    for (const body of bodies) expect(said(fast(body))).toEqual(said(library(body)))
    const mutated = fc
      .constantFrom(...bodies)
      .chain((body) => fc.tuple(fc.constant(body), fc.constantFrom(...places(body)), wrong))
    fc.assert(
      fc.property(mutated, ([body, place, value]) => {
        const input = replaced(body, place, value)
        const [ours, theirs] = [said(fast(input)), said(library(input))]
        if (!isMisread(ours, theirs)) expect(ours).toEqual(theirs)
      }),
      { numRuns: 2_000 }
    )
  })
})

const wrong = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 0, -1, 1.5, 1e9, "", "text", "auto", true, [], {}, [1], [{}], {
    type: "x"
  }),
  fc.constantFrom<unknown>({ type: "text" }, { type: "function" }, { type: null }, [{ type: "text", text: 1 }]),
  // The library makes a prototype of an own `__proto__`; here it stays what it is, a name like any other.
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes("__proto__"))
)
