import type { Line, MixedRun, Told } from "./mixedRun.ts"

/** The order in which a reader wants them; what is not here comes behind. */
const order = [
  "time",
  "level",
  "event",
  "message",
  "object",
  "request_id",
  "account",
  "key",
  "family",
  "endpoint",
  "method",
  "path",
  "attempt",
  "upstream",
  "status",
  "error",
  "reason",
  "said",
  "hint"
]

/** What each run makes anew is told the same each time, so that the page changes only where the gateway does. */
const steady = (line: Line, name: string): Line =>
  Object.fromEntries(
    Object.entries(line)
      .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
      .flatMap(([field, value]) => (isEmpty(field, value) ? [] : [[field, steadyValue(field, value, name)]]))
  )

const placeOf = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length)

/** A time that is nothing may be something in the next run. */
const isEmpty = (field: string, value: unknown) =>
  value === null ||
  (value === 0 && !field.endsWith("_ms")) ||
  (typeof value === "object" && Object.keys(value).length === 0)

const steadyValue = (field: string, value: unknown, name: string): unknown => {
  if (Array.isArray(value))
    return value.map((one: unknown) => (typeof one === "string" ? one : steady(one as Line, name)))
  if (field === "time") return "2026-11-01T12:00:00.000Z"
  if (field === "request_id") return `req_${name}`
  if (field === "key") return "key_5e1f"
  return field.endsWith("_ms") ? 12 : value
}

/** A request's lines of the log and its row, as the page has them. */
const explained = (name: string, { lines, row }: Told): string =>
  [
    "```json",
    ...lines.map((line) => JSON.stringify(steady(line, name))),
    "```",
    "",
    "Its row, without what is empty:",
    "",
    "```json",
    JSON.stringify(steady(row, name), null, 2),
    "```"
  ].join("\n")

/** The blocks of docs/errors.md, by name. */
export const explainedBlocks = ({ cut, failed, failedOver }: MixedRun): Readonly<Record<string, string>> => ({
  failed: explained("failed", failed),
  "failed-over": explained("failed_over", failedOver),
  cut: explained("cut", cut)
})
