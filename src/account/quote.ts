import { Effect, Schema } from "effect"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Quoters } from "../ledger/Quote.ts"
import { QuotedEndpoint, quoteRecord } from "./QuoteRecord.ts"

/** Quotes a create body of any family. */
export const quote = (quoters: (typeof Quoters)["Service"], caller: Caller, request: JsonObject) => {
  const meant = endpointOf(request)
  if (meant instanceof InvalidRequest) return Effect.fail(meant)
  const { body, endpoint } = meant
  return Effect.map(quoters[endpoint](caller, body), (quote) => quoteRecord(endpoint, quote))
}

/** The field that only this family's create bodies have. */
const signs = [
  ["messages", "/v1/messages"],
  ["input", "/v1/responses"],
  ["content", "/api/v3/contents/generations/tasks"]
] as const

/** What the caller sent, short enough to be read back. */
const shown = (value: unknown) => JSON.stringify(typeof value === "string" ? value.slice(0, 80) : typeof value)

const isEndpoint = Schema.is(QuotedEndpoint)

/** Whose body it is: as it says itself, else by its shape. */
const endpointOf = (
  request: JsonObject
): { readonly endpoint: QuotedEndpoint; readonly body: unknown } | InvalidRequest => {
  const { body, endpoint } = request
  if (endpoint !== undefined && body !== undefined) {
    return isEndpoint(endpoint)
      ? { endpoint, body }
      : new InvalidRequest({
          param: "endpoint",
          message: `endpoint: expected one of ${QuotedEndpoint.literals.join(", ")}; got ${shown(endpoint)}`
        })
  }
  const [found, ...others] = signs.filter(([field]) => request[field] !== undefined && request[field] !== null)
  if (found !== undefined && others.length === 0) return { endpoint: found[1], body: request }
  return new InvalidRequest({
    param: null,
    message: `Expected a create body with exactly one of messages (/v1/messages), input (/v1/responses) and content (video tasks), or {endpoint, body}`
  })
}
