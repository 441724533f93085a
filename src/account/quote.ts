import { Effect, Schema } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Quoters } from "../ledger/Quote.ts"
import { QuotedEndpoint, quoteRecord } from "./QuoteRecord.ts"
import { quotedPaths } from "../contract/quotedPaths.ts"
import type { QuotedPath } from "../contract/quotedPaths.ts"

/** Quotes a request body of any family. */
export const quote = (quoters: (typeof Quoters)["Service"], caller: Caller, request: JsonObject, headers: Headers) => {
  const target = endpointOf(request)
  if (target instanceof InvalidRequest) return Effect.fail(target)
  const { body, endpoint } = target
  return Effect.map(quoters[endpoint](caller, body, headers), (quote) => quoteRecord(endpoint, quote))
}

/** Fields that identify a family's request bodies. */
const identifyingFields = [
  ["messages", "/v1/messages"],
  ["input", "/v1/responses"],
  ["content", "/api/v3/contents/generations/tasks"]
] as const

/** The caller's value, shortened for an error message. */
const shown = (value: unknown) => JSON.stringify(typeof value === "string" ? value.slice(0, 80) : typeof value)

const isEndpoint = Schema.is(QuotedEndpoint)

/** The endpoint of a body: the named one, otherwise by its fields. */
const endpointOf = (
  request: JsonObject
): { readonly endpoint: QuotedPath; readonly body: unknown } | InvalidRequest => {
  const { body, endpoint } = request
  if (endpoint !== undefined && body !== undefined) {
    return isEndpoint(endpoint)
      ? { endpoint, body }
      : new InvalidRequest({
          param: "endpoint",
          message: `endpoint: expected one of ${quotedPaths.join(", ")}; got ${shown(endpoint)}`
        })
  }
  const [match, ...others] = identifyingFields.filter(
    ([field]) => request[field] !== undefined && request[field] !== null
  )
  if (match !== undefined && others.length === 0) return { endpoint: match[1], body: request }
  return new InvalidRequest({
    param: null,
    message: `Expected a create body with exactly one of messages (/v1/messages), input (/v1/responses) and content (video tasks), or {endpoint, body}`
  })
}
