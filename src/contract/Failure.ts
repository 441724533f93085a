import { Schema } from "effect"
import { JsonObject } from "./fields.ts"

/** What the failure says when its site says nothing better. Written for the caller; holds nothing internal. */
const says = (message: string) => Schema.optionalWith(Schema.String, { default: () => message })

/** What a program can act on, where the family's body has a place for it (`error_code`). */
const details = Schema.optionalWith(JsonObject, { exact: true })

/**
 * The closed set of ways a request can fail. Services fail with these; a family renders them at its edge (`wire.ts`).
 * A caller can act on a message: it names the field, the rule and what is allowed.
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  message: says("The request is invalid"),
  /** Path of the first bad field (`content[1].role`); null where the body as a whole is at fault. */
  param: Schema.NullOr(Schema.String),
  details
}) {}

export class AuthMissing extends Schema.TaggedError<AuthMissing>()("AuthMissing", {
  message: says("Missing Authorization header: send `Authorization: Bearer <API_KEY>`")
}) {}

export class AuthInvalid extends Schema.TaggedError<AuthInvalid>()("AuthInvalid", {
  message: says("Invalid API key")
}) {}

/** The account's available balance is below the hold that the request needs. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  message: says("Insufficient balance")
}) {}

/** The key's own budget is used up. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  message: says("The budget of this API key is used up")
}) {}

export class ModelForbidden extends Schema.TaggedError<ModelForbidden>()("ModelForbidden", {
  message: says("This API key has no access to the requested model")
}) {}

/** Who asks is known, and may not ask for this, or not from here. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  message: says("Not permitted")
}) {}

/** No endpoint has this path, or this method on it. */
export class UnknownRoute extends Schema.TaggedError<UnknownRoute>()("UnknownRoute", {
  message: says("Invalid URL")
}) {}

/** Nothing of this caller's has the id; another account's things look exactly the same. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: says("Not found"),
  /** The field that named it; null where the path did. */
  param: Schema.NullOr(Schema.String),
  details
}) {}

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: says("The request conflicts with the state of its target"),
  /** A code of its own where the wire has one (`InvalidAction.RunningTaskDeletion`); null for the family's. */
  code: Schema.NullOr(Schema.String),
  /** What the target is now, where the request was thought of for an earlier state. */
  current: details
}) {}

export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", {
  message: says("The request body is too large")
}) {}

/** The body is encoded in a way that the gateway does not read. */
export class UnsupportedEncoding extends Schema.TaggedError<UnsupportedEncoding>()("UnsupportedEncoding", {
  message: says("The request body's Content-Encoding is not supported")
}) {}

/** The body is not what its Content-Encoding says. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  message: says("The request body can't be decoded")
}) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: says("Too many requests"),
  /** Seconds until a retry can succeed; null where nobody knows. */
  retryAfterSeconds: Schema.NullOr(Schema.Number)
}) {}

/** The upstream failed in a way that the caller can only retry. */
export class UpstreamFailed extends Schema.TaggedError<UpstreamFailed>()("UpstreamFailed", {
  message: says("The model's upstream failed"),
  /** Seconds until a retry can succeed, where that is known: its circuit is open until then. */
  retryAfterSeconds: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** A defect of ours: logged with the request id, which is all the caller sees of it. */
export class Internal extends Schema.TaggedError<Internal>()("Internal", {
  message: says("Internal error")
}) {}

export const failures = {
  InvalidRequest,
  AuthMissing,
  AuthInvalid,
  InsufficientBalance,
  QuotaExceeded,
  ModelForbidden,
  Forbidden,
  UnknownRoute,
  NotFound,
  Conflict,
  TooLarge,
  UnsupportedEncoding,
  Undecodable,
  RateLimited,
  UpstreamFailed,
  Internal
} as const

export type FailureTag = keyof typeof failures
export type Failure = InstanceType<(typeof failures)[FailureTag]>

/** What the edge itself fails with, and so what every group of endpoints must be able to render. */
export type EdgeFailure =
  | InvalidRequest
  | AuthMissing
  | AuthInvalid
  | Forbidden
  | UnknownRoute
  | TooLarge
  | UnsupportedEncoding
  | Undecodable
  | RateLimited
  | Internal
