import { inputIn } from "../contract/records/measures.ts"
import { costText } from "../contract/text/usdText.ts"
import type { RequestPage } from "../requests/RequestPage.ts"
import { shortTime } from "./options.ts"
import { requestTable } from "./requestTable.ts"

/** The requests of a conversation, oldest first, and their sums. @param id the request that was asked for */
export const threadShown = ({ data, totals }: RequestPage, id: string): string => {
  const rows = data.toReversed()
  const place = rows.findIndex(({ request_id }) => request_id === id)
  return [
    requestTable(rows),
    "",
    ...(totals === undefined ? [] : [sumsShown(totals, rows.length)]),
    ...(place === -1 ? [] : [`${id} is number ${place + 1} of them.`])
  ].join("\n")
}

/** `12 requests since 2026-01-31 12:00, 1 failed: 3000 tokens in, 200 out, $0.0120`. */
const sumsShown = (totals: NonNullable<RequestPage["totals"]>, shown = totals.requests): string => {
  const input = inputIn(totals)
  const failed = totals.failed + totals.refused
  return [
    `${totals.requests} ${totals.requests === 1 ? "request" : "requests"} since ${shortTime(totals.first_at)}`,
    failed === 0 ? "" : `, ${failed} failed`,
    `: ${input} tokens in, ${totals.output_tokens} out, ${costText(totals.cost_usd)}`,
    shown < totals.requests ? ` (the newest ${shown} are listed)` : ""
  ].join("")
}
