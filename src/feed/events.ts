import { operatorView, requestView } from "../requests/RequestView.ts"
import type { Own } from "../contract/callers/Own.ts"
import type { StoredRequest } from "../requests/store/RequestStore.ts"
import type { News } from "./News.ts"

/** Encodes news as server-sent events; may be empty. @param own only these records' news */
export const eventsOf = ({ changed = [], requests = [], skipped = 0 }: News, own?: Own): string => {
  const isOwn = ({ account_id, key_id }: StoredRequest) =>
    own === undefined || (account_id === own.account && (own.keys?.includes(key_id) ?? true))
  const rows = requests.filter(isOwn)
  // Changes do not tell keys, so those of a few keys are told none.
  const others =
    own?.keys === undefined ? changed.filter((one) => own === undefined || one.account === own.account) : []
  let text = rows.length === 0 ? "" : event("request", rows.map(own === undefined ? operatorView : requestView))
  // Not counted per account.
  if (skipped > 0 && own === undefined) text += event("skipped", { requests: skipped })
  for (const what of new Set(others.map((one) => one.what))) {
    text += event("changed", { what, ids: [...new Set(others.filter((one) => one.what === what).map(({ id }) => id))] })
  }
  return text
}

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Marks the point from which no event is missed. Clients read lists after it. */
export const ready = event("ready", {})
