import { isJsonObject } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json/json.ts"
import { readContext } from "../../contract/records/Trace.ts"
import { keyValues, wellFormed } from "./values.ts"
import type { AnyValue, KeyValue } from "./values.ts"

/** A log record in OTLP. */
export interface OtlpLogRecord {
  readonly timeUnixNano: string
  readonly observedTimeUnixNano: string
  readonly severityNumber: number
  readonly severityText: string
  readonly body: AnyValue
  readonly attributes: ReadonlyArray<KeyValue>
  readonly traceId?: string
  readonly spanId?: string
  readonly flags?: number
}

/** Fields that the conventions know, as spans have them; others are `gateway.…`. */
const conventional: Readonly<Record<string, string>> = {
  method: "http.request.method",
  path: "url.path",
  endpoint: "http.route",
  status: "http.response.status_code",
  end_user: "enduser.id"
}

/** A kind of failure; some events tell its message instead. */
const errorType = /^[a-z0-9_]{1,64}$/

const nameOf = (field: string, value: unknown): string => {
  if (field === "error") return errorType.test(String(value)) ? "error.type" : "exception.message"
  return conventional[field] ?? `gateway.${field}`
}

const severities: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 }

/** Characters of a message and of a cause. */
const longest = 16 * 1_024

/** The record of a line of the JSON log. A line of another form is the body of its record. */
export const logRecord = (line: string, nowMs: number): OtlpLogRecord => {
  const parsed = parseJson(line)
  const { cause, event, level, message, time, traceparent, ...fields } = isJsonObject(parsed)
    ? parsed
    : { message: line }
  const text = (value: unknown) => (typeof value === "string" ? value : undefined)
  const at = Date.parse(text(time) ?? "")
  const severity = text(level) ?? "info"
  const stack = text(cause)
  const context = readContext(text(traceparent))
  return {
    timeUnixNano: nanos(Number.isNaN(at) ? nowMs : at),
    observedTimeUnixNano: nanos(nowMs),
    severityNumber: severities[severity] ?? 0,
    severityText: severity,
    body: { stringValue: wellFormed(text(message) ?? line, longest) },
    attributes: [
      ...keyValues({ "event.name": text(event) }),
      ...keyValues(Object.fromEntries(Object.entries(fields).map(([field, value]) => [nameOf(field, value), value]))),
      ...(stack === undefined
        ? []
        : [{ key: "exception.stacktrace", value: { stringValue: wellFormed(stack, longest) } }])
    ],
    ...(context === undefined
      ? {}
      : { traceId: context.traceId, spanId: context.spanId, flags: context.isSampled ? 1 : 0 })
  }
}

const nanos = (ms: number): string => `${Math.floor(ms)}000000`
