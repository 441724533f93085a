import { Schema } from "effect"
import { isoTime } from "../admin/fields.ts"
import { Role } from "../contract/Acting.ts"
import { said } from "../contract/fields.ts"
import type { SessionRow } from "./store/SessionStore.ts"

const Kind = Schema.Literal("operator", "account")

/** The operator's view of a console session. */
export const SessionRecord = Schema.Struct({
  object: Schema.Literal("session"),
  id: said(Schema.String, "Its id (`session_…`)."),
  kind: said(Kind, "`operator`: opened by a person or an admin key. `account`: opened with an API key."),
  name: said(
    Schema.NullOr(Schema.String),
    "The person, or the name of the admin key; null for the session of an API key, and where it is not known."
  ),
  role: said(Schema.NullOr(Role), "The role that the person or the admin key has now; null where there is none."),
  account: said(Schema.NullOr(Schema.String), "The account of the key that opened it; null for the operator's."),
  key: said(Schema.NullOr(Schema.String), "The id of that key; null for the operator's."),
  client: said(Schema.String, "The browser's user agent."),
  address: said(Schema.String, "The address it was opened from."),
  current: said(Schema.Boolean, "True for the calling session."),
  created_at: said(Schema.String, "ISO 8601, UTC."),
  last_used_at: said(Schema.String, "To the minute."),
  expires_at: said(Schema.String, "When the session expires.")
}).annotations({ identifier: "Session" })
export type SessionRecord = typeof SessionRecord.Type

/** The page's own session. */
export const OwnSession = Schema.Union(
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: said(Schema.Literal(false), "False: no session."),
    admin: said(Schema.Boolean, "True if there is an admin key to sign in with."),
    sign_in: said(
      Schema.Array(
        Schema.Struct({
          name: said(Schema.String, "The provider: `login.corp.test`."),
          url: said(
            Schema.String,
            "The link that begins signing in there; `return_to` may be added, the path of a page of the console."
          )
        })
      ),
      "The providers that people sign in with."
    ),
    provider_sign_out: Schema.optional(
      said(Schema.String, "After signing out: the page that ends the sign-in at the provider, too.")
    )
  }).annotations({ identifier: "SignedOut" }),
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: said(Schema.Literal(true), "A session is signed in."),
    kind: said(Kind, "Its scope: `/admin/v1`, or that of its API key."),
    account_id: Schema.optional(
      said(Schema.String, "The account of the key that opened it; absent for the operator's.")
    ),
    key_id: Schema.optional(said(Schema.String, "The id of that key.")),
    name: Schema.optional(said(Schema.String, "Who is signed in: a person, or the name of an admin key.")),
    person: Schema.optional(said(Schema.Boolean, "True for a person who signed in with the company's account.")),
    role: Schema.optional(said(Role, "The role; absent for the session of an API key.")),
    accounts: Schema.optional(
      said(
        Schema.NullOr(Schema.Array(Schema.String)),
        "The accounts that the role reaches, by id: those that it names, and those that exist and match (`team-*`); 200 at most. null: all at once."
      )
    ),
    more_accounts: Schema.optional(said(Schema.Boolean, "True if there are more; `account` searches them.")),
    csrf: said(Schema.String, "Send it as `x-gateway-csrf` with every request but GET."),
    expires_at: said(Schema.String, "When it ends (ISO 8601, UTC)."),
    public_url: said(Schema.String, "The base of links to the gateway's files.")
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
