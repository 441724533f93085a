import { Schema } from "effect"
import { FallbackReason } from "../records/FallbackReason.ts"
import { JsonObject } from "../fields.ts"

/** The default message. Callers see it, so it holds nothing internal. */
const says = (message: string) => Schema.optionalWith(Schema.String, { default: () => message })

/** Machine-readable details (`error_code`), for families whose error bodies carry them. */
const details = Schema.optionalWith(JsonObject, { exact: true })

/** The `WWW-Authenticate` header, where programs can have their person sign in. */
const challenge = Schema.optionalWith(Schema.String, { exact: true })

/**
 * The closed set of ways a request can fail. Services fail with these; a family renders them at its edge (`wire.ts`).
 * A caller can act on a message: it names the field, the rule and what is allowed.
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  message: says("The request is invalid"),
  /** Path of the first bad field (`content[1].role`); null for the body as a whole. */
  param: Schema.NullOr(Schema.String),
  /** The upstream's code (`context_length_exceeded`), which programs act on. */
  upstreamCode: Schema.optionalWith(Schema.String, { exact: true }),
  /** True if the upstream told it in its answer, not by an HTTP status. */
  isInStream: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Present if another route or model might take the request: the reason that this one does not. */
  reason: Schema.optionalWith(FallbackReason, { exact: true }),
  details
}) {}

export class AuthMissing extends Schema.TaggedError<AuthMissing>()("AuthMissing", {
  message: says("Missing Authorization header: send `Authorization: Bearer <API_KEY>`"),
  challenge
}) {}

export class AuthInvalid extends Schema.TaggedError<AuthInvalid>()("AuthInvalid", {
  message: says("Invalid API key"),
  challenge
}) {}

/** The account's available balance is below the request's hold. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  message: says("Insufficient balance")
}) {}

/** The key's own budget is used up. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  message: says("The budget of this API key is used up"),
  /** When it begins again, in Unix ms; absent if it does not, or step by step. */
  resetsAtMs: Schema.optionalWith(Schema.Number, { exact: true }),
  period: Schema.optionalWith(Schema.Literal("daily", "weekly", "monthly"), { exact: true })
}) {}

export class ModelForbidden extends Schema.TaggedError<ModelForbidden>()("ModelForbidden", {
  message: says("This API key has no access to the requested model")
}) {}

/** The caller's money is counted, and what the request asks for has no price. */
export class Unpriced extends Schema.TaggedError<Unpriced>()("Unpriced", {
  message: says("The requested model has no price"),
  /** Path of the field that asks for something without a price; absent if the model is the reason. */
  param: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true })
}) {}

/** No model of this name is served. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", {
  message: says("Unknown model")
}) {}

/** The caller is authenticated, but may not do this, or not from this address. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  message: says("Not permitted")
}) {}

/** No endpoint has this path, or this method on it. */
export class UnknownRoute extends Schema.TaggedError<UnknownRoute>()("UnknownRoute", {
  message: says("Invalid URL")
}) {}

/** The caller's account has nothing with this id. Ids of other accounts get the same answer. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: says("Not found"),
  /** The field that held the id; null if the path did. */
  param: Schema.NullOr(Schema.String),
  details
}) {}

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: says("The request conflicts with the state of its target"),
  /** A specific wire code (`InvalidAction.RunningTaskDeletion`); null for the family's default. */
  code: Schema.NullOr(Schema.String),
  /** The target's current state, if the request was based on an earlier one. */
  current: details
}) {}

export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", {
  message: says("The request body is too large")
}) {}

/** The gateway does not support the body's encoding. */
export class UnsupportedEncoding extends Schema.TaggedError<UnsupportedEncoding>()("UnsupportedEncoding", {
  message: says("The request body's Content-Encoding is not supported")
}) {}

/** The body does not match its Content-Encoding. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  message: says("The request body can't be decoded")
}) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: says("Too many requests"),
  /** Seconds until a retry can succeed; null if unknown. */
  retryAfterSeconds: Schema.NullOr(Schema.Number),
  /** True if no wait helps: the request is larger than what the upstream ever takes. */
  neverFits: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {}

/** The process has no file descriptors for more work. */
export const tooFewDescriptors = new RateLimited({
  message: "The gateway has too few file descriptors left; try again shortly",
  retryAfterSeconds: 1
})

/** The upstream failed; the caller can only retry. */
export class UpstreamFailed extends Schema.TaggedError<UpstreamFailed>()("UpstreamFailed", {
  message: says("The model's upstream failed"),
  /** Seconds until the circuit breaker lets a retry through, if it is open. */
  retryAfterSeconds: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** An MCP server that the request names did not list its tools. */
export class ToolsFailed extends Schema.TaggedError<ToolsFailed>()("ToolsFailed", {
  message: says("Error retrieving tool list from MCP server")
}) {}

/** The caller's company can't be asked whether they may go on. They can only retry. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  message: says("The sign-in of your company does not answer; try again later")
}) {}

/** A defect of the gateway. It is logged with the request id; the caller sees only the id. */
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
  Unpriced,
  UnknownModel,
  Forbidden,
  UnknownRoute,
  NotFound,
  Conflict,
  TooLarge,
  UnsupportedEncoding,
  Undecodable,
  RateLimited,
  UpstreamFailed,
  ToolsFailed,
  Unavailable,
  Internal
} as const

export type FailureTag = keyof typeof failures
export type Failure = InstanceType<(typeof failures)[FailureTag]>

/** Failures of the edge itself; every group of endpoints must render them. */
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
