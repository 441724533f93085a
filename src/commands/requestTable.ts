import { inputIn } from "../contract/records/measures.ts"
import { costText, usdText } from "../contract/text/usdText.ts"
import { outcomeOf } from "../requests/outcome.ts"
import type { RequestView } from "../requests/RequestView.ts"
import { shortTime } from "./options.ts"
import { listTable } from "./table.ts"

/** A table of requests with a row of sums. */
export const requestTable = (all: ReadonlyArray<RequestView>, wide = false): string =>
  listTable(requestHeader, [...all.map(requestRow), ...(all.length > 1 ? [sums(all)] : [])], {
    ids: ["REQUEST"],
    rare,
    wide
  })

const rare = ["UPSTREAM", "TOKENS", "ACCOUNT", "MS", "TIME"]
export const requestHeader = ["TIME", "REQUEST", "ACCOUNT", "MODEL", "UPSTREAM", "STATUS", "MS", "TOKENS", "COST"]

export const requestRow = (request: RequestView): ReadonlyArray<string> => [
  shortTime(request.time),
  request.request_id,
  request.account,
  request.model ?? request.endpoint,
  request.upstream ?? "",
  request.error === null ? String(request.status) : `${request.status} ${request.error}`,
  String(request.duration_ms),
  String(allTokens(request)),
  request.cost_usd === null ? "" : costText(request.cost_usd)
]

const allTokens = (request: RequestView): number => inputIn(request) + request.output_tokens

/** The row of sums. Failures include errors after a 200, but not hang-ups. */
const sums = (all: ReadonlyArray<RequestView>): ReadonlyArray<string> => {
  const failed = all.filter((request) => outcomeOf(request) !== "finished" && outcomeOf(request) !== "hang_up").length
  return [
    `${all.length} requests`,
    "",
    "",
    "",
    "",
    failed === 0 ? "" : `${failed} failed`,
    "",
    String(all.reduce((sum, request) => sum + allTokens(request), 0)),
    usdText(all.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0))
  ]
}
