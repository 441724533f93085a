import { Schema } from "effect"
import { JsonObject, answerField } from "../contract/fields.ts"
import { only } from "../contract/paging.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const levels = ["debug", "info", "warn", "error"] as const
const maxLines = 5_000

/** Filters for log lines. */
export const LogParams = {
  level: Schema.optional(Schema.Literal(...levels)).annotations({ description: "Only lines of this level or above." }),
  event: only("Only those of this event: `request`, `upstream.attempt`, …"),
  request_id: only("Only those of the request with this `x-request-id`."),
  limit: Schema.optional(wholeNumber(0, maxLines)).annotations({
    description: `The number of lines, from the newest back: 0 to ${maxLines}, default 100.`
  })
}

const LogQuery = Schema.Struct(LogParams)
export type LogQuery = typeof LogQuery.Type

/** The newest lines of the log. */
export const LogLines = Schema.Struct({
  object: Schema.Literal("list"),
  data: answerField(
    Schema.Array(JsonObject),
    "Oldest first, each as in the log: `time`, `level`, `event`, `message` and the fields of its event."
  ),
  next: answerField(Schema.Null, "There are no more pages.")
}).annotations({ identifier: "LogLines" })

/** A filter: decodes a line, or gives undefined if it does not match. */
export const wantedBy = ({ event, level, request_id }: LogQuery): ((line: string) => JsonObject | undefined) => {
  const least = levels.indexOf(level ?? "debug")
  return (text) => {
    const line = lineOf(text)
    if (event !== undefined && line["event"] !== event) return undefined
    if (request_id !== undefined && line["request_id"] !== request_id) return undefined
    return levels.findIndex((one) => one === line["level"]) < least ? undefined : line
  }
}

const lineOf = Schema.decodeSync(Schema.parseJson(JsonObject))

/** The newest matching lines, oldest first. */
export const lastOf = (lines: ReadonlyArray<string>, query: LogQuery): ReadonlyArray<JsonObject> => {
  const { limit = 100 } = query
  const wanted = wantedBy(query)
  const matching: Array<JsonObject> = []
  for (let at = lines.length - 1; at >= 0 && matching.length < limit; at--) {
    const line = wanted(lines[at] ?? "")
    if (line !== undefined) matching.push(line)
  }
  return matching.reverse()
}
