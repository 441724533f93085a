import { Effect } from "effect"
import { Accounts } from "../../access/store/Accounts.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { roles } from "../../contract/callers/roles.ts"

/** The accounts to choose from; null: the role reads all at once. */
export interface ReachedAccounts {
  readonly accounts: ReadonlyArray<string> | null
  readonly more_accounts: boolean
}

/** The most accounts to choose from; more are searched. */
const most = 200

/** Finds the accounts of a role: those that it names, and those that exist and match. */
export const makeReachedAccounts = Effect.map(
  Accounts,
  (accounts) =>
    (
      { accounts: patterns, role }: Pick<Acting, "accounts" | "role">,
      search: string,
      // A page that can't ask the admin API needs their names.
      isListed: boolean
    ): Effect.Effect<ReachedAccounts> => {
      if (!isListed && patterns === "all" && roles[role].reach.readsAccounts === "all") {
        return Effect.succeed({ accounts: null, more_accounts: false })
      }
      const among = patterns === "all" ? ["*"] : patterns
      const named = among.filter((one) => !one.endsWith("*") && one.toLowerCase().includes(search.toLowerCase()))
      const matching = among.some((one) => one.endsWith("*"))
        ? Effect.orDie(accounts.ids(among, search, most + 1))
        : Effect.succeed([])
      return Effect.map(matching, (found) => {
        const all = [...new Set([...named, ...found])].toSorted()
        return { accounts: all.slice(0, most), more_accounts: all.length > most }
      })
    }
)
