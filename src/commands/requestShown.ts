import { costText } from "../contract/usdText.ts"
import type { RequestView } from "../requests/RequestView.ts"
import { whyFailed } from "../requests/whyFailed.ts"
import { fields, table } from "./table.ts"

const why = {
  too_long: "the input was too long",
  refused: "a content policy refused the request",
  failed: "every route failed"
} as const

/** All that is known of a request, and its attempts as a table. */
export const requestShown = (request: RequestView): string =>
  [
    fields({
      request: request.request_id,
      time: request.time,
      account: request.account,
      key: request.key_name === null ? request.key : `${request.key_name} (${request.key})`,
      endpoint: request.endpoint,
      model: request.model,
      "served by":
        request.served_model === null || request.fallback === null
          ? request.served_model
          : `${request.served_model}, since ${why[request.fallback]}`,
      status: String(request.status),
      error: request.error,
      reason: request.reason,
      why: whyShown(request),
      answered: request.upstream === null ? null : `${request.upstream} (${request.upstream_model ?? ""})`,
      "upstream key": request.upstream_key ?? null,
      "first byte": request.first_byte_ms === 0 ? null : `${request.first_byte_ms} ms`,
      duration: `${request.duration_ms} ms${request.stream ? ", streamed" : ""}`,
      tokens: tokensOf(request),
      cost: request.cost_usd === null ? null : costText(request.cost_usd),
      "upstream cost": request.upstream_cost_usd === undefined ? null : costText(request.upstream_cost_usd),
      "above its hold": request.above_hold_usd === undefined ? null : costText(request.above_hold_usd),
      "price from": priceShown(request.price_source),
      settled: request.settled_at,
      adapted: request.adapted,
      notes: request.notes.length === 0 ? null : request.notes.join(", "),
      tags: request.tags.length === 0 ? null : request.tags.join(", "),
      "end user": request.end_user,
      conversation: request.conversation,
      client: request.client,
      task: request.task,
      idempotency: request.idempotency
    }),
    ...(request.attempts.length === 0
      ? []
      : [
          "",
          table(
            ["ATTEMPT", "UPSTREAM", "MODEL", "STATUS", "BEGAN", "WAITED", "MS", "ERROR"],
            request.attempts.map((attempt, index) => [
              String(index + 1),
              attempt.upstream_key === undefined ? attempt.upstream : `${attempt.upstream} ${attempt.upstream_key}`,
              attempt.upstream_model,
              attempt.status === null ? "no answer" : String(attempt.status),
              attempt.offset_ms === null ? "" : `+${attempt.offset_ms} ms`,
              attempt.queue_ms === 0 ? "" : `${attempt.queue_ms} ms`,
              String(attempt.duration_ms - attempt.queue_ms),
              attempt.error ?? ""
            ])
          )
        ])
  ].join("\n")

const whyShown = (request: RequestView): string | null => {
  const why = whyFailed(request)
  return why === undefined ? null : `${why.what} ${why.so}`
}

const priceShown = (source: RequestView["price_source"]): string | null => {
  if (source === null) return null
  const name = source.name === null ? "" : `, ${source.name}`
  return `${source.from}${source.as_of === null ? "" : ` of ${source.as_of}`}${name}`
}

const tokensOf = (request: RequestView): string | null => {
  const parts = [
    [request.input_tokens, "in"],
    [request.cache_read_tokens, "read from cache"],
    [request.cache_write_tokens, "written to cache"],
    [request.output_tokens, "out"],
    [request.reasoning_tokens, "of them reasoning"]
  ] as const
  const there = parts.filter(([count]) => count > 0)
  return there.length === 0 ? null : there.map(([count, what]) => `${count} ${what}`).join(", ")
}
