import { Clock, Effect } from "effect"
import type { Redacted } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { makeChange } from "../admin/change.ts"
import { Audit } from "../admin/store/Audit.ts"
import type { Actor } from "../contract/Acting.ts"
import { NotFound } from "../contract/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { sessionRecord } from "./SessionRecord.ts"
import type { SessionRecord } from "./SessionRecord.ts"
import { SessionStore } from "./store/SessionStore.ts"
import { hashOf, newToken } from "./token.ts"

/** The lifetime of a sign-in link. */
const linkMs = 15 * 60_000

/** The operator's view of console sessions. */
export class SessionAdministration extends Effect.Service<SessionAdministration>()(
  "gateway/console/SessionAdministration",
  {
    dependencies: [SessionStore.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const store = yield* SessionStore
      const change = yield* makeChange

      /** Newest first. Callers ask for one row more than a page to detect the next one. */
      const list = (
        page: { readonly offset: number; readonly limit: number },
        current?: string
      ): Effect.Effect<ReadonlyArray<SessionRecord>> =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          Effect.map(Effect.orDie(store.list(page, nowMs)), (rows) => rows.map((row) => sessionRecord(row, current)))
        )

      const show = (id: string): Effect.Effect<SessionRecord, NotFound> =>
        Effect.flatMap(Effect.orDie(store.find(id)), (row) =>
          row === undefined
            ? Effect.fail(new NotFound({ param: null, message: `no session "${id}"` }))
            : Effect.succeed(sessionRecord(row, undefined))
        )

      /** Ends a session in every process within a second. Answers its last record. */
      const revoke = (actor: Actor, id: string): Effect.Effect<SessionRecord, NotFound> =>
        change({
          actor,
          action: "session.revoke",
          before: show(id),
          write: store.remove(id),
          after: () => Effect.succeed(null),
          target: () => id
        }).pipe(Effect.map(({ before }) => before))

      /** Creates the token of a link that signs an operator in, once, within fifteen minutes. */
      const link: Effect.Effect<Redacted.Redacted> = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const token = newToken()
        yield* store.insert({
          id: ApiKey.randomId("link"),
          hash: hashOf(token),
          kind: "link",
          opened_with: "",
          account_id: null,
          key_id: null,
          person_id: null,
          provider_session: null,
          client: "",
          address: "",
          created_at: nowMs,
          last_used_at: nowMs,
          expires_at: nowMs + linkMs
        })
        return token
      }).pipe(Effect.orDie)

      return { list, revoke, link } as const
    })
  }
) {}
