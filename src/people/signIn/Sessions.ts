import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Redacted } from "effect"
import { Access } from "../../access/Access.ts"
import * as ApiKey from "../../access/ApiKey.ts"
import { Audit } from "../../admin/store/Audit.ts"
import type { EntryPoint } from "../../config/EntryPoints.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { roles } from "../../contract/callers/roles.ts"
import { AuthInvalid } from "../../contract/failures/Failure.ts"
import type { Unavailable } from "../../contract/failures/Failure.ts"
import { AdminKeys } from "../../access/AdminKeys.ts"
import { actingOfPerson, nameOfPerson } from "../actingOfPerson.ts"
import type { Identity } from "../Claims.ts"
import { Providers } from "../Providers.ts"
import { accountsOfKeys } from "../roleOf.ts"
import type { PersonRole } from "../roleOf.ts"
import type { Completed } from "../SignIns.ts"
import { People } from "../store/People.ts"
import type { Person } from "../store/People.ts"
import { Changes } from "../../sql/Changes.ts"
import { PeopleChecks } from "./PeopleChecks.ts"
import { SessionStore } from "./store/SessionStore.ts"
import type { SessionRow } from "./store/SessionStore.ts"
import { hashOf, newToken } from "./token.ts"

/** The lifetime of a session. */
export const sessionMs = 12 * 3_600_000
/** Characters of the user agent that are stored. */
export const maxClientLength = 200

/** The precision of `last_used_at`: newer uses are not written. */
const usedMs = 60_000

/** Cached sessions at most; the oldest entry is evicted first. */
const capacity = 4_096

/** The browser that signs in: its user agent and address, and where it does. */
export interface Visitor {
  readonly client: string
  readonly address: string
  readonly entry: EntryPoint["name"]
}

/** The key or the person that opened a session. */
type Opened = Pick<SessionRow, "kind" | "opened_with" | "account_id" | "key_id">
type OpenedByPerson = Pick<SessionRow, "person_id" | "provider_session">

/** A session, and the person whose it is. */
export interface OpenSession extends SessionRow {
  readonly person?: Person
}

/** A new session, with the token for its browser's cookie. */
export interface NewSession {
  readonly token: Redacted.Redacted
  readonly session: SessionRow
}

