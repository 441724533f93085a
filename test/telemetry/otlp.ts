import { Schema } from "effect"

/** A span as a collector reads it; times in ms. */
const ReceivedSpan = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  /** Empty at the root. */
  parentSpanId: Schema.String,
  name: Schema.String,
  kind: Schema.Int,
  fromMs: Schema.Number,
  toMs: Schema.Number,
  attributes: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String })),
  status: Schema.Struct({ code: Schema.Int, message: Schema.String }),
  resource: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type ReceivedSpan = typeof ReceivedSpan.Type

/** A record of a log as a collector reads it. */
const ReceivedLog = Schema.Struct({
  atMs: Schema.Number,
  severity: Schema.Tuple(Schema.Int, Schema.String),
  body: Schema.String,
  event: Schema.String,
  attributes: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** Empty outside a trace. */
  traceId: Schema.String,
  spanId: Schema.String,
  resource: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type ReceivedLog = typeof ReceivedLog.Type

/** What a collector says that it has. */
export const Collected = Schema.Struct({
  spans: Schema.Array(ReceivedSpan),
  logs: Schema.Array(ReceivedLog),
  headers: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.String })),
  came: Schema.Array(Schema.Number)
})

/** The spans of an `ExportTraceServiceRequest`, in either encoding. */
export const spansOf = (body: Uint8Array, contentType: string): ReadonlyArray<ReceivedSpan> =>
  contentType.startsWith("application/json") ? fromJson(Buffer.from(body).toString()) : fromProtobuf(body)

/** The records of an `ExportLogsServiceRequest`, in either encoding. */
export const logsOf = (body: Uint8Array, contentType: string): ReadonlyArray<ReceivedLog> =>
  contentType.startsWith("application/json") ? logsInJson(Buffer.from(body).toString()) : logsInProtobuf(body)

type Value =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: number }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: ReadonlyArray<Value> } }
  | { readonly kvlistValue: { readonly values: ReadonlyArray<{ readonly key: string; readonly value: Value }> } }
const Value: Schema.Schema<Value> = Schema.Union(
  Schema.Struct({ stringValue: Schema.String }),
  Schema.Struct({ boolValue: Schema.Boolean }),
  Schema.Struct({ intValue: Schema.Number }),
  Schema.Struct({ doubleValue: Schema.Number }),
  Schema.Struct({ arrayValue: Schema.Struct({ values: Schema.Array(Schema.suspend(() => Value)) }) }),
  Schema.Struct({ kvlistValue: Schema.Struct({ values: Schema.suspend(() => KeyValues) }) })
)
const KeyValues = Schema.Array(Schema.Struct({ key: Schema.String, value: Value }))
const Id = (bytes: number) => Schema.String.pipe(Schema.pattern(new RegExp(`^[0-9a-f]{${bytes * 2}}$`)))
const JsonRequest = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: KeyValues }),
      scopeSpans: Schema.Array(
        Schema.Struct({
          spans: Schema.Array(
            Schema.Struct({
              traceId: Id(16),
              spanId: Id(8),
              parentSpanId: Schema.optional(Id(8)),
              name: Schema.String,
              kind: Schema.Int,
              startTimeUnixNano: Schema.String,
              endTimeUnixNano: Schema.String,
              attributes: KeyValues,
              links: Schema.Array(Schema.Struct({ traceId: Id(16), spanId: Id(8) })),
              status: Schema.Struct({ code: Schema.Int, message: Schema.optional(Schema.String) })
            })
          )
        })
      )
    })
  )
})

const fromJson = (text: string): ReadonlyArray<ReceivedSpan> =>
  Schema.decodeUnknownSync(Schema.parseJson(JsonRequest))(text).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, endTimeUnixNano, parentSpanId = "", startTimeUnixNano, status, ...span }) => ({
        ...span,
        parentSpanId,
        fromMs: Number(BigInt(startTimeUnixNano)) / 1e6,
        toMs: Number(BigInt(endTimeUnixNano)) / 1e6,
        attributes: inJson(attributes),
        status: { code: status.code, message: status.message ?? "" },
        resource: inJson(resource.attributes)
      }))
    )
  )

const JsonLogs = Schema.Struct({
  resourceLogs: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: KeyValues }),
      scopeLogs: Schema.Array(
        Schema.Struct({
          logRecords: Schema.Array(
            Schema.Struct({
              timeUnixNano: Schema.String,
              severityNumber: Schema.Int,
              severityText: Schema.String,
              body: Schema.Struct({ stringValue: Schema.String }),
              attributes: KeyValues,
              traceId: Schema.optional(Id(16)),
              spanId: Schema.optional(Id(8))
            })
          )
        })
      )
    })
  )
})

