/* oxlint-disable typescript/consistent-type-assertions -- the union's members are made from a table's keys; its type says so once */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { JsonObject, answerField } from "./fields.ts"
import { isObject } from "./json/json.ts"
import { failures } from "./failures/Failure.ts"
import type { Failure, FailureTag } from "./failures/Failure.ts"

/** A family's wire form of one kind of failure; not every family's body has a `code`. */
export interface FailureRow {
  readonly status: number
  readonly code: string
  readonly type: string
}

export type FailureTable<Tags extends FailureTag> = { readonly [Tag in Tags]: FailureRow }
export type FailureOf<Tags extends FailureTag> = InstanceType<(typeof failures)[Tags]>

/** A family's error body: how to write one and how to read it back. */
export interface Body<I extends object> {
  /** The body's schema with `code` and `type` narrowed to the row's. */
  readonly schema: (row: FailureRow) => Schema.Schema<I>
  readonly encode: (failure: Failure, row: FailureRow) => I
  readonly message: (body: I) => string
  readonly details?: (body: I) => JsonObject | undefined
}

/** `{error: {code, message, param, type}}`: video tasks, responses, task queries and endpoints outside the families. */
export interface CodedBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly param: string | null
    readonly type: string
    readonly current?: JsonObject
    readonly innererror?: JsonObject
  }
}

const paramOf = (failure: Failure): string | null => {
  switch (failure._tag) {
    case "InvalidRequest":
    case "NotFound":
      return failure.param
    case "Unpriced":
      return failure.param ?? null
    case "UnknownModel":
      return "model"
    case "ToolsFailed":
      return "tools"
    default:
      return null
  }
}

const current = Schema.optionalWith(JsonObject, { exact: true }).annotations({
  description: "The current record, if the change was based on an earlier `version`."
})

const innererror = Schema.optionalWith(JsonObject, { exact: true }).annotations({
  description: "Azure's verdict about a blocked prompt (`content_filter_result`), of at most 2,000 characters."
})

const innererrorOf = (failure: Failure) => {
  const inner = failure._tag === "InvalidRequest" ? failure.details?.["innererror"] : undefined
  return isObject(inner) ? { innererror: inner } : {}
}

const fieldsOf = (row: FailureRow) => ({
  code: answerField(Schema.String, "The kind of failure."),
  message: answerField(Schema.String, "The problem and the allowed values."),
  param: answerField(Schema.NullOr(Schema.String), "Path of the first invalid field, if the family reports it."),
  type: Schema.Literal(row.type)
})

const upstreamCodesSay = (code: string) =>
  `\`${code}\`, or the upstream's code if programs act on it: \`context_length_exceeded\`, \`content_filter\`, and those of policies (\`cyber_policy\`).`

/** The code on which clients act: an input that is too long has OpenAI's, others the upstream's. */
export const programCodeOf = (failure: Failure): string | undefined => {
  if (failure._tag !== "InvalidRequest") return undefined
  const { reason, upstreamCode } = failure
  if (reason === "too_long") return "context_length_exceeded"
  return upstreamCode !== undefined && programCode.test(upstreamCode) ? upstreamCode : undefined
}

const programCode = /^(?:context_length_exceeded|content_filter|conversation_locked)$|policy/

interface CodedBodyOptions {
  /** True: names the bad field (responses); false: always null (video tasks, task queries). */
  readonly param: boolean
  /** True if the code of an invalid request may be the upstream's. */
  readonly upstreamCodes?: true
}

const codeOf = (failure: Failure, row: FailureRow, { upstreamCodes }: CodedBodyOptions): string => {
  if (failure._tag === "Conflict") return failure.code ?? row.code
  return (upstreamCodes === true ? programCodeOf(failure) : undefined) ?? row.code
}