/** Console sessions. A session is valid for twelve hours, but no longer than the key or the person that opened it. */
export class Sessions extends Effect.Service<Sessions>()("gateway/people/signIn/Sessions", {
  dependencies: [SessionStore.Default, Audit.Default, Changes.Default, People.Default],
  effect: Effect.gen(function* () {
    const store = yield* SessionStore
    const access = yield* Access
    const audit = yield* Audit
    const changes = yield* Changes
    const adminKeys = yield* AdminKeys
    const people = yield* People
    const providers = yield* Providers
    const checks = yield* PeopleChecks
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Effect.clock

    const known = new Map<string, OpenSession>()
    yield* changes.listen(Effect.sync(() => known.clear()))

    /**
     * The one who acts in an operator's session, with the role that the key or the person has now. `away`: the person's provider
     * has not answered for too long.
     */
    const actingOf = ({ id, opened_with, person, person_id }: OpenSession): Acting | "away" | undefined => {
      if (person_id !== null) {
        return person && actingOfPerson(person, providers.rules(), id, clock.unsafeCurrentTimeMillis())
      }
      const acting = adminKeys.ofProof(opened_with)
      return acting === undefined ? undefined : { ...acting, via: id }
    }

    /** @param name of the key or the person, for the audit log */
    const begin = (opened: Opened & Partial<OpenedByPerson>, name: string, { address, client, entry }: Visitor) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const token = newToken()
        const session: SessionRow = {
          id: ApiKey.randomId("session"),
          hash: hashOf(token, entry),
          person_id: null,
          provider_session: null,
          ...opened,
          client,
          address,
          created_at: nowMs,
          last_used_at: nowMs,
          expires_at: nowMs + sessionMs
        }
        yield* store.removeOld(nowMs)
        yield* store.insert(session)
        if (session.kind === "operator") {
          yield* audit.record({
            actor: { name, via: session.id },
            action: "session.open",
            target: session.id,
            before: null,
            after: { client, address }
          })
        }
        return { token, session } satisfies NewSession
      }).pipe(Effect.orDie)

    /** Signs in with the admin key or with an API key. */
    const signIn = (key: Redacted.Redacted, visitor: Visitor): Effect.Effect<NewSession, AuthInvalid | Unavailable> =>
      Effect.suspend(() => {
        const proof = adminKeys.proofOf(Redacted.value(key))
        const acting = adminKeys.ofProof(proof)
        if (acting !== undefined) {
          if (!roles[acting.role].hasConsole) return noConsole
          return begin({ kind: "operator", opened_with: proof, account_id: null, key_id: null }, acting.name, visitor)
        }
        const hash = ApiKey.hash(Redacted.value(key))
        return Effect.flatMap(access.open(hash), (caller) =>
          begin({ kind: "account", opened_with: hash, account_id: caller.account, key_id: caller.key }, "", visitor)
        )
      })

    /** Signs an operator in by a one-time link. */
    const signInByLink = (link: Redacted.Redacted, visitor: Visitor): Effect.Effect<NewSession, AuthInvalid> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.flatMap(Effect.orDie(store.takeLink(hashOf(link), nowMs)), (taken) =>
          taken
            ? begin(
                { kind: "operator", opened_with: adminKeys.usualProof(), account_id: null, key_id: null },
                "admin-key",
                visitor
              )
            : Effect.fail(new AuthInvalid({ message: "This link was used before, or has expired" }))
        )
      )

    /** Signs a person in whom a provider has named, and ends the session that their browser had before. */
    const signInPerson = (
      { earlier, idToken, identity, providerSession, refreshToken }: Completed & { readonly identity: Identity },
      role: PersonRole,
      visitor: Visitor
    ): Effect.Effect<NewSession> =>
      Effect.gen(function* () {
        yield* changes.tell
        const nowMs = yield* Clock.currentTimeMillis
        const id = yield* people.idOf(identity)
        yield* people.told(id, identity, role, nowMs)
        // Without a refresh token, a sign-in is all that tells where the person belongs now.
        const beyond = yield* people.revokeBeyond(id, accountsOfKeys(role), nowMs)
        if (beyond.length > 0) {
          yield* audit.record({
            actor: { name: nameOfPerson(identity), via: identity.issuer },
            action: "person.move",
            target: id,
            before: null,
            after: { role: role.role, accounts: role.accounts, keys: beyond }
          })
        }
        const tokens = { refreshToken: checks.seal(refreshToken, id), idToken: checks.seal(idToken, id) }
        yield* people.signedIn(id, tokens, nowMs)
        if (earlier !== undefined) yield* store.remove(earlier)
        return yield* begin(
          {
            kind: "operator",
            opened_with: "person",
            account_id: null,
            key_id: null,
            person_id: id,
            provider_session: providerSession ?? null
          },
          nameOfPerson(identity),
          visitor
        )
      }).pipe((effect) => sql.withTransaction(effect), Effect.zipLeft(changes.notice), Effect.orDie)

    /** The person of a session, checked where that is due. */
    const withPerson = (session: OpenSession): Effect.Effect<OpenSession | undefined, SqlError> =>
      Effect.gen(function* () {
        if (session.person_id === null) return session
        const stored = session.person ?? (yield* people.find(session.person_id))
        const person = stored === undefined ? undefined : yield* checks.current(stored)
        return person === undefined ? undefined : { ...session, person }
      })

    /** The valid session of a token at an address; undefined if there is none. */
    const find = (token: Redacted.Redacted, entry: EntryPoint["name"]): Effect.Effect<OpenSession | undefined> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const hash = hashOf(token, entry)
        const seenBefore = changes.seen()
        const stored = known.get(hash) ?? (yield* store.open(hash, nowMs))
        if (stored === undefined || stored.expires_at <= nowMs) return undefined
        const session = yield* withPerson(stored)
        if (session === undefined) return undefined
        if (session.kind === "operator" && actingOf(session) === undefined) return undefined
        const isOld = session.last_used_at + usedMs <= nowMs
        if (isOld) yield* store.used(session.id, nowMs)
        // A row read before a change must not be cached after it.
        if (seenBefore === changes.seen()) remember(known, isOld ? { ...session, last_used_at: nowMs } : session)
        return session
      }).pipe(Effect.orDie)

    /** True if the key that opened the session still works. */
    const isOpen = (session: SessionRow): Effect.Effect<boolean> =>
      session.kind === "operator" ? Effect.succeed(true) : Effect.isSuccess(access.open(session.opened_with))

    /** Signs out, in every process. */
    const end = (session: SessionRow): Effect.Effect<void> =>
      store.remove(session.id).pipe(Effect.zipRight(changes.tell), Effect.zipRight(changes.notice), Effect.orDie)

    return { signIn, signInByLink, signInPerson, find, isOpen, actingOf, end } as const
  })
}) {}

const noConsole = Effect.fail(new AuthInvalid({ message: "This key opens no console" }))

const remember = (known: Map<string, OpenSession>, session: OpenSession) => {
  if (!known.has(session.hash) && known.size >= capacity) {
    const oldest = known.keys().next()
    if (oldest.done !== true) known.delete(oldest.value)
  }
  known.set(session.hash, session)
}
