import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Audit } from "../../admin/store/Audit.ts"
import type { EntryPoint } from "../../config/EntryPoints.ts"
import { frontPage } from "../entryPages.ts"
import { actorNamed } from "../../contract/callers/Acting.ts"
import { LogoutTokens } from "../LogoutTokens.ts"
import { Providers } from "../Providers.ts"
import type { Person } from "../store/People.ts"
import { Changes } from "../../sql/Changes.ts"
import { PeopleChecks } from "./PeopleChecks.ts"
import { SessionStore } from "./store/SessionStore.ts"

/** Signing out at a provider, and by it. */
export class ProviderSessions extends Effect.Service<ProviderSessions>()("gateway/people/signIn/ProviderSessions", {
  dependencies: [SessionStore.Default, LogoutTokens.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* SessionStore
    const tokens = yield* LogoutTokens
    const providers = yield* Providers
    const checks = yield* PeopleChecks
    const audit = yield* Audit
    const changes = yield* Changes

    /** The page where a person's browser signs out at the provider; undefined if that has none, or is away. */
    const signOutUrl = (person: Person, { name, url }: EntryPoint): Effect.Effect<string | undefined> =>
      Effect.gen(function* () {
        const provider = providers.rules()?.providers.get(person.issuer)
        if (provider === undefined) return undefined
        const idToken = checks.unseal(person.id_token, person.id)
        const back = (yield* url) + frontPage(name)
        return yield* providers.ask(provider, async (client, { buildEndSessionUrl }) =>
          client.serverMetadata().end_session_endpoint === undefined
            ? undefined
            : buildEndSessionUrl(client, {
                post_logout_redirect_uri: back,
                ...(idToken === undefined ? {} : { id_token_hint: idToken })
              }).href
        )
      }).pipe(Effect.catchTag("ProviderFailed", () => Effect.succeed(undefined)))

    /** Ends the sessions that a provider's logout token names. */
    const logout = (token: string) =>
      Effect.flatMap(tokens.take(token), (named) =>
        Effect.gen(function* () {
          yield* changes.tell
          const sessions = yield* store.removeOf(named)
          if (sessions === 0) return
          yield* audit.record({
            actor: actorNamed(named.issuer),
            action: "session.logout",
            target: named.subject ?? named.providerSession ?? "",
            before: null,
            after: { sessions }
          })
        }).pipe((effect) => sql.withTransaction(effect), Effect.zipLeft(changes.notice), Effect.orDie)
      )

    return { signOutUrl, logout } as const
  })
}) {}
