import { Schema } from "effect"
import { Limits } from "../../contract/callers/Caller.ts"
import { maybe } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { BatchRow, EndedLine } from "../store/BatchRow.ts"
import type { OpenAIBatch } from "./Api.ts"

const Failed = Schema.Struct({
  code: Schema.String,
  line: Schema.NullOr(Schema.Int),
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
})

/** The stored details of a batch of OpenAI's, beside its columns. Times are Unix ms. */
export const Details = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  tokenLimits: maybe(Limits),
  inputFile: Schema.String,
  metadata: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })),
  outputLifeSeconds: maybe(Schema.Int),
  startedAtMs: maybe(Schema.Int),
  finalizingAtMs: maybe(Schema.Int),
  outputFile: maybe(Schema.String),
  errorFile: maybe(Schema.String),
  errors: maybe(Schema.Array(Failed))
})
export type Details = typeof Details.Type

/** Ids of batches whose requests are in a file begin so. */
export const filePrefix = "batch_"

/** True if a batch's requests and answers are in files. */
export const isOfFiles = ({ id }: Pick<BatchRow, "id">): boolean => id.startsWith(filePrefix)

const decode = Schema.decodeUnknownSync(Details)

export const detailsOf = ({ details }: { readonly details: JsonObject }): Details => decode(details)

/** A batch as OpenAI's clients read it. */
export const openAIBatch = (row: BatchRow): OpenAIBatch => {
  const details = detailsOf(row)
  const status = statusOf(row, details)
  const ended = (which: OpenAIBatch["status"]) => (status === which ? seconds(row.ended_at) : null)
  const { errorFile, errors, finalizingAtMs, inputFile, metadata, outputFile, startedAtMs } = details
  return {
    id: row.id,
    object: "batch",
    endpoint: row.endpoint,
    errors: errors === undefined || errors === null ? null : { object: "list", data: errors },
    input_file_id: inputFile,
    completion_window: "24h",
    status,
    output_file_id: outputFile ?? null,
    error_file_id: errorFile ?? null,
    created_at: Math.floor(row.created_at / 1_000),
    in_progress_at: seconds(startedAtMs),
    expires_at: Math.floor(row.expires_at / 1_000),
    finalizing_at: seconds(finalizingAtMs),
    completed_at: ended("completed"),
    failed_at: ended("failed"),
    expired_at: ended("expired"),
    cancelling_at: seconds(row.cancel_at),
    cancelled_at: ended("cancelled"),
    request_counts: { total: row.total, completed: row.succeeded, failed: row.errored },
    metadata
  }
}

const statusOf = ({ cancel_at, state, stop }: BatchRow, { errors, finalizingAtMs }: Details): OpenAIBatch["status"] => {
  if (state !== "ended") {
    if (cancel_at !== null) return "cancelling"
    if (state !== "running") return "validating"
    return finalizingAtMs === undefined || finalizingAtMs === null ? "in_progress" : "finalizing"
  }
  // Without its files it was given up.
  if ((errors ?? null) !== null || (finalizingAtMs ?? null) === null) return "failed"
  if (stop?.outcome === "canceled") return "cancelled"
  return stop?.outcome === "expired" ? "expired" : "completed"
}

const seconds = (ms: number | null | undefined): number | null =>
  ms === null || ms === undefined ? null : Math.floor(ms / 1_000)

/** A line of the output file or of the error file. The answer is JSON already. */
export const outputLine = (batch: string, line: EndedLine): string => {
  const { custom_id, outcome, place, request_id, result, status } = line
  const head = `{"id":"batch_req_${batch.slice(filePrefix.length)}_${place}","custom_id":${JSON.stringify(custom_id)}`
  if (result === null) {
    return `${head},"response":null,"error":${JSON.stringify(outcome === "expired" ? expired : cancelled)}}\n`
  }
  const response = `{"status_code":${status ?? 200},"request_id":${JSON.stringify(request_id)},"body":${result}}`
  return `${head},"response":${response},"error":null}\n`
}

const expired = {
  code: "batch_expired",
  message: "This request could not be executed before the completion window expired."
}
const cancelled = { code: "batch_cancelled", message: "This request was not executed: the batch was cancelled." }