export const codedBody = (options: CodedBodyOptions): Body<CodedBody> => ({
  schema: (row) =>
    Schema.Struct({
      error: answerField(
        row.status === 409
          ? // A conflict may have a code of its own.
            Schema.Struct({ ...fieldsOf(row), code: answerField(Schema.String, "The conflicting record."), current })
          : row.status === 400 && options.upstreamCodes === true
            ? Schema.Struct({
                ...fieldsOf(row),
                code: answerField(Schema.String, upstreamCodesSay(row.code)),
                innererror
              })
            : Schema.Struct({ ...fieldsOf(row), code: Schema.Literal(row.code) }),
        "The failure."
      )
    }),
  encode: (failure, row) => ({
    error: {
      code: codeOf(failure, row, options),
      message: failure.message,
      param: options.param ? paramOf(failure) : null,
      type: row.type,
      ...(options.upstreamCodes === true && innererrorOf(failure)),
      ...(failure._tag === "Conflict" && failure.current !== undefined ? { current: failure.current } : {})
    }
  }),
  message: (body) => body.error.message,
  details: (body) => body.error.current
})

/** `{type: "error", error: {type, message, details}, request_id}`: messages. The edge adds the request id. */
export interface TypedBody {
  readonly type: "error"
  readonly error: { readonly type: string; readonly message: string; readonly details?: JsonObject }
  readonly request_id?: string
}

export const typedBody: Body<TypedBody> = {
  schema: (row) =>
    Schema.Struct({
      type: Schema.Literal("error"),
      error: answerField(
        Schema.Struct({
          type: Schema.Literal(row.type),
          message: answerField(Schema.String, "The problem and the allowed values."),
          details: Schema.optionalWith(JsonObject, { exact: true }).annotations({
            description: "An `error_code` for programs, if there is one."
          })
        }),
        "The failure."
      ),
      request_id: Schema.optionalWith(Schema.String, { exact: true }).annotations({
        description: "The same as the `request-id` header."
      })
    }),
  encode: (failure, row) => ({
    type: "error",
    error: { type: row.type, message: typedMessage(failure), ...withDetails(detailsOf(failure)) }
  }),
  message: (body) => body.error.message,
  details: (body) => body.error.details
}

/** Anthropic's clients compact a conversation, or lower `max_tokens`, if the message says so in Anthropic's words. */
const typedMessage = (failure: Failure): string =>
  failure._tag === "InvalidRequest" && failure.reason === "too_long" && !anthropicsWords.test(failure.message)
    ? `prompt is too long: ${failure.message}`
    : failure.message

const anthropicsWords = /prompt is too long|input length and `max_tokens` exceed context limit/i

const detailsOf = (failure: Failure) =>
  failure._tag === "InvalidRequest" || failure._tag === "NotFound" ? failure.details : undefined

const withDetails = (details: JsonObject | undefined) => (details === undefined ? {} : { details })

const revive = (tag: FailureTag, message: string, details: JsonObject | undefined): Failure => {
  switch (tag) {
    case "InvalidRequest":
    case "NotFound":
      return new failures[tag]({ message, param: null, ...withDetails(details) })
    case "Conflict":
      return new failures.Conflict({ message, code: null, ...(details === undefined ? {} : { current: details }) })
    case "RateLimited":
      return new failures.RateLimited({ message, retryAfterSeconds: null })
    default:
      return new failures[tag]({ message })
  }
}

/**
 * The error union of a family's groups: the type side is the domain failure, the encoded side the family's body.
 * Identifier and status annotate the transformation; on the failure class, two families would share one OpenAPI component.
 * Identical bodies of one status decode as the first one declared.
 */
export const failureUnion = <Tags extends FailureTag, I extends object>(
  family: string,
  table: FailureTable<Tags>,
  body: Body<I>
): Schema.Schema<FailureOf<Tags>, I> => {
  const members = Object.keys(table).map((key) => {
    const tag = key as Tags
    const row = table[tag]
    // Typed as the whole union: encode only sees its own tag.
    const domain = Schema.typeSchema(failures[tag] as never) as unknown as Schema.Schema<Failure>
    return Schema.transform(body.schema(row), domain, {
      strict: true,
      decode: (encoded) => revive(tag, body.message(encoded), body.details?.(encoded)),
      encode: (failure) => body.encode(failure, row)
    }).annotations(HttpApiSchema.annotations({ status: row.status, identifier: `${family}${tag}` }))
  })
  return Schema.Union(...members) as never
}
