import type { Message } from "./protobuf.ts"

/*
 * The messages of OTLP that the gateway sends (github.com/open-telemetry/opentelemetry-proto, v1.9.0), under the names
 * that their fields have in JSON.
 */

const anyValue: Message = () => any
const any = {
  stringValue: [1, "string"],
  boolValue: [2, "bool"],
  intValue: [3, "int"],
  doubleValue: [4, "double"],
  arrayValue: [5, () => ({ values: [1, anyValue] })],
  kvlistValue: [6, () => ({ values: [1, keyValue] })]
} as const satisfies ReturnType<Message>

const pair = { key: [1, "string"], value: [2, anyValue] } as const satisfies ReturnType<Message>
const keyValue: Message = () => pair

const about = { attributes: [1, keyValue], droppedAttributesCount: [2, "int"] } as const satisfies ReturnType<Message>
const scope = { name: [1, "string"], version: [2, "string"] } as const satisfies ReturnType<Message>

const link = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  attributes: [4, keyValue],
  droppedAttributesCount: [5, "int"]
} as const satisfies ReturnType<Message>
const status = { message: [2, "string"], code: [3, "int"] } as const satisfies ReturnType<Message>
const span = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  parentSpanId: [4, "hex"],
  name: [5, "string"],
  kind: [6, "int"],
  startTimeUnixNano: [7, "fixed64"],
  endTimeUnixNano: [8, "fixed64"],
  attributes: [9, keyValue],
  droppedAttributesCount: [10, "int"],
  droppedEventsCount: [12, "int"],
  links: [13, () => link],
  droppedLinksCount: [14, "int"],
  status: [15, () => status]
} as const satisfies ReturnType<Message>
const scopeSpans = { scope: [1, () => scope], spans: [2, () => span] } as const satisfies ReturnType<Message>
const resourceSpans = {
  resource: [1, () => about],
  scopeSpans: [2, () => scopeSpans]
} as const satisfies ReturnType<Message>

/** `ExportTraceServiceRequest`. */
export const tracesRequest: Message = () => ({ resourceSpans: [1, () => resourceSpans] })

const logRecord = {
  timeUnixNano: [1, "fixed64"],
  observedTimeUnixNano: [11, "fixed64"],
  severityNumber: [2, "int"],
  severityText: [3, "string"],
  body: [5, anyValue],
  attributes: [6, keyValue],
  droppedAttributesCount: [7, "int"],
  flags: [8, "fixed32"],
  traceId: [9, "hex"],
  spanId: [10, "hex"],
  eventName: [12, "string"]
} as const satisfies ReturnType<Message>
const scopeLogs = { scope: [1, () => scope], logRecords: [2, () => logRecord] } as const satisfies ReturnType<Message>
const resourceLogs = {
  resource: [1, () => about],
  scopeLogs: [2, () => scopeLogs]
} as const satisfies ReturnType<Message>

/** `ExportLogsServiceRequest`. */
export const logsRequest: Message = () => ({ resourceLogs: [1, () => resourceLogs] })
