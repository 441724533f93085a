/* oxlint-disable typescript/consistent-type-assertions -- reflection knows schemas only as `any`; handlers() tied the types */
import { HttpApi, HttpApiSchema } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"
import type { Either } from "effect"
import { Context, Option, ParseResult, Schema, SchemaAST as AST } from "effect"
import {
  AskedBySocket,
  BodyLimit,
  Clients,
  Form,
  Idempotent,
  KnownFieldsOnly,
  LongBody,
  LongLived,
  MayBeEmpty,
  OfMessages,
  OpenedBy,
  Prefixes,
  Public,
  RateHeaders,
  RequestIdInErrors,
  SharedPaths,
  Family,
  ForOperators
} from "../contract/annotations.ts"
import type { FormBounds, LongBodies } from "../contract/annotations.ts"
import type { Failure, InvalidRequest } from "../contract/failures/Failure.ts"
import { jsonDecoder } from "../contract/jsonDecoder.ts"
import { openDecoder } from "../contract/open.ts"
import { toInvalidRequest } from "../contract/failures/invalidRequests.ts"
import type { TellStanding } from "../contract/callers/Standing.ts"
import { rateHeaders } from "./rateHeaders.ts"

/** One endpoint of the contract, with everything that can be computed before a request. */
export interface Route {
  readonly group: string
  /** The name of the group in logs, rows and metrics. */
  readonly family: string
  readonly name: string
  readonly method: string
  /** The pattern, the same for Bun and HttpApi: `/v1/tasks/:id`. */
  readonly path: string
  readonly isPublic: boolean
  readonly openedBy: "api-key" | "admin-key" | "anyone"
  /** True if a separate public address does without it. */
  readonly isForOperators: boolean
  /** True if a message to it may be no request of the caller's limits. */
  readonly isOfMessages: boolean
  readonly isIdempotent: boolean
  readonly isLongLived: boolean
  /** The `type` of its request messages on a socket; null if it has none. */
  readonly socketEvent: string | null
  readonly tellStanding: TellStanding | undefined
  readonly bodyLimit: number
  /** The most bytes of a body that is read into memory. */
  readonly memoryLimit: number
  /** The bounds of its body as a form; null if it takes none. */
  readonly form: FormBounds | null
  /** How long bodies are read; null if all its bodies are read into memory. */
  readonly long: LongBodies | null
  /** The text that stands for an empty body. */
  readonly emptyBody: "" | "{}"
  readonly decodePayload: Decode | undefined
  readonly decodePath: Decode | undefined
  readonly decodeUrlParams: Decode | undefined
  readonly isArrayParam: (name: string) => boolean
  readonly status: number
  readonly encode: (value: unknown) => unknown
  readonly rendererFor: RendererFor
}

type Decode = (input: unknown) => Either.Either<unknown, InvalidRequest>

/** Renders a failure as a family's status and body. */
export type RenderFailure = (failure: Failure, requestId: string) => { readonly status: number; readonly body: unknown }

/** The renderer for a request, by its headers where several dialects have the path. */
type RendererFor = (headers: Headers) => RenderFailure

/** Renders unknown paths for the family with the longest matching prefix. */
export interface Fallback {
  readonly prefix: string
  readonly rendererFor: RendererFor
  /** As that of a route. */
  readonly isForOperators: boolean
}

export interface Compiled {
  readonly routes: ReadonlyArray<Route>
  readonly fallbacks: ReadonlyArray<Fallback>
}

interface Options {
  /** The largest body in bytes, for groups without a limit of their own. */
  readonly bodyLimit: number
  /** Checks answers against the contract before sending them; on in tests. */
  readonly checkAnswers: boolean
}

