import { measuresIn, rowOf } from "../contract/records/measures.ts"
import { callsText } from "../contract/records/Service.ts"
import { showUsd } from "../contract/text/showUsd.ts"
import { costText } from "../contract/text/usdText.ts"
import type { CostRecord } from "../ledger/CostRecord.ts"
import type { RequestDetail, RequestView } from "../requests/RequestView.ts"
import { whyFailed } from "../requests/whyFailed.ts"
import { fields, table } from "./table.ts"

const why = {
  too_long: "the input was too long",
  refused: "a content policy refused the request",
  failed: "every route failed"
} as const

/** All that is known of a request, with its attempts, calls of tools and cost as tables. */
export const requestShown = (request: RequestView & Pick<RequestDetail, "cost" | "tools">): string =>
  [
    fields({
      request: request.request_id,
      time: request.time,
      account: request.account,
      key: request.key_name === null ? request.key : `${request.key_name} (${request.key})`,
      secret: request.key_secret ?? null,
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
      calls: callsShown(request),
      guardrails: guardrailsShown(request),
      "service tier": request.service_tier ?? null,
      speed: request.speed ?? null,
      "inference geo": request.inference_geo ?? null,
      "no price": request.price_gap ?? null,
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
        ]),
    ...(request.tools === undefined ? [] : ["", toolsShown(request.tools)]),
    ...(request.cost === null || request.cost === undefined ? [] : ["", costShown(request.cost)])
  ].join("\n")

const toolsShown = (calls: NonNullable<RequestDetail["tools"]>): string =>
  table(
    ["TOOL", "OUTCOME", "MS", "BYTES", "COST"],
    calls.map(({ bytes, cost_usd, ms, outcome, server, tool }) => [
      `${server}/${tool}`,
      outcome,
      ms === null ? "" : String(ms),
      String(bytes),
      cost_usd === 0 ? "" : costText(cost_usd)
    ])
  )

/** Each part of a cost, what changed its prices, and the sum. */
const costShown = ({ charged, estimated, factors, lines, sum }: CostRecord): string =>
  [
    table(
      ["COST OF", "COUNT", "PRICE", "USD"],
      [
        ...lines.map(({ count, model, of, per, price_usd, usd }) => [
          model === null ? of : `${of} of ${model}`,
          String(Number(count.toFixed(2))),
          `${showUsd(Math.round(price_usd * 1e9))}${per === 1 ? " each" : " per million"}`,
          usd
        ]),
        ["sum", "", "", sum.usd],
        ...(charged.nano_usd === sum.nano_usd ? [] : [["charged, at most the hold", "", "", charged.usd]])
      ]
    ),
    ...factors.map((one) => `prices by ${factorShown(one)}`),
    ...(estimated ? ["counted by the gateway: the upstream sent no usable usage"] : [])
  ].join("\n")

const factorShown = ({ factor, of, value }: CostRecord["factors"][number]): string =>
  `${of}${value === null ? "" : ` ${value}`}${factor === null ? "" : ` × ${factor}`}`

const callsShown = ({ calls = {} }: RequestView): string | null =>
  Object.keys(calls).length === 0 ? null : callsText(calls)

const guardrailsShown = ({ guardrails = [] }: RequestView): string | null =>
  guardrails.length === 0
    ? null
    : guardrails.map(({ ms, name, on, verdict }) => `${name} on ${on}: ${verdict}, ${ms} ms`).join("; ")

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
  const there = [...measuresIn("requests"), ...measuresIn("request_details")].flatMap((measure) => {
    const { words } = rowOf(measure)
    const count = request[measure] ?? 0
    return words !== undefined && count > 0 ? [[count, words] as const] : []
  })
  return there.length === 0 ? null : there.map(([count, what]) => `${count} ${what}`).join(", ")
}
