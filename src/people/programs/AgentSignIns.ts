import { SqlClient } from "@effect/sql"
import { Clock, Effect, Redacted } from "effect"
import * as ApiKey from "../../access/ApiKey.ts"
import { Keys } from "../../access/store/Keys.ts"
import { Audit } from "../../admin/store/Audit.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { AccountId } from "../../contract/callers/Caller.ts"
import { NotFound } from "../../contract/failures/Failure.ts"
import type { Forbidden } from "../../contract/failures/Failure.ts"
import { testDouble } from "../../contract/testDouble.ts"
import { nameOfPerson } from "../actingOfPerson.ts"
import type { Person } from "../store/People.ts"
import { OAuthRefused } from "./OAuthRefused.ts"
import { mailOf, ProgramTokens } from "./ProgramTokens.ts"
import type { Decision, Issued } from "./ProgramTokens.ts"
import { DeviceGrants } from "./store/DeviceGrants.ts"
import type { DeviceGrant } from "./store/DeviceGrants.ts"
import { newUserCode } from "./userCode.ts"

/** How long a person may take to let a program in. */
const grantMs = 10 * 60_000

/** How often a program may ask for its token, in seconds. */
const intervalSeconds = 5

/** Clocks and networks may make a program ask a little early. */
const toleranceMs = 500

/** The life of a key for a program that can't refresh tokens. */
const keyMs = 90 * 24 * 3_600_000

/** A program that asks to be let in. */
export type Program = Pick<DeviceGrant, "surface" | "issues" | "client" | "address">

/** The begin of a device grant. */
export interface BegunGrant {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

/** Sign-ins of agents and command lines by the device flow, and what they get. */
export class AgentSignIns extends Effect.Service<AgentSignIns>()("gateway/people/programs/AgentSignIns", {
  dependencies: [Audit.Default, DeviceGrants.Default, Keys.Default, ProgramTokens.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const grants = yield* DeviceGrants
    const keys = yield* Keys
    const { change, issue, mayLetIn, spender } = yield* ProgramTokens

    /** Begins a grant, which waits for a person. */
    const begin = (program: Program): Effect.Effect<BegunGrant, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const deviceCode = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
        const userCode = newUserCode()
        const stored = yield* grants.insert(
          {
            ...program,
            hash: ApiKey.hash(deviceCode),
            user_code: userCode,
            state: "waiting",
            person_id: null,
            account_id: null,
            expires_at: nowMs + grantMs,
            polled_at: 0
          },
          nowMs
        )
        if (!stored) return yield* busy
        return {
          deviceCode: Redacted.make(deviceCode),
          userCode,
          expiresInSeconds: grantMs / 1_000,
          intervalSeconds
        }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** The grant of a code that a person reads from a program. */
    const ofCode = (userCode: string): Effect.Effect<DeviceGrant, NotFound> =>
      Effect.gen(function* () {
        const grant = yield* grants.ofCode(userCode, yield* Clock.currentTimeMillis)
        return grant?.state === "waiting" ? grant : yield* noGrant
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** A person lets a program in, for one account, or keeps it out. */
    const decide = (
      acting: Acting & { readonly person: string },
      userCode: string,
      decision: Decision
    ): Effect.Effect<void, NotFound | Forbidden> =>
      Effect.gen(function* () {
        const { address, client, hash, issues, surface } = yield* ofCode(userCode)
        const account = decision.approve ? decision.account : null
        if (account !== null) yield* mayLetIn(acting, account)
        const decided = yield* grants.decide(hash, {
          state: decision.approve ? "approved" : "denied",
          person: acting.person,
          account
        })
        if (!decided) return yield* noGrant
        yield* audit.record({
          actor: acting,
          action: decision.approve ? "program.approve" : "program.deny",
          target: account ?? acting.person,
          before: null,
          after: { program: surface, issues, client, address }
        })
      }).pipe((effect) => sql.withTransaction(effect), Effect.catchTag("SqlError", Effect.die))

    /** The tokens of a program that a person has let in; before and after that it is refused. */
    const poll = (deviceCode: Redacted.Redacted): Effect.Effect<Issued, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const hash = ApiKey.hash(Redacted.value(deviceCode))
        const grant = yield* grants.ofHash(hash)
        if (grant === undefined || grant.expires_at <= nowMs) return yield* expired
        if (grant.state === "waiting") {
          const isEarly = nowMs - grant.polled_at < intervalSeconds * 1_000 - toleranceMs
          // Strangers may poll without end: those who come early write nothing.
          if (isEarly) return yield* early
          yield* grants.polled(hash, nowMs)
          return yield* pending
        }
        const { account_id: account, issues, person_id, state, surface } = grant
        if (state === "denied" || account === null || person_id === null) return yield* denied
        // The person or the account may have changed since.
        const person = yield* spender(person_id, account, denied)
        return yield* change(
          Effect.gen(function* () {
            if (!(yield* grants.take(hash))) return yield* expired
            return yield* issues === "key"
              ? issueKey(person, account, surface, nowMs)
              : issue({ id: ApiKey.randomId("login"), person, account, resource: null })
          })
        )
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    const issueKey = (person: Person, account: string, surface: string, nowMs: number) =>
      Effect.gen(function* () {
        const name = surface === "" ? nameOfPerson(person) : `${nameOfPerson(person)}, ${surface}`
        const expiresAtMs = nowMs + keyMs
        const { id, secret } = yield* keys.create({
          account: AccountId.make(account),
          name,
          person: person.id,
          expiresAtMs
        })
        yield* audit.record({
          actor: { name: nameOfPerson(person), via: surface },
          action: "key.create",
          target: id,
          before: null,
          after: { account, name, expires_at: new Date(expiresAtMs).toISOString() }
        })
        return { access: secret, expiresInSeconds: keyMs / 1_000, ...mailOf(person) }
      })

    return { begin, ofCode, decide, poll } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<AgentSignIns, "_tag">>) => testDouble(AgentSignIns, given)
}

const refuse = (code: OAuthRefused["code"], message: string) => Effect.fail(new OAuthRefused({ code, message }))

const busy = refuse("temporarily_unavailable", "Too many sign-ins are waiting; try again later")
const pending = refuse("authorization_pending", "The code is not approved yet")
const early = refuse("slow_down", `Ask every ${intervalSeconds} seconds`)
const denied = refuse("access_denied", "The sign-in was denied")
const expired = refuse("expired_token", "The code has expired or was used")

const noGrant = Effect.fail(new NotFound({ param: null, message: "No program waits with this code" }))