/** Reads a contract once, at start. Decoders and encoders are made on an endpoint's first request. */
export const compile = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  options: Options
): Compiled => {
  const routes: Array<Route> = []
  const fallbacks: Array<Fallback> = []
  const clients: Array<{ readonly headers: ReadonlyArray<string>; readonly renderFailure: RenderFailure }> = []
  /** The dialect's renderer if the request is one of its clients'. */
  const byClient =
    (otherwise: RenderFailure): RendererFor =>
    (headers) =>
      clients.find((dialect) => dialect.headers.some((name) => headers.has(name)))?.renderFailure ?? otherwise
  HttpApi.reflect(api, {
    onGroup: ({ group, mergedAnnotations }) => {
      const renderFailure = failureRenderer(() => group.errorSchema.ast, mergedAnnotations)
      const isShared = Context.get(mergedAnnotations, SharedPaths)
      const isForOperators = isOfOperators(mergedAnnotations)
      for (const prefix of Option.getOrElse(Context.getOption(mergedAnnotations, Prefixes), () => [])) {
        const rendererFor = isShared || prefix === "/" ? byClient(renderFailure) : () => renderFailure
        fallbacks.push({ prefix, rendererFor, isForOperators })
      }
      const dialect = Option.getOrUndefined(Context.getOption(mergedAnnotations, Clients))
      if (dialect === undefined) return
      const render = failureRenderer(() => dialect.errors.ast, mergedAnnotations)
      clients.push({ headers: dialect.headers, renderFailure: render })
      for (const prefix of dialect.prefixes) fallbacks.push({ prefix, rendererFor: () => render, isForOperators })
    },
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes }) => {
      const [success] = successes
      if (success === undefined) throw new Error(`${group.identifier}.${endpoint.name} declares no success`)
      const [status, { ast }] = success
      const rateDialect = Context.get(mergedAnnotations, RateHeaders)
      const renderFailure = failureRenderer(
        () => AST.Union.make([group.errorSchema.ast, endpoint.errorSchema.ast]),
        mergedAnnotations
      )
      const onlyKnown = Context.get(mergedAnnotations, KnownFieldsOnly)
      const bodyLimit = Option.getOrElse(Context.getOption(mergedAnnotations, BodyLimit), () => options.bodyLimit)
      const long = Context.get(mergedAnnotations, LongBody)
      routes.push({
        group: group.identifier,
        family: Option.getOrElse(Context.getOption(mergedAnnotations, Family), () => group.identifier),
        name: endpoint.name,
        method: endpoint.method,
        path: endpoint.path,
        isPublic: Context.get(mergedAnnotations, Public),
        openedBy: Context.get(mergedAnnotations, OpenedBy),
        isForOperators: isOfOperators(mergedAnnotations),
        isOfMessages: Context.get(mergedAnnotations, OfMessages),
        isIdempotent: Context.get(mergedAnnotations, Idempotent),
        isLongLived: Context.get(mergedAnnotations, LongLived),
        socketEvent: Context.get(mergedAnnotations, AskedBySocket),
        tellStanding: rateDialect === null ? undefined : rateHeaders[rateDialect],
        bodyLimit,
        memoryLimit: long === null ? bodyLimit : options.bodyLimit,
        form: Context.get(mergedAnnotations, Form),
        long,
        emptyBody: Context.get(mergedAnnotations, MayBeEmpty) ? "{}" : "",
        decodePayload: onlyKnown ? decoder(endpoint.payloadSchema, onlyKnown) : bodyDecoder(endpoint.payloadSchema),
        decodePath: pathDecoder(endpoint.pathSchema),
        decodeUrlParams: decoder(endpoint.urlParamsSchema, onlyKnown),
        isArrayParam: arrayParams(endpoint.urlParamsSchema),
        status,
        encode: Option.match(ast, { onNone: () => () => undefined, onSome: (type) => encoder(type, options) }),
        rendererFor: Context.get(mergedAnnotations, SharedPaths) ? byClient(renderFailure) : () => renderFailure
      })
    }
  })
  fallbacks.sort((one, other) => other.prefix.length - one.prefix.length)
  return { routes, fallbacks }
}

