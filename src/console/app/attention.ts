import type { AccountRecord } from "../../admin/AccountRecord.ts"
import { dollars, usd } from "./format.ts"
import { hrefOf } from "./router.ts"
import type { UpstreamRow } from "./upstreamSource.ts"
import { words } from "./words.ts"

/** A sentence on what needs somebody, and where to go with it. */
export interface Attention {
  readonly level: "bad" | "warn"
  readonly what: string
  readonly next: string
  readonly since?: string
  readonly see: string
  readonly href: string
}

/** Below which share of what was granted an account needs somebody. */
const lowShare = 0.05

export const attentionOf = (
  upstreams: ReadonlyArray<UpstreamRow>,
  accounts: ReadonlyArray<AccountRecord>
): ReadonlyArray<Attention> => {
  const text = words.attention
  return [
    ...upstreams.flatMap((upstream): ReadonlyArray<Attention> =>
      upstream.circuit === "closed"
        ? []
        : [
            {
              level: "bad",
              what: text.leftAlone(upstream.name, upstream.last_failure?.message ?? ""),
              next: text.nextProbe(upstream.retry_in_seconds),
              ...(upstream.last_failure === null ? {} : { since: upstream.last_failure.time }),
              see: words.overview.see.requests,
              href: hrefOf("requests", undefined, { q: `upstream:${upstream.name}` })
            }
          ]
    ),
    ...accounts.flatMap((account): ReadonlyArray<Attention> => {
      if (account.granted === null || account.available === null) return []
      const [granted, left] = [dollars(account.granted), dollars(account.available)]
      if (left >= granted * lowShare) return []
      return [
        {
          level: left <= 0 ? "bad" : "warn",
          what: text.low(account.id, usd(left), usd(granted)),
          next: left <= 0 ? text.refusedNow : "",
          see: words.overview.see.accounts,
          href: hrefOf("accounts")
        }
      ]
    })
  ]
}
