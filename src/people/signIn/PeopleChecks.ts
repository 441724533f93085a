import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { MasterSecret } from "../../access/MasterSecret.ts"
import { Audit } from "../../admin/store/Audit.ts"
import { heldOf, nameOfPerson } from "../actingOfPerson.ts"
import type { Identity } from "../Claims.ts"
import { isTokenOver, Providers } from "../Providers.ts"
import type { Provider, ProviderFailed, SignInRules } from "../Providers.ts"
import { refreshTokens } from "../refreshTokens.ts"
import { accountsOfKeys, roleOf } from "../roleOf.ts"
import { makeSeal } from "../../access/sealed.ts"
import { mostDue, People } from "../store/People.ts"
import type { Person } from "../store/People.ts"
import { Changes } from "../../sql/Changes.ts"

/** How long a provider's word about a person counts. */
const checkMs = 5 * 60_000

/** How soon a check that failed is tried again, and for how long one has it to itself. */
const retryMs = 60_000

/** Tokens are stored under these names, sealed for their person alone. */
const purpose = "people/tokens"

/** A check whose provider is there. */
interface Checked {
  readonly person: Person
  /** Its refresh token. */
  readonly token: string
  readonly provider: Provider
  readonly rules: SignInRules
  readonly nowMs: number
}

type ToldOf = Pick<Identity, "email" | "name" | "groups">

const isSame = (one: ToldOf, other: ToldOf): boolean =>
  one.email === other.email && one.name === other.name && one.groups.join("\n") === other.groups.join("\n")

