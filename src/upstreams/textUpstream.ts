import { Effect, Redacted } from "effect"
import * as Eager from "../contract/eager.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Deadlines, Exchange } from "./client.ts"
import { BrokenBody, callUpstreamNow } from "./client.ts"
import { extractDocuments } from "./extractDocuments.ts"
import { generationOf } from "./generationOf.ts"
import type { Dialect } from "./native/Dialect.ts"
import { forwarded } from "./native/forwarded.ts"
import { messages } from "./native/messages.ts"
import { responses } from "./native/responses.ts"
import { anthropicMessages } from "./protocols/anthropicMessages.ts"
import { openaiChat } from "./protocols/openaiChat.ts"
import type { ProviderName } from "./protocols/openaiChat/compatible.ts"
import { providerOf } from "./protocols/openaiChat/compatible.ts"
import { openaiResponses } from "./protocols/openaiResponses.ts"
import type { Lowered, Protocol } from "./protocols/Protocol.ts"
import { refusal, wordsOf } from "./refusal.ts"
import { translated } from "./translated.ts"
import type { GenerateOptions, NativeRequest, TextUpstream } from "./Upstream.ts"
import type { UpstreamError } from "./UpstreamError.ts"

export const textProtocols = ["anthropic-messages", "openai-responses", "openai-chat"] as const
export type TextProtocol = (typeof textProtocols)[number]

/** A configured place of text models. */
export interface TextUpstreamOptions {
  readonly name: string
  readonly protocol: TextProtocol
  /** http or https; with or without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** The row of `openai-chat`'s table; undefined finds it by host or name. */
  readonly provider: ProviderName | undefined
  /** Headers of the operator's own. */
  readonly headers: Readonly<Record<string, string>>
  readonly deadlines: Deadlines
}

export const textUpstream = (options: TextUpstreamOptions): TextUpstream => {
  switch (options.protocol) {
    case "anthropic-messages":
      return speaking(anthropicMessages, options, true, messages)
    case "openai-responses":
      return speaking(openaiResponses, options, true, responses)
    case "openai-chat":
      return speaking(openaiChat(providerOf(options)), options, false)
  }
}

const speaking = <S>(
  protocol: Protocol<S>,
  options: TextUpstreamOptions,
  searches: boolean,
  dialect?: Dialect
): TextUpstream => {
  const url = address(options.baseUrl, protocol.path)
  const send = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    callUpstreamNow({
      url,
      headers: {
        ...protocol.headers(options.apiKey === undefined ? undefined : Redacted.value(options.apiKey)),
        ...headers,
        ...options.headers
      },
      body,
      deadlines: options.deadlines
    })
  const generate = (asked: Conversation, how: GenerateOptions) =>
    Eager.flatMap(extractDocuments(asked, protocol.takesDocument), ({ conversation, extracted }) => {
      const lowered = protocol.lower(conversation, { model: how.upstreamModel, stream: how.stream })
      const adapted = extracted ? ["document", ...lowered.adapted] : lowered.adapted
      const no = refusedBy(lowered, adapted, how)
      if (no !== undefined) return Effect.fail(no)
      const body = JSON.stringify(lowered.body)
      return Eager.flatMap(send(body), (exchange) =>
        isSuccess(exchange)
          ? Effect.succeed(generationOf(translated(protocol, lowered), exchange, { adapted }))
          : refused({ exchange, options, url, sent: body, native: false })
      )
    })
  if (dialect === undefined) return { name: options.name, searches, generate }
  const forward = (request: NativeRequest, how: GenerateOptions) => {
    const body = JSON.stringify(dialect.body(request.body, how))
    return Eager.flatMap(send(body, nativeHeaders(dialect, request)), (exchange) =>
      isSuccess(exchange)
        ? Effect.succeed(generationOf(forwarded(protocol, dialect, request.rewrite), exchange, { native: true }))
        : refused({ exchange, options, url, sent: body, native: true })
    )
  }
  return { name: options.name, searches, generate, native: { family: dialect.family, forward } }
}

const nativeHeaders = (dialect: Dialect, { headers }: NativeRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    dialect.headers.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    })
  )

const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status <= 299

/** The path behind a base URL, which may or may not hold the version already. */
const address = (baseUrl: string, path: string): string => {
  const base = baseUrl.replace(/\/+$/, "")
  return base.endsWith("/v1") && path.startsWith("/v1/") ? base + path.slice("/v1".length) : base + path
}

/** What keeps a request from being sent: the first thing missing, where the caller wants nothing left out. */
const refusedBy = (
  lowered: Lowered,
  adapted: ReadonlyArray<string>,
  how: GenerateOptions
): InvalidRequest | undefined => {
  const [first] = adapted
  if (lowered.refused !== undefined || how.strict !== true || first === undefined) return lowered.refused
  return new InvalidRequest({ param: first, message: `${first}: not supported as asked by this model's upstream` })
}

/** The most that is read of an error's body, in bytes. */
const errorLimit = 65_536

interface Refused {
  readonly exchange: Exchange
  readonly options: TextUpstreamOptions
  readonly url: string
  readonly sent: string
  readonly native: boolean
}

const refused = ({ exchange, native, options, sent, url }: Refused): Effect.Effect<never, Failure | UpstreamError> =>
  Effect.flatMap(
    Effect.promise(() => exchange.text(errorLimit).catch(emptyIfBroken)),
    (body) => {
      const secrets = secretsOf(options, url)
      const error = refusal({ status: exchange.status, headers: exchange.headers, body, secrets, sent, native })
      return Effect.zipRight(
        Effect.logWarning("an upstream refused a request").pipe(
          Effect.annotateLogs({
            upstream: options.name,
            status: exchange.status,
            said: wordsOf({ body, secrets, sent }) ?? ""
          })
        ),
        error
      )
    }
  ).pipe(Effect.onInterrupt(() => Effect.sync(() => exchange.cancel())))

const emptyIfBroken = (cause: unknown): string => {
  if (cause instanceof BrokenBody) return ""
  throw cause
}

const secretsOf = (options: TextUpstreamOptions, url: string): ReadonlyArray<string> => [
  ...(options.apiKey === undefined ? [] : [Redacted.value(options.apiKey)]),
  ...Object.values(options.headers),
  url,
  options.baseUrl,
  URL.parse(url)?.host ?? ""
]
