import { Effect } from "effect"
import { Configuration } from "../../config/Configuration.ts"
import type { TelemetryContents } from "../../config/sections/Telemetry.ts"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { Regex } from "../../regex/Regex.ts"

/** The contents that an account's traces carry, and its patterns to redact. */
interface Traced {
  readonly contents: TelemetryContents
  readonly redact: ReadonlyArray<Regex>
}

/** The contents of traces by account, as the configuration says. */
export class AccountContents extends Effect.Service<AccountContents>()("gateway/requests/contents/AccountContents", {
  scoped: Effect.gen(function* () {
    const configuration = yield* Configuration
    /** Accounts with entries. */
    let traced: ReadonlyMap<string, Traced> = new Map()
    let usually: Traced = { contents: "off", redact: [] }
    yield* Effect.orDie(
      configuration.follow(({ value }) =>
        Effect.sync(() => {
          const contents = value.telemetry?.contents ?? "off"
          const told = Object.entries(value.accounts ?? {}).map(([id, account]) => {
            const redact = (account.record?.redact ?? []).map(Regex.of)
            return [id, { contents: account.telemetry_contents ?? contents, redact }] as const
          })
          return () => {
            traced = new Map(told)
            usually = { contents, redact: [] }
          }
        })
      )
    )
    return { of: (account: AccountId): Traced => traced.get(account) ?? usually } as const
  })
}) {}
