import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { KeyId } from "../../contract/callers/Caller.ts"
import { noKeySettings } from "../../contract/callers/keySettings.ts"
import { Changes } from "../../sql/Changes.ts"
import * as ApiKey from "../ApiKey.ts"
import { Accounts } from "./Accounts.ts"
import { Keys } from "./Keys.ts"
import { hintColumns, ruleColumns } from "./KeyRow.ts"

/** Whom an issuer's token names. */
export interface Subject {
  readonly issuer: string
  /** The claim that names it. */
  readonly claim: string
  readonly subject: string
  readonly account: AccountId
}

/** No SHA-256 in hex begins so: no secret opens such a key. */
const prefix = "jwt:"

const hashOf = ({ account, claim, issuer, subject }: Subject): string =>
  prefix + ApiKey.hash(JSON.stringify([issuer, claim, subject, account]))

/** The keys of an issuer's subjects, one for each of their accounts. They have no secret. */
export class IssuedKeys extends Effect.Service<IssuedKeys>()("gateway/access/store/IssuedKeys", {
  dependencies: [Keys.Default, Accounts.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* Keys
    const accounts = yield* Accounts
    const changes = yield* Changes

    /** @param name if the key is made */
    const make = Effect.fnUntraced(
      function* (hash: string, account: AccountId, name: string, models: ReadonlyArray<string>) {
        const nowMs = yield* Clock.currentTimeMillis
        yield* accounts.ensure(account, nowMs)
        // Requests that come together make one.
        yield* sql`INSERT INTO keys ${sql.insert({
          id: KeyId.make(ApiKey.randomId("key")),
          account_id: account,
          hash,
          name,
          ...hintColumns({ text: "", form: "end" }),
          ...ruleColumns({ models, notModels: [], upstreams: null, ...noKeySettings }),
          created_at: nowMs
        })} ON CONFLICT (hash) DO NOTHING`
        yield* changes.tell
      },
      (effect) => Effect.zipLeft(sql.withTransaction(effect), changes.notice)
    )

    /**
     * Opens the key of a subject; makes it, with its account, at the subject's first token.
     *
     * @param models the patterns that count; the record shows them
     */
    const open = Effect.fn("IssuedKeys.open")(function* (
      subject: Subject,
      name: string,
      models: ReadonlyArray<string>
    ) {
      const hash = hashOf(subject)
      const found = yield* keys.open(hash)
      if (Option.isNone(found)) {
        yield* make(hash, subject.account, name, models)
        return yield* keys.open(hash)
      }
      const text = JSON.stringify(models)
      if (JSON.stringify(found.value.caller.models) !== text) {
        yield* sql`UPDATE keys SET models = ${text} WHERE hash = ${hash}`
      }
      return found
    }, Effect.orDie)

    return { open } as const
  })
}) {}
