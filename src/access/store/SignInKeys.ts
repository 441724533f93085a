import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { noKeySettings } from "../../contract/callers/keySettings.ts"
import { rows } from "../../sql/decode.ts"
import * as ApiKey from "../ApiKey.ts"
import { firstOpeningByToken, hintColumns, settingsColumns } from "./KeyRow.ts"
import type { KeySettings, Opening } from "./KeyRow.ts"
import { openings } from "./openings.ts"

/** The person and the account of sign-ins. */
interface SignedIn {
  readonly account: string
  readonly person: string
  readonly name: string
}

/** Keys without a secret, that the tokens of a person's sign-ins open. */
export class SignInKeys extends Effect.Service<SignInKeys>()("gateway/access/store/SignInKeys", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { columns, joined } = openings(sql)

    /** @param hash of an access token, `ApiKey.hash` */
    const open = (hash: string): Effect.Effect<Option.Option<Opening>> =>
      sql`SELECT ${columns}, t.expires_at AS token_expires_at, t.resource AS token_resource
        FROM person_tokens t JOIN keys k ON k.id = t.key_id ${joined}
        WHERE t.hash = ${hash} AND t.kind = 'access'`.pipe(
        Effect.map((found) => Option.fromNullable(firstOpeningByToken(found))),
        Effect.orDie
      )

    /** The id of the key of a person's sign-ins in an account, made with the first of them. Run it in a transaction. */
    const of = Effect.fnUntraced(function* ({ account, name, person }: SignedIn): Effect.fn.Return<string, SqlError> {
      const hash = `sign-in ${person} ${account}`
      // A revoked one stays revoked; the next sign-in gets another.
      yield* sql`UPDATE keys SET hash = id WHERE hash = ${hash} AND revoked_at IS NOT NULL`
      const row = {
        id: ApiKey.randomId("key"),
        account_id: account,
        hash,
        ...hintColumns({ text: "", form: "end" }),
        created_at: yield* Clock.currentTimeMillis,
        person_id: person,
        ...settingsColumns({ ...noRules, name })
      }
      yield* sql`INSERT INTO keys ${sql.insert(row)} ON CONFLICT (hash) DO NOTHING`
      return ids.one((yield* sql`SELECT id FROM keys WHERE hash = ${hash}`)[0]).id
    })

    return { open, of } as const
  })
}) {}

const noRules: Omit<KeySettings, "name"> = {
  models: ["*"],
  notModels: [],
  upstreams: null,
  ...noKeySettings,
  limits: {},
  budgets: [],
  unpriced: null,
  expiresAtMs: undefined
}

const ids = rows("keys", { id: Schema.String })