/** Looks whether people are still known at their providers, and ends those who are not. */
export class PeopleChecks extends Effect.Service<PeopleChecks>()("gateway/people/signIn/PeopleChecks", {
  dependencies: [People.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const people = yield* People
    const providers = yield* Providers
    const audit = yield* Audit
    const changes = yield* Changes
    const { derive } = yield* MasterSecret
    const { open, seal } = makeSeal(derive(purpose))

    /** One change of a person; every process drops what it remembers. */
    const change = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      Effect.zipLeft(sql.withTransaction(Effect.zipRight(changes.tell, change)), changes.notice)

    const record = (person: Person, action: string, after: object) =>
      audit.record({
        actor: { name: nameOfPerson(person), via: person.issuer },
        action,
        target: person.id,
        before: null,
        after
      })

    /** Ends a person's sessions and keys, unless a sign-in has come meanwhile. */
    const end = (person: Person, reason: string): Effect.Effect<void, SqlError> =>
      change(
        Effect.gen(function* () {
          const now = yield* people.find(person.id)
          if (now === undefined || now.ended_at !== null || now.refresh_token !== person.refresh_token) return
          const ended = yield* people.end(person.id, yield* Clock.currentTimeMillis)
          yield* record(person, "person.end", { reason, ...ended })
        })
      )

    const storeFailure = (person: Person, nowMs: number, message: string): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        yield* Effect.annotateLogs(Effect.logWarning(`${person.issuer} can't be asked about a person: ${message}`), {
          event: "sign_in.provider_failed"
        })
        if (person.failing_since === null) yield* change(people.failed(person.id, nowMs))
      })

    /**
     * Asks a person's provider. A provider that is away ends nothing.
     *
     * @param known of a provider that did not answer just now: it is not asked again
     * @returns such a failure
     */
    const check = (person: Person, known?: ProviderFailed): Effect.Effect<ProviderFailed | undefined, SqlError> =>
      Effect.gen(function* () {
        const rules = providers.rules()
        const provider = rules?.providers.get(person.issuer)
        const nowMs = yield* Clock.currentTimeMillis
        const token = person.refresh_token === null ? undefined : open(person.refresh_token, person.id)
        if (rules === undefined || provider === undefined || person.refresh_token === null) return known
        if (!(yield* people.claim(person, nowMs))) return known
        if (token === undefined) {
          // Sealed by another master secret.
          yield* end(person, "the refresh token can't be read")
          return known
        }
        const away =
          known ??
          (yield* Effect.match(providers.awake(provider), {
            onFailure: (failure) => failure,
            onSuccess: () => undefined
          }))
        if (away !== undefined) {
          yield* storeFailure(person, nowMs, away.message)
          return away
        }
        yield* Effect.uninterruptible(refresh({ person, token, provider, rules, nowMs }))
        return undefined
      })

    /**
     * Uses a person's refresh token and stores what came of it. The provider may replace the token: its answer must not be
     * lost where a client leaves that waits for it, or the gateway stops.
     */
    const refresh = ({ nowMs, person, provider, rules, token }: Checked): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        const answer = yield* Effect.either(
          providers.ask(provider, (client, library) => refreshTokens(client, library, provider, person, token))
        )
        if (answer._tag === "Left") {
          return isTokenOver(answer.left)
            ? yield* end(person, "the provider ended the sign-in")
            : yield* storeFailure(person, nowMs, answer.left.message)
        }
        const { idToken, identity, refreshToken } = answer.right
        const next = {
          refreshToken: refreshToken === token ? person.refresh_token : seal(refreshToken, person.id),
          idToken: idToken === undefined ? person.id_token : seal(idToken, person.id)
        }
        const role = roleOf(rules.roles, identity)
        const store = Effect.gen(function* () {
          if (!(yield* people.refreshed(person, next))) return false
          if (role === undefined) return true
          yield* people.told(person.id, identity, role, nowMs)
          const keys = yield* people.revokeBeyond(person.id, accountsOfKeys(role), nowMs)
          if (keys.length === 0) return true
          yield* changes.tell
          yield* record(person, "person.move", { role: role.role, accounts: role.accounts, keys })
          return true
        })
        // Telling every process costs each of them what it remembers of keys.
        const stored = yield* person.failing_since === null && isSame(person, identity)
          ? sql.withTransaction(store)
          : change(store)
        if (stored && role === undefined) {
          yield* end({ ...person, refresh_token: next.refreshToken }, "no role is given to this person any more")
        }
      })

    /** Keys are looked up without asking the rules, so what these say is written down. */
    const holdKeys = (rules: SignInRules | undefined): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const wrong = (yield* people.doubtful([...(rules?.providers.keys() ?? [])])).filter(
          (person) => heldOf(person, rules, nowMs) !== person.held
        )
        if (wrong.length === 0) return
        yield* change(
          Effect.forEach(wrong, (person) => people.hold(person.id, heldOf(person, rules, nowMs)), { discard: true })
        )
      })

    /** Checks people of a provider, one after the other. True if more may be due. */
    const checkSome = (issuer: string): Effect.Effect<boolean, SqlError> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        // Half a minute early, so that a person is gone within five minutes.
        const due = yield* people.due(issuer, nowMs - checkMs + 30_000, nowMs - retryMs, nowMs)
        let away: ProviderFailed | undefined
        for (const person of due) away = yield* check(person, away)
        return due.length === mostDue
      })

    /**
     * Checks people whose sessions or keys are in use. Providers do not wait for each other. True if more may be due.
     */
    const checkDue: Effect.Effect<boolean, SqlError> = Effect.gen(function* () {
      const rules = providers.rules()
      // Without `sign_in` no provider can be asked, and people's keys stop.
      const more = yield* Effect.forEach(rules?.providers.keys() ?? [], checkSome, { concurrency: "unbounded" })
      yield* holdKeys(rules)
      return more.includes(true)
    })

    /** The person after a check, if one is due and the daemon has not come to it. */
    const current = (person: Person): Effect.Effect<Person | undefined, SqlError> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const isDue =
          person.ended_at === null &&
          person.refresh_token !== null &&
          // While the provider is away, requests do not wait for it.
          person.failing_since === null &&
          person.checked_at + checkMs <= nowMs &&
          person.tried_at + retryMs <= nowMs
        if (!isDue) return person
        yield* check(person)
        return yield* people.find(person.id)
      })

    return {
      checkDue,
      current,
      end,
      /** Seals a provider's token for its person. */
      seal: (token: string | undefined, id: string) => (token === undefined ? null : seal(token, id)),
      unseal: (sealed: string | null, id: string) => (sealed === null ? undefined : open(sealed, id))
    } as const
  })
}) {}
