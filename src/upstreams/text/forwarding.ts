import { entrustedIn } from "../../contract/callers/entrusted.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { Future } from "../../flow/Future.ts"
import { runFuture } from "../../flow/runFuture.ts"
import type { Generation } from "../../generation/Generation.ts"
import { acceptAnswer } from "../calls/acceptAnswer.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { messageOf } from "../calls/messageOf.ts"
import { refusedField, withoutField, withoutFields } from "../calls/refusedField.ts"
import { nothingLeftOut } from "../calls/RefusedParts.ts"
import type { RefusedParts } from "../calls/RefusedParts.ts"
import { isSuccess, refusalError } from "../calls/refusalError.ts"
import { serializeBody } from "../calls/serializeBody.ts"
import { tellRefused } from "../calls/tellRefused.ts"
import type { makePlacing } from "../Endpoint.ts"
import { passthroughChunks } from "../passthrough/chunks.ts"
import type { Dialect } from "../passthrough/Dialect.ts"
import { passthroughEvents } from "../passthrough/events.ts"
import type { Fitting } from "../passthrough/makeFit.ts"
import { reframe } from "../passthrough/reframe.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { namesTier } from "../protocols/servedDefaults.ts"
import type { GenerateOptions, PassthroughRequest } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { Answer } from "./generationOf.ts"
import type { Reader } from "./generationOf.ts"
import type { TextUpstreamOptions } from "./TextUpstreamOptions.ts"
import { notLost } from "./unsendable.ts"
import { withTier } from "./withTier.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** How requests reach the upstream. */
interface Wire {
  readonly placed: ReturnType<typeof makePlacing>
  readonly secrets: () => ReadonlyArray<string>
  readonly send: (
    url: string,
    body: string,
    how: GenerateOptions,
    more?: Readonly<Record<string, string>>
  ) => Future<Exchange, UpstreamError>
  readonly tierIn: (exchange: Exchange) => string | undefined
  readonly url: string
}

/** Parts that a second try leaves out. */
interface Second {
  readonly betas: ReadonlySet<string>
  readonly field?: string
}

/** Sends callers' requests in the upstream's own dialect. */
export const forwarding = <S>(
  protocol: Protocol<S>,
  dialect: Dialect,
  options: TextUpstreamOptions,
  { placed, secrets, send, tierIn, url }: Wire,
  { fitted, parts }: { readonly fitted: Fitting; readonly parts: RefusedParts }
) => {
  const { defaults, name } = options
  const forward = (request: PassthroughRequest, how: GenerateOptions, second?: Second): Call => {
    let lost: Set<string> | undefined
    const { strict } = how
    const ownBody = dialect.body(request.body, how, (param) => (lost ??= new Set(request.adapted)).add(param))
    const passedBody =
      defaults === undefined ? ownBody : protocol.withDefaults(ownBody, defaults, namesTier(request.body))
    const known = strict === true ? nothingLeftOut : parts.at(how)
    const without = second?.betas ?? known.betas
    const fit = fitted({ ...request, body: passedBody }, how, without)
    const fields = second?.field === undefined ? known.fields : [...known.fields, second.field]
    const left = fields.length === 0 ? { ...fit, names: nothing } : withoutFields(fit.body, fields)
    const { body: changed, headers, url: at } = placed({ ...fit, body: left.body })
    const body = serializeBody(request, changed)
    const adapted = [...(lost ?? request.adapted ?? nothing), ...fit.adapted, ...left.names]
    const problem = notLost(adapted, how)
    if (problem !== undefined) return Future.fail(problem)
    const answer = send(at, body, how, headers).flatMap((exchange) => {
      if (!isSuccess(exchange)) {
        return runFuture(how.runtime, refusalError({ exchange, options, url, sent: body, isPassthrough: true }))
      }
      parts.accept(how, fit.betas)
      const read = withTier(passing(protocol, dialect, request, how), tierIn(exchange))
      return acceptAnswer(
        new Answer(read, exchange, {
          passthrough: true,
          adapted,
          secrets: withEntrusted(secrets, request.body),
          ...replyHeaders(dialect, exchange)
        }),
        exchange,
        how
      )
    })
    if (second !== undefined || (protocol.isOwn === true && how.key === undefined)) return answer
    const lesser = (body: JsonObject): PassthroughRequest => ({
      ...request,
      body,
      adapted: [...(request.adapted ?? nothing), "reasoning"]
    })
    /** The second and last try, without what was refused. */
    const again = (error: Failure | UpstreamError): Call | undefined => {
      // Opaque reasoning of another of the upstream's keys.
      if (how.key !== undefined && isOtherKeysReasoning(error)) {
        const body = dialect.withoutReasoning?.(request.body)
        return body && forward(lesser(body), how, { betas: without })
      }
      if (protocol.isOwn === true) return undefined
      const words = messageOf(error)
      const refused = refusedField(words)
      const ofBetas = strict === true ? undefined : protocol.place?.betaRefusal?.(words, fit.betas)
      if (ofBetas !== undefined) {
        const guilty = parts.learn(how, ofBetas)
        if (refused !== undefined) tellRefused(how, name, refused, guilty)
        return forward(request, how, { betas: new Set([...without, ...guilty]) })
      }
      const unsigned = strict === true ? undefined : protocol.unsigned?.(request.body, words)
      if (unsigned !== undefined) return forward(lesser(unsigned), how, { betas: without })
      if (refused === undefined) return undefined
      const { path: field } = refused
      const isLeftOut = strict !== true && withoutField(left.body, field) !== undefined
      tellRefused(how, name, refused, isLeftOut ? [field] : nothing)
      if (isLeftOut && !refused.isOfValue) parts.learnField(how, field)
      return isLeftOut ? forward(request, how, { betas: without, field }) : undefined
    }
    return answer.catchAll((error) => again(error) ?? Future.fail(error))
  }
  return (request: PassthroughRequest, how: GenerateOptions): Call => forward(request, how)
}

const passing = <S>(
  protocol: Protocol<S>,
  dialect: Dialect,
  request: PassthroughRequest,
  how: GenerateOptions
): Reader => {
  const reader =
    dialect.family === "chat"
      ? passthroughChunks(protocol, dialect, request, how.stream)
      : passthroughEvents(protocol, dialect, request.rewrite, how.stream)
  return protocol.framing === undefined ? reader : reframe(reader, protocol.framing)
}

/** Secrets to cut from an upstream's words, with those that the caller entrusts to its tools. */
const withEntrusted = (secrets: () => ReadonlyArray<string>, body: JsonObject): (() => ReadonlyArray<string>) => {
  const entrusted = entrustedIn(body)
  return entrusted.length === 0 ? secrets : () => [...entrusted, ...secrets()]
}

const replyHeaders = (dialect: Dialect, { headers }: Pick<Exchange, "headers">) => {
  const found = dialect.replyHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null || value.length > longestHeader ? [] : [[name, value] as const]
  })
  return found.length > 0 && { replyHeaders: Object.fromEntries(found) }
}

/** Characters. */
const longestHeader = 8_192

const nothing: ReadonlyArray<never> = []

/** OpenAI's refusal of another organisation's reasoning. */
const isOtherKeysReasoning = (error: Failure | UpstreamError): boolean =>
  error._tag === "UpstreamError" &&
  error.failure._tag === "InvalidRequest" &&
  error.failure.upstreamCode === "invalid_encrypted_content"
