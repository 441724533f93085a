import { HttpApiSchema, OpenApi } from "@effect/platform"
import { Clock, Data, Effect, Runtime, Schema } from "effect"
import { firstMeasuresIn, laterMeasuresIn, measuresIn } from "../contract/records/measures.ts"
import { serviceCell, serviceNames } from "../contract/records/Service.ts"
import { csv } from "../contract/text/csv.ts"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import { mapInTurns } from "../flow/inTurns.ts"
import type { Own } from "../contract/callers/Own.ts"
import { showUsd } from "../contract/text/showUsd.ts"
import type { Incoming } from "../contract/handlers.ts"
import { listFilterOf, whoseConversation } from "./RequestQuery.ts"
import { operatorView, requestView } from "./RequestView.ts"
import type { RequestView } from "./RequestView.ts"
import type { RequestFilter } from "./store/matchConditions.ts"
import type { RequestStore } from "./store/RequestStore.ts"

const formats = ["csv", "jsonl"] as const
export type ExportFormat = (typeof formats)[number]

/** Query parameters of an export, beside the filters. */
export const ExportParams = {
  format: Schema.optional(Schema.Literal(...formats)).annotations({
    description: "`csv` (default), or `jsonl`: a JSON object a line, with all fields of the list."
  })
}

/** The answer of an export endpoint. */
export const ExportAnswer = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/csv" }))

export const exporting = OpenApi.annotations({
  summary: "Export finished requests, newest first",
  description:
    "A download of all requests that the filters match, without pages. If the connection ends early, the export is not " +
    "complete. Cells of CSV that a spreadsheet would read as formulas get a leading apostrophe.",
  transform: (operation) => {
    const { content } = operation.responses[200]
    content["application/jsonl"] = content["text/csv"]
    return operation
  }
})

/** Rows of one read, which is all that an export keeps in memory. */
const rowsAtOnce = 500

/** Columns of CSV. Attempts and prices, which are no cells, are in JSON lines only. */
const columns = [
  "time",
  "request_id",
  "account",
  "key",
  "key_name",
  "person_name",
  "family",
  "endpoint",
  "model",
  "served_model",
  "fallback",
  "upstream",
  "upstream_model",
  "status",
  "error",
  "reason",
  "stream",
  "first_byte_ms",
  "duration_ms",
  "input_tokens",
  "output_tokens",
  ...firstMeasuresIn("requests").filter((one) => one !== "input_tokens" && one !== "output_tokens"),
  "cost_usd",
  "upstream_cost_usd",
  "settled_at",
  "adapted",
  "notes",
  "tags",
  "end_user",
  "conversation",
  "client",
  "task",
  "idempotency",
  "above_hold_usd",
  ...laterMeasuresIn("requests"),
  ...measuresIn("request_details"),
  ...serviceNames,
  "key_secret"
] as const satisfies ReadonlyArray<keyof RequestView>

const cellOf = (value: RequestView[(typeof columns)[number]]): string => {
  if (value === null || value === undefined) return ""
  if (Array.isArray(value)) return value.join(", ")
  return isCalls(value) ? serviceCell(value) : plain(value)
}

const isCalls = (value: unknown): value is Readonly<Record<string, number>> => typeof value === "object"

/** Money without an exponent, which spreadsheets may not read. */
const plain = (value: unknown): string =>
  typeof value === "number" && !Number.isInteger(value) ? showUsd(Math.round(value * 1e9)) : String(value)

/** The beginning of an export. */
export const exportHead = (format: ExportFormat): string => (format === "csv" ? `${csv(columns, [])}\r\n` : "")

/** Rows of an export, each with its line end. */
export const exportRows = (format: ExportFormat, rows: ReadonlyArray<RequestView>): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => mapInTurns(rows, format === "jsonl" ? jsonLine : csvLine)),
    (lines) => lines.join("")
  )

const jsonLine = (row: RequestView): string => `${JSON.stringify(row)}\n`
const csvLine = (row: RequestView): string =>
  `${csv(
    columns.map((column) => cellOf(row[column])),
    []
  )}\r\n`

/** All matching rows in short reads, for operators unless the filter has an owner. */
const exportReads =
  (store: RequestStore, filter: RequestFilter) =>
  (before: number | undefined): Effect.Effect<ExportRead> =>
    Effect.flatMap(Effect.orDie(store.list(filter, { before, limit: rowsAtOnce })), ({ data, next }) =>
      Effect.map(
        Effect.promise(() => mapInTurns(data, filter.owner === undefined ? operatorView : requestView)),
        (rows) => ({ rows, next })
      )
    )

interface ExportRead {
  readonly rows: ReadonlyArray<RequestView>
  /** The row id before which the next read goes on, if there is more. */
  readonly next: number | undefined
}

/** The caller may not read on, or the gateway stops. */
class ExportEnded extends Data.TaggedError("ExportEnded") {}

type ExportQuery = Parameters<typeof listFilterOf>[0] & { readonly format?: ExportFormat | undefined }

/**
 * Streams all matching requests, newest first, as fast as the client reads. It breaks off if the client leaves, its key or
 * session ends, or the gateway stops.
 *
 * @param turn runs one read after others of the same key
 * @param own as in `requestPage`
 */
export const requestExport = Effect.fnUntraced(function* (
  store: RequestStore,
  { format = "csv", ...query }: ExportQuery,
  request: Incoming,
  turn: <A>(read: Effect.Effect<A>) => Effect.Effect<A>,
  own?: Own
): Effect.fn.Return<Response, InvalidRequest> {
  const nowMs = yield* Clock.currentTimeMillis
  const asked = listFilterOf(query, nowMs)
  const filter = { ...asked, untilMs: asked.untilMs ?? nowMs, owner: own?.account, keys: own?.keys }
  yield* whoseConversation(filter)
  const runtime = yield* Effect.runtime()
  const read = exportReads(store, filter)
  const mayGoOn = Effect.map(request.stillOpens ?? Effect.succeed(true), (opens) => opens && !request.shutdown.aborted)
  /** The next rows that match, which may be far away. */
  const nextRows = (before: number | undefined): Effect.Effect<ExportRead, ExportEnded> =>
    Effect.flatMap(mayGoOn, (may) => (may ? turn(read(before)) : new ExportEnded())).pipe(
      Effect.flatMap((found) =>
        found.rows.length > 0 || found.next === undefined ? Effect.succeed(found) : nextRows(found.next)
      )
    )
  const encoder = new TextEncoder()
  const left = new AbortController()
  let before: number | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(exportHead(format))),
      pull: async (controller) => {
        const some = Effect.flatMap(nextRows(before), ({ next, rows }) =>
          Effect.map(exportRows(format, rows), (text) => ({ next, text }))
        )
        const { next, text } = await Runtime.runPromise(runtime)(some, { signal: left.signal })
        before = next
        controller.enqueue(encoder.encode(text))
        if (next === undefined) controller.close()
      },
      cancel: () => left.abort()
    },
    { highWaterMark: 0 }
  )
  return new Response(body, {
    headers: {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="requests-${new Date(nowMs).toISOString().slice(0, 10)}.${format}"`
    }
  })
})
