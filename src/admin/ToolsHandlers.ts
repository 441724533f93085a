import { Clock, Effect, Option } from "effect"
import { Access } from "../access/Access.ts"
import { Configuration } from "../config/Configuration.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { KeyId } from "../contract/callers/Caller.ts"
import { mayUseServer } from "../contract/callers/toolRule.ts"
import type { ToolRules } from "../contract/callers/toolRule.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { wholeList } from "../contract/paging.ts"
import { serverEntries } from "../mcp/serverEntries.ts"
import { ServerStates } from "../mcp/ServerStates.ts"
import { ToolUse } from "../tools/store/ToolUse.ts"
import { Administration } from "./Administration.ts"
import { makeOwned } from "./Owned.ts"
import { serverRecord } from "./serverRecord.ts"
import { AdminToolsApi } from "./ToolsApi.ts"

const dayMs = 86_400_000

/** Operations of `/admin/v1/tools`. */
export const ToolsHandlers = handlers(
  AdminToolsApi,
  Effect.gen(function* () {
    const access = yield* Access
    const configuration = yield* Configuration
    const states = yield* ServerStates
    const { accounts, reports } = yield* Administration
    const owned = yield* makeOwned
    const uses = yield* ToolUse
    const entries = () => serverEntries(configuration.current().value.mcp?.servers)
    /** @returns what is known of a server, by its name */
    const seen = ({ key }: Caller) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const used = yield* Effect.orDie(reports.ofKey(key, uses.since(nowMs - dayMs)))
        return (name: string) => ({ state: states.of(name), changes: states.changes(nowMs), use: used.get(name) })
      })

    /** The rules of the account acted in, of a member those of the own keys there; undefined for all accounts. */
    const rulesOf = (caller: Caller, asked: string | undefined) =>
      Effect.gen(function* () {
        const own = yield* owned.of(caller, asked)
        if (own === undefined) return undefined
        if (own.keys === undefined) {
          const { not_tools, tools } = yield* accounts.show(own.account)
          const rules: ToolRules = { accountTools: tools ?? undefined, accountNotTools: not_tools ?? undefined }
          return [rules]
        }
        const keys = yield* Effect.forEach(own.keys, (id) => Effect.option(access.ofKey(KeyId.make(id))))
        return keys.flatMap((key): ReadonlyArray<ToolRules> => Option.toArray(key))
      })

    return {
      list: ({ caller, urlParams }) =>
        Effect.gen(function* () {
          const rules = yield* rulesOf(caller, urlParams.account)
          const of = yield* seen(caller)
          return wholeList(
            Object.entries(entries())
              .filter(([name]) => rules === undefined || rules.some((one) => mayUseServer(one, name)))
              .map(([name, entry]) => serverRecord(name, entry, of(name), rules))
          )
        }),
      test: ({ caller, path: { server: name } }) =>
        Effect.gen(function* () {
          const entry = entries()[name]
          if (entry === undefined) {
            return yield* new NotFound({ param: null, message: `no server "${name}" is configured` })
          }
          const { listToolsNow } = yield* Effect.promise(() => import("./listToolsNow.ts"))
          const startedMs = yield* Clock.currentTimeMillis
          const error = yield* Effect.provideService(listToolsNow(name, entry), ServerStates, states)
          const nowMs = yield* Clock.currentTimeMillis
          const server = serverRecord(name, entry, (yield* seen(caller))(name))
          return { object: "tool_server_test" as const, ok: error === null, ms: nowMs - startedMs, error, server }
        })
    }
  })
)
