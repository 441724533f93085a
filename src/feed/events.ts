import { operatorView, requestView } from "../requests/RequestView.ts"
import type { News } from "./News.ts"

/** Encodes news as server-sent events; may be empty. @param account only this account's news */
export const eventsOf = ({ changed = [], requests = [], skipped = 0 }: News, account?: string): string => {
  const rows = account === undefined ? requests : requests.filter(({ account_id }) => account_id === account)
  const own = account === undefined ? changed : changed.filter((one) => one.account === account)
  let text = rows.length === 0 ? "" : event("request", rows.map(account === undefined ? operatorView : requestView))
  // Not counted per account.
  if (skipped > 0 && account === undefined) text += event("skipped", { requests: skipped })
  for (const what of new Set(own.map((one) => one.what))) {
    text += event("changed", { what, ids: [...new Set(own.filter((one) => one.what === what).map(({ id }) => id))] })
  }
  return text
}

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Marks the point from which no event is missed. Clients read lists after it. */
export const ready = event("ready", {})