const isOfOperators = (annotations: Context.Context<never>): boolean =>
  Context.get(annotations, OpenedBy) === "admin-key" || Context.get(annotations, ForOperators)

/** Makes a function on its first call. Making all decoders and encoders at once would take a tenth of the start. */
const lazily = <A, B>(make: () => (value: A) => B): ((value: A) => B) => {
  let made: ((value: A) => B) | undefined
  return (value) => (made ??= make())(value)
}

const bodyDecoder = (schema: Option.Option<Schema.Schema.All>): Decode | undefined => {
  if (Option.isNone(schema)) return undefined
  return lazily(() => toInvalidRequest(openDecoder(schema.value as Schema.Schema<unknown>)))
}

/** Uses `jsonDecoder`, because polling a task decodes little else and the library's decoder is slow. */
const pathDecoder = (schema: Option.Option<Schema.Schema.All>): Decode | undefined =>
  Option.isNone(schema)
    ? undefined
    : lazily(() => toInvalidRequest(jsonDecoder(schema.value as Schema.Schema<unknown>)))

const decoder = (schema: Option.Option<Schema.Schema.All>, onlyKnown = false): Decode | undefined => {
  if (Option.isNone(schema)) return undefined
  return lazily(() =>
    toInvalidRequest(
      ParseResult.decodeUnknownEither(schema.value as Schema.Schema<unknown>, {
        errors: "first",
        onExcessProperty: onlyKnown ? "error" : "ignore"
      })
    )
  )
}

/** Repeatable query parameters decode from an array, even if sent once. */
const arrayParams = (schema: Option.Option<Schema.Schema.All>): ((name: string) => boolean) => {
  if (Option.isNone(schema)) return () => false
  const { ast } = schema.value
  return lazily(() => {
    const encoded = AST.encodedAST(ast)
    const names = new Set(
      AST.isTypeLiteral(encoded)
        ? encoded.propertySignatures.filter((signature) => hasArray(signature.type)).map((signature) => signature.name)
        : []
    )
    return (name: string) => names.has(name)
  })
}

const hasArray = (ast: AST.AST): boolean => AST.isTupleType(ast) || (AST.isUnion(ast) && ast.types.some(hasArray))

/** If a schema's two sides are the same, the encoder would only copy; skipping it saves a sixth of a small request. */
const encoder = (ast: AST.AST, options: Options): ((value: unknown) => unknown) =>
  lazily(() =>
    !options.checkAnswers && AST.encodedBoundAST(ast) === ast
      ? (value: unknown) => value
      : ParseResult.encodeUnknownSync(Schema.make(ast))
  )

const failureRenderer = (errors: () => AST.AST, annotations: Context.Context<never>): RenderFailure => {
  const withRequestId = Context.get(annotations, RequestIdInErrors)
  const rows = lazily(() => {
    const members = new Map(
      // Of two forms of a failure, the first one declared is the group's own; the other is that of `Clients`.
      membersOf(errors())
        .toReversed()
        .map((ast) => [
          tagOf(ast),
          { status: HttpApiSchema.getStatusErrorAST(ast), encode: ParseResult.encodeUnknownSync(Schema.make(ast)) }
        ])
    )
    return () => members
  })
  return (failure, requestId) => {
    const members = rows(undefined)
    const member = members.get(failure._tag) ?? members.get("Internal")
    if (member === undefined) throw new Error(`no row for ${failure._tag}`)
    const body = member.encode(failure) as object
    return { status: member.status, body: withRequestId ? { ...body, request_id: requestId } : body }
  }
}

/** The failure's tag, from the class on the type side of a member of `failureUnion`. */
const tagOf = (ast: AST.AST): string => Option.getOrElse(AST.getIdentifierAnnotation(AST.typeAST(ast)), () => "")

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  if (AST.isNeverKeyword(ast)) return []
  return AST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]
}
