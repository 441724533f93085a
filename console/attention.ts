import type { Attention } from "../src/admin/OverviewRecord.ts"
import { hrefOf } from "./router.ts"
import { words } from "./words/words.ts"

interface Lead {
  readonly see: string
  readonly href: string
}

/** The page that resolves a problem. */
export const leadOf = ({ id, what }: Attention): Lead | undefined => {
  const { see } = words.overview
  switch (what) {
    case "upstream":
      return { see: see.requests, href: hrefOf("requests", undefined, id === null ? {} : { q: `upstream:${id}` }) }
    case "delivery":
    case "task":
      return { see: see.tasks, href: id === null ? hrefOf("tasks") : hrefOf("tasks", id) }
    case "key":
      return { see: see.keys, href: id === null ? hrefOf("keys") : hrefOf("keys", id) }
    case "account":
      return { see: see.accounts, href: hrefOf("accounts") }
    case "model":
    case "prices":
      return { see: see.models, href: hrefOf("models") }
    case "daemon":
    case "limits":
      return undefined
  }
}