const logsInJson = (text: string): ReadonlyArray<ReceivedLog> =>
  Schema.decodeUnknownSync(Schema.parseJson(JsonLogs))(text).resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((record) => ({
        atMs: Number(BigInt(record.timeUnixNano)) / 1e6,
        severity: [record.severityNumber, record.severityText],
        body: record.body.stringValue,
        event: String(inJson(record.attributes)["event.name"]),
        attributes: inJson(record.attributes),
        traceId: record.traceId ?? "",
        spanId: record.spanId ?? "",
        resource: inJson(resource.attributes)
      }))
    )
  )

const inJson = (pairs: typeof KeyValues.Type): Readonly<Record<string, unknown>> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueInJson(value)]))

const valueInJson = (value: Value): unknown => {
  if ("arrayValue" in value) return value.arrayValue.values.map(valueInJson)
  return "kvlistValue" in value ? inJson(value.kvlistValue.values) : Object.values(value)[0]
}

/** A message's fields by their numbers (protobuf's wire format). */
class Fields {
  readonly #fields = new Map<number, Array<bigint | Buffer>>()

  constructor(bytes: Uint8Array) {
    const all = Buffer.from(bytes)
    let at = 0
    const varint = () => {
      let value = 0n
      for (let shift = 0n; ; shift += 7n) {
        const byte = all.readUInt8(at++)
        value |= BigInt(byte & 127) << shift
        if (byte < 128) return value
      }
    }
    const take = (length: number) => all.subarray(at, (at += length))
    while (at < all.length) {
      const tag = Number(varint())
      const wire = tag & 7
      const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
      const field = tag >> 3
      this.#fields.set(field, [...(this.#fields.get(field) ?? []), value])
    }
  }

  all(field: number): ReadonlyArray<Buffer> {
    return (this.#fields.get(field) ?? []).filter((value) => Buffer.isBuffer(value))
  }

  bytes(field: number): Buffer {
    return this.all(field)[0] ?? Buffer.alloc(0)
  }

  text(field: number): string {
    return this.bytes(field).toString()
  }

  has(field: number): boolean {
    return this.#fields.has(field)
  }

  int(field: number): number {
    const [value] = this.#fields.get(field) ?? []
    return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0
  }

  ms(field: number): number {
    return Number(this.bytes(field).readBigUInt64LE()) / 1e6
  }
}

const value = (any: Fields): unknown => {
  if (any.has(1)) return any.text(1)
  if (any.has(2)) return any.int(2) === 1
  if (any.has(3)) return any.int(3)
  if (any.has(4)) return any.bytes(4).readDoubleLE()
  if (any.has(6)) return inProtobuf(new Fields(any.bytes(6)).all(1))
  return new Fields(any.bytes(5)).all(1).map((one) => value(new Fields(one)))
}
const inProtobuf = (pairs: ReadonlyArray<Buffer>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    pairs.map((bytes) => {
      const pair = new Fields(bytes)
      return [pair.text(1), value(new Fields(pair.bytes(2)))] as const
    })
  )

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto. */
const fromProtobuf = (body: Uint8Array): ReadonlyArray<ReceivedSpan> =>
  new Fields(body).all(1).flatMap((resourceSpans) => {
    const of = new Fields(resourceSpans)
    const resource = inProtobuf(new Fields(of.bytes(1)).all(1))
    return of.all(2).flatMap((scopeSpans) =>
      new Fields(scopeSpans).all(2).map((bytes) => {
        const span = new Fields(bytes)
        const status = new Fields(span.bytes(15))
        return {
          traceId: span.bytes(1).toString("hex"),
          spanId: span.bytes(2).toString("hex"),
          parentSpanId: span.bytes(4).toString("hex"),
          name: span.text(5),
          kind: span.int(6),
          fromMs: span.ms(7),
          toMs: span.ms(8),
          attributes: inProtobuf(span.all(9)),
          links: span.all(13).map((link) => ({
            traceId: new Fields(link).bytes(1).toString("hex"),
            spanId: new Fields(link).bytes(2).toString("hex")
          })),
          status: { code: status.int(3), message: status.text(2) },
          resource
        }
      })
    )
  })

/** Field numbers of opentelemetry/proto/logs/v1/logs.proto. */
const logsInProtobuf = (body: Uint8Array): ReadonlyArray<ReceivedLog> =>
  new Fields(body).all(1).flatMap((resourceLogs) => {
    const of = new Fields(resourceLogs)
    const resource = inProtobuf(new Fields(of.bytes(1)).all(1))
    return of.all(2).flatMap((scopeLogs) =>
      new Fields(scopeLogs).all(2).map((bytes) => {
        const record = new Fields(bytes)
        const attributes = inProtobuf(record.all(6))
        return {
          atMs: record.ms(1),
          severity: [record.int(2), record.text(3)],
          body: new Fields(record.bytes(5)).text(1),
          event: String(attributes["event.name"]),
          attributes,
          traceId: record.bytes(9).toString("hex"),
          spanId: record.bytes(10).toString("hex"),
          resource
        }
      })
    )
  })
