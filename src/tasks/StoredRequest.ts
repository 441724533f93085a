import { Schema } from "effect"
import { AccountId, KeyId, Limits } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"

const Domains = Schema.UndefinedOr(Schema.Array(Schema.String))

/** Who called, as the call was accepted: what the key may do later is not the task's business. */
const StoredCaller = Schema.Struct({
  account: AccountId,
  key: KeyId,
  models: Schema.Array(Schema.String),
  keyLimits: Limits,
  accountLimits: Limits,
  budget: Schema.UndefinedOr(Schema.Struct({ nanoUsd: Schema.Number, period: Schema.Literal("day", "month") })),
  searchDomains: Schema.Struct({ allowed: Domains, blocked: Domains })
})

const StoredRequest = Schema.Struct({
  requestId: Schema.String,
  caller: StoredCaller,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.Unknown
})
export type StoredRequest = typeof StoredRequest.Type

/** JSON has no undefined: what was left out reads as it. */
export const decodeStored = Schema.decodeUnknown(StoredRequest, { exact: false })

/** Headers that say what the body means; all others are the connection's, or secrets. */
const kept = ["anthropic-version", "anthropic-beta", "user-agent"]

/** What an async message request leaves behind. Without `async`, so that its body is the synchronous one. */
export const storedRequest = (caller: Caller, request: Incoming): StoredRequest => ({
  requestId: request.id,
  caller,
  headers: Object.fromEntries(
    kept.flatMap((name) => ((value) => (value === null ? [] : [[name, value]]))(request.headers.get(name)))
  ),
  body: withoutAsync(request.body)
})

const withoutAsync = (body: unknown): unknown =>
  typeof body === "object" && body !== null
    ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== "async"))
    : body

/** The request as the server saw it. Nobody waits for it any more: no reply to add headers to, no shutdown to hear of. */
export const incoming = (stored: StoredRequest): Incoming => ({
  id: stored.requestId,
  method: "POST",
  path: "/v1/messages",
  headers: new Headers(stored.headers),
  body: stored.body,
  replyHeaders: {},
  shutdown: new AbortController().signal
})
