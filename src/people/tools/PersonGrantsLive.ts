import { Effect, Layer } from "effect"
import { Configuration } from "../../config/Configuration.ts"
import { PersonGrants } from "../../mcp/PersonGrants.ts"
import { ToolClients } from "./store/ToolClients.ts"
import { ToolGrantRows } from "./store/ToolGrantRows.ts"
import type { makeGrantedTokens } from "./grantedTokens.ts"

/** People's accounts at the servers of the configuration. What that takes is loaded with the first call of one. */
export const PersonGrantsLive = Layer.scoped(
  PersonGrants,
  Effect.gen(function* () {
    const { follow } = yield* Configuration
    const rows = yield* ToolGrantRows
    const context = yield* Effect.context<Effect.Effect.Context<typeof makeGrantedTokens>>()
    const loaded = yield* Effect.promise(() => import("./grantedTokens.ts")).pipe(
      Effect.flatMap(({ makeGrantedTokens: make }) => make),
      Effect.provide(context),
      Effect.uninterruptible,
      Effect.cached
    )
    // A token goes to no other address than that for which its person has connected it: `find` looks at it, too.
    yield* follow(({ value: { mcp } }) => {
      if (mcp?.servers === undefined) return Effect.succeed(() => {})
      const personal = Object.entries(mcp.servers).flatMap(([name, { auth, url }]) =>
        auth === "person" ? [[name, url] as const] : []
      )
      return Effect.as(Effect.ignoreLogged(rows.keepOnly(personal)), () => {})
    })
    return {
      tokenOf: (server, person, refused) => Effect.flatMap(loaded, ({ tokenOf }) => tokenOf(server, person, refused))
    }
  })
).pipe(Layer.provide(Layer.merge(ToolGrantRows.Default, ToolClients.Default)))
