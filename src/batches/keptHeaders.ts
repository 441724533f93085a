import { Schema } from "effect"
import { routingHeaders } from "../dispatch/routingHeaders.ts"
import type { JsonObject } from "../contract/fields.ts"

/** Headers that change the meaning of lines' bodies, or name what is counted. */
const kept = [
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "user-agent",
  "x-gateway-strict",
  "x-gateway-tags",
  ...routingHeaders
]

/** The headers of a batch's request that its lines get. */
export const keptHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    })
  )

/** The same of a stored batch. */
export const headersOf = ({ headers }: JsonObject): Readonly<Record<string, string>> =>
  isHeaders(headers) ? headers : {}

const isHeaders = Schema.is(Schema.Record({ key: Schema.String, value: Schema.String }))
