import { Schema } from "effect"
import { isoTime } from "../../admin/fields.ts"
import { Role } from "../../contract/callers/Acting.ts"
import { answerField } from "../../contract/fields.ts"
import type { SessionRow } from "./store/SessionStore.ts"

const Kind = Schema.Literal("operator", "account")

/** The operator's view of a console session. */
export const SessionRecord = Schema.Struct({
  object: Schema.Literal("session"),
  id: answerField(Schema.String, "Its id (`session_…`)."),
  kind: answerField(Kind, "`operator`: opened by a person or an admin key. `account`: opened with an API key."),
  name: answerField(
    Schema.NullOr(Schema.String),
    "The person, or the name of the admin key; null for the session of an API key, and where it is not known."
  ),
  role: answerField(
    Schema.NullOr(Role),
    "The role that the person or the admin key has now; null where there is none."
  ),
  account: answerField(Schema.NullOr(Schema.String), "The account of the key that opened it; null for the operator's."),
  key: answerField(Schema.NullOr(Schema.String), "The id of that key; null for the operator's."),
  client: answerField(Schema.String, "The browser's user agent."),
  address: answerField(Schema.String, "The address it was opened from."),
  current: answerField(Schema.Boolean, "True for the calling session."),
  created_at: answerField(Schema.String, "ISO 8601, UTC."),
  last_used_at: answerField(Schema.String, "To the minute."),
  expires_at: answerField(Schema.String, "When the session expires.")
}).annotations({ identifier: "Session" })
export type SessionRecord = typeof SessionRecord.Type

/** The page's own session. */
export const OwnSession = Schema.Union(
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: answerField(Schema.Literal(false), "False: no session."),
    admin: answerField(Schema.Boolean, "True if there is an admin key to sign in with."),
    sign_in: answerField(
      Schema.Array(
        Schema.Struct({
          name: answerField(Schema.String, "The provider: `login.corp.test`."),
          url: answerField(
            Schema.String,
            "The link that begins signing in there; `return_to` may be added, the path of a page of the console."
          )
        })
      ),
      "The providers that people sign in with."
    ),
    provider_sign_out: Schema.optional(
      answerField(Schema.String, "After signing out: the page that ends the sign-in at the provider, too.")
    )
  }).annotations({ identifier: "SignedOut" }),
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: answerField(Schema.Literal(true), "A session is signed in."),
    kind: answerField(Kind, "Its scope: `/admin/v1`, or that of its API key."),
    account_id: Schema.optional(
      answerField(Schema.String, "The account of the key that opened it; absent for the operator's.")
    ),
    key_id: Schema.optional(answerField(Schema.String, "The id of that key.")),
    name: Schema.optional(answerField(Schema.String, "Who is signed in: a person, or the name of an admin key.")),
    person: Schema.optional(answerField(Schema.Boolean, "True for a person who signed in with the company's account.")),
    role: Schema.optional(answerField(Role, "The role; absent for the session of an API key.")),
    accounts: Schema.optional(
      answerField(
        Schema.NullOr(Schema.Array(Schema.String)),
        "The accounts that the role reaches, by id: those that it names, and those that exist and match (`team-*`); 200 at most. null: all at once; the public address, where `server.admin` is another, lists them then too."
      )
    ),
    more_accounts: Schema.optional(answerField(Schema.Boolean, "True if there are more; `account` searches them.")),
    csrf: answerField(Schema.String, "Send it as `x-gateway-csrf` with every request but GET."),
    expires_at: answerField(Schema.String, "When it ends (ISO 8601, UTC)."),
    public_url: answerField(Schema.String, "The base of links to the gateway's files.")
  }).annotations({ identifier: "SignedIn" })
)
export type OwnSession = typeof OwnSession.Type

/** The one that a session stands for. */
export type SessionHolder = Pick<SessionRecord, "name" | "role">

export const sessionRecord = (
  row: SessionRow,
  { name, role }: SessionHolder,
  current: string | undefined
): SessionRecord => ({
  object: "session",
  id: row.id,
  kind: row.kind === "account" ? "account" : "operator",
  name,
  role,
  account: row.account_id,
  key: row.key_id,
  client: row.client,
  address: row.address,
  current: row.id === current,
  created_at: isoTime(row.created_at),
  last_used_at: isoTime(row.last_used_at),
  expires_at: isoTime(row.expires_at)
})
