import { openLines } from "../store/BatchRow.ts"
import type { BatchRow, EndedLine } from "../store/BatchRow.ts"
import type { MessageBatch } from "./Api.ts"

/**
 * A batch as Anthropic's clients read it.
 *
 * @param url the gateway's address
 */
export const messageBatch = (row: BatchRow, url: string): MessageBatch => {
  const { cancel_at, created_at, ended_at, expires_at, id, state } = row
  const isOver = state === "ended"
  return {
    id,
    type: "message_batch",
    processing_status: isOver ? "ended" : cancel_at === null ? "in_progress" : "canceling",
    request_counts: isOver
      ? {
          processing: 0,
          succeeded: row.succeeded,
          errored: row.errored,
          // Lines without a result were cut short by an operator.
          canceled: row.canceled + openLines(row),
          expired: row.expired
        }
      : { processing: row.total, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at: iso(created_at),
    expires_at: iso(expires_at),
    ended_at: ended_at === null ? null : iso(ended_at),
    cancel_initiated_at: cancel_at === null ? null : iso(cancel_at),
    archived_at: null,
    results_url: isOver ? `${url}/v1/messages/batches/${id}/results` : null
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** A line of a batch's results. Its answer is JSON already. */
export const resultLine = ({ custom_id, outcome, result }: EndedLine): string =>
  `{"custom_id":${JSON.stringify(custom_id)},"result":${resultOf(outcome, result)}}\n`

const resultOf = (outcome: EndedLine["outcome"], result: string | null): string => {
  if (result === null) return `{"type":"${outcome ?? "canceled"}"}`
  return outcome === "succeeded" ? `{"type":"succeeded","message":${result}}` : `{"type":"errored","error":${result}}`
}
