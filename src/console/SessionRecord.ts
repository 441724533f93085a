import { Schema } from "effect"
import { isoTime } from "../admin/fields.ts"
import { said } from "../contract/fields.ts"
import type { SessionRow } from "./store/SessionStore.ts"

const Kind = Schema.Literal("operator", "account")

/** Who is signed in, as those who run the gateway see it. */
export const SessionRecord = Schema.Struct({
  object: Schema.Literal("session"),
  id: said(Schema.String, "Its id (`session_…`)."),
  kind: said(Kind, "Whether it was opened for the operator or with an API key."),
  account: said(Schema.NullOr(Schema.String), "Whose key opened it; null for the operator's."),
  key: said(Schema.NullOr(Schema.String), "The id of that key; null for the operator's."),
  client: said(Schema.String, "The browser, as it calls itself."),
  address: said(Schema.String, "Where it was opened from."),
  current: said(Schema.Boolean, "Whether it is the one that asks."),
  created_at: said(Schema.String, "ISO 8601, UTC."),
  last_used_at: said(Schema.String, "To the minute."),
  expires_at: said(Schema.String, "From then on it opens nothing.")
}).annotations({ identifier: "Session" })
export type SessionRecord = typeof SessionRecord.Type

/** What the page is told of its own session. */
export const OwnSession = Schema.Union(
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: said(Schema.Literal(false), "Nobody is."),
    admin: said(Schema.Boolean, "Whether there is an admin key to sign in with.")
  }).annotations({ identifier: "SignedOut" }),
  Schema.Struct({
    object: Schema.Literal("own_session"),
    signed_in: said(Schema.Literal(true), "Somebody is."),
    kind: said(Kind, "What it opens: `/admin/v1`, or what its API key opens."),
    account_id: Schema.optional(said(Schema.String, "Whose key opened it; absent for the operator's.")),
    key_id: Schema.optional(said(Schema.String, "The id of that key.")),
    csrf: said(Schema.String, "To be sent as `x-gateway-csrf` with every request but GET."),
    expires_at: said(Schema.String, "When it ends (ISO 8601, UTC)."),
    public_url: said(Schema.String, "What links to the gateway's own files begin with.")
  }).annotations({ identifier: "SignedIn" })
)
export type OwnSession = typeof OwnSession.Type

export const sessionRecord = (row: SessionRow, current: string | undefined): SessionRecord => ({
  object: "session",
  id: row.id,
  kind: row.kind === "account" ? "account" : "operator",
  account: row.account_id,
  key: row.key_id,
  client: row.client,
  address: row.address,
  current: row.id === current,
  created_at: isoTime(row.created_at),
  last_used_at: isoTime(row.last_used_at),
  expires_at: isoTime(row.expires_at)
})
