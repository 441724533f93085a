import { Clock, Effect } from "effect"
import type { Redacted } from "effect"
import * as ApiKey from "../../access/ApiKey.ts"
import { makeChange } from "../../admin/change.ts"
import { Audit } from "../../admin/store/Audit.ts"
import type { Actor } from "../../contract/callers/Acting.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { usualActing } from "../../access/AdminKeys.ts"
import { NotFound } from "../../contract/failures/Failure.ts"
import { nameOfPerson } from "../actingOfPerson.ts"
import { roleOf } from "../roleOf.ts"
import { People } from "../store/People.ts"
import { Changes } from "../../sql/Changes.ts"
import { sessionRecord } from "./SessionRecord.ts"
import type { SessionHolder, SessionRecord } from "./SessionRecord.ts"
import { SessionStore } from "./store/SessionStore.ts"
import type { ListedSession } from "./store/SessionStore.ts"
import { hashOf, newToken } from "./token.ts"

/** The lifetime of a sign-in link. */
const linkMs = 15 * 60_000

/** The configuration, which says who has which role now. */
type Roles = Pick<GatewayFile, "admin_keys" | "sign_in">

/** The operator's view of console sessions. */
export class SessionAdministration extends Effect.Service<SessionAdministration>()(
  "gateway/people/signIn/SessionAdministration",
  {
    dependencies: [SessionStore.Default, Audit.Default, Changes.Default, People.Default],
    effect: Effect.gen(function* () {
      const store = yield* SessionStore
      const people = yield* People
      const change = yield* makeChange

      const recordsOf = (
        rows: ReadonlyArray<ListedSession>,
        { admin_keys = [], sign_in }: Roles,
        current?: string
      ): Effect.Effect<ReadonlyArray<SessionRecord>> =>
        Effect.map(Effect.orDie(people.some(rows.flatMap(({ person_id }) => person_id ?? []))), (known) =>
          rows.map((row) => {
            const person = row.person_id === null ? undefined : known.get(row.person_id)
            const key = [usualActing, ...admin_keys].find(({ name }) => name === row.opened_by)
            const holder: SessionHolder =
              person === undefined
                ? { name: row.opened_by, role: key?.role ?? null }
                : { name: nameOfPerson(person), role: roleOf(sign_in?.roles ?? [], person)?.role ?? null }
            return sessionRecord(row, holder, current)
          })
        )

      /** Newest first. Callers ask for one row more than a page to detect the next one. */
      const list = (
        page: { readonly offset: number; readonly limit: number },
        roles: Roles,
        current?: string
      ): Effect.Effect<ReadonlyArray<SessionRecord>> =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          Effect.flatMap(Effect.orDie(store.list(page, nowMs)), (rows) => recordsOf(rows, roles, current))
        )

      const show = (id: string, roles: Roles): Effect.Effect<SessionRecord, NotFound> =>
        Effect.flatMap(Effect.orDie(store.find(id)), (row) =>
          Effect.flatMap(recordsOf(row === undefined ? [] : [row], roles), ([found]) =>
            found === undefined
              ? Effect.fail(new NotFound({ param: null, message: `no session "${id}"` }))
              : Effect.succeed(found)
          )
        )

      /** Ends a session in every process within a second. Answers its last record. */
      const revoke = (actor: Actor, id: string, roles: Roles): Effect.Effect<SessionRecord, NotFound> =>
        change({
          actor,
          action: "session.revoke",
          before: show(id, roles),
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
