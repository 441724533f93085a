import { Effect, Runtime } from "effect"
import { runFuture } from "../../flow/runFuture.ts"
import { Future } from "../../flow/Future.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { entrustedIn } from "../../contract/callers/entrusted.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { beyondOutput, outputParam } from "../../generation/outputBound.ts"
import type { Generation } from "../../generation/Generation.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { beginCall, withOwn } from "../calls/client.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { addressOf, connectionOf, headersTo, makePlacing, secretsAt } from "../Endpoint.ts"
import { extractDocuments } from "./extractDocuments.ts"
import { acceptAnswer } from "../calls/acceptAnswer.ts"
import { Answer } from "./generationOf.ts"
import type { Reader } from "./generationOf.ts"
import { continueAnswer } from "./continueAnswer.ts"
import { countTokens, countingTranslated } from "./countTokens.ts"
import { LearnedLimits } from "../outputLimits/LearnedLimits.ts"
import { passthroughChunks } from "../passthrough/chunks.ts"
import type { Dialect } from "../passthrough/Dialect.ts"
import { makeFit } from "../passthrough/makeFit.ts"
import { passthroughEvents } from "../passthrough/events.ts"
import { reframe } from "../passthrough/reframe.ts"
import { carriedBy } from "../protocols/fieldFates.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { tellingCost } from "../protocols/toldCost.ts"
import { namesTier } from "../protocols/servedDefaults.ts"
import { providerName } from "../configured/providerName.ts"
import { RefusedBetas } from "../calls/RefusedBetas.ts"
import { wholeEndpoints } from "../passthrough/wholePassthrough.ts"
import { isSuccess, refusalError as refusedCall } from "../calls/refusalError.ts"
import { translatingReader } from "./translatingReader.ts"
import { withTier } from "./withTier.ts"
import { beyondSearch, notLost } from "./unsendable.ts"
import { serializeBody } from "../calls/serializeBody.ts"
import type { TextUpstreamOptions } from "./TextUpstreamOptions.ts"
import type { GenerateOptions, PassthroughRequest, TextUpstream } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** A text upstream that speaks a protocol. */
export const textUpstream = <S>(spoken: Protocol<S>, options: TextUpstreamOptions): TextUpstream => {
  const protocol = options.tellsCost === true ? tellingCost(spoken) : spoken
  const { dialect, endpoint, searches } = protocol
  const url = addressOf(endpoint, options.baseUrl, endpoint.path)
  const secrets = secretsAt(options, url)
  const connection = connectionOf(options)
  const takesPdf = protocol.takesDocument("application/pdf")
  /** The headers of requests that add none, computed once. */
  let usual: Readonly<Record<string, string>> | undefined
  const placed = makePlacing(endpoint, options.baseUrl, endpoint.path)
  const send = (
    url: string,
    body: string,
    { attempt, deadlines: own, trace }: GenerateOptions,
    more?: Readonly<Record<string, string>>
  ) => {
    const added = trace === undefined ? more : { ...more, ...trace }
    const headers = added === undefined ? (usual ??= headersTo(endpoint, options)) : headersTo(endpoint, options, added)
    const deadlines = withOwn(options.deadlines, own)
    return beginCall({ url, headers, body, deadlines, attempt, ...connection })
  }
  const { defaults } = options
  const generate = (asked: Conversation, how: GenerateOptions): Call => {
    const extracting = takesPdf ? undefined : extractDocuments(asked, options.readDocument)
    if (extracting === undefined) return asking(asked, how, nothing)
    const prepared = how.attempt?.prepares()
    return runFuture(how.runtime, extracting).flatMap((conversation) => {
      prepared?.()
      return asking(conversation, how, ["document"])
    })
  }
  const limits = new LearnedLimits()
  /** Asks for no more output than the upstream allows, as far as it has said so. */
  const asking = (conversation: Conversation, how: GenerateOptions, extracted: ReadonlyArray<string>): Call => {
    const most = limits.mostFor(how.upstreamModel, conversation)
    if (most === undefined) return ask(conversation, how, extracted)
    if (how.strict === true) return Future.fail(beyondOutput(conversation, most))
    return ask({ ...conversation, maxOutputTokens: most }, how, [...extracted, outputParam(conversation)])
  }
  /**
   * @param extracted names of the parts that became text or were cut
   * @param isRetry true with the output bound that the upstream named when it refused the request
   */
  const ask = (
    conversation: Conversation,
    how: GenerateOptions,
    extracted: ReadonlyArray<string>,
    isRetry = false
  ): Call => {
    const lowered = protocol.lower(conversation, {
      model: how.upstreamModel,
      knownAs: how.knownAs,
      key: how.key,
      stream: how.stream,
      cachesAll: options.cachesAll ?? false,
      guardrail: options.guardrail,
      callSignatures: how.callSignatures
    })
    const adapted = [...extracted, ...lowered.adapted]
    const problem = lowered.refused ?? notLost(adapted, how) ?? beyondSearch(lowered, conversation)
    if (problem !== undefined) return Future.fail(problem)
    const call = (asked: JsonObject, onFrame?: (frame: JsonObject) => void, lost = adapted) => {
      const { body: sent, url: at } = placed({ body: asked, headers: undefined })
      const body = JSON.stringify(sent)
      return send(at, body, how).flatMap((exchange) =>
        isSuccess(exchange)
          ? acceptAnswer(
              new Answer(
                withTier(
                  translatingReader(protocol, lowered, { onFrame, model: how.upstreamModel, key: how.key }),
                  tierIn(exchange)
                ),
                exchange,
                {
                  adapted: lost,
                  secrets
                }
              ),
              exchange,
              how
            )
          : runFuture(how.runtime, refusedCall({ exchange, options, url, sent: body, isPassthrough: false }))
      )
    }
    const body =
      defaults === undefined
        ? lowered.body
        : protocol.withDefaults(lowered.body, defaults, conversation.serviceTier !== undefined)
    const once = mayPause(conversation, how) ? round(body, call) : call(body)
    const answer =
      protocol.unsigned === undefined
        ? once
        : once.catchAll((error) => {
            const unsigned = how.strict === true ? undefined : protocol.unsigned?.(body, messageOf(error))
            return unsigned === undefined ? Future.fail(error) : call(unsigned, undefined, [...adapted, "reasoning"])
          })
    if (conversation.maxOutputTokens === undefined) return answer
    return answer.catchAll((error) => {
      const most = limits.learn(how.upstreamModel, conversation, messageOf(error), lowered.body)
      if (most === undefined || how.strict === true || isRetry) return Future.fail(error)
      const adapted = new Set([...extracted, outputParam(conversation)])
      return ask({ ...conversation, maxOutputTokens: most }, how, [...adapted], true)
    })
  }
  const tierIn = ({ headers }: Exchange): string | undefined =>
    protocol.tierHeader === undefined ? undefined : (headers.get(protocol.tierHeader) ?? undefined)
  type Ask = (body: JsonObject, onFrame: (frame: JsonObject) => void) => Call
  /** Sends the request, and the next ones if the answer pauses. */
  const round = (body: JsonObject, ask: Ask): Call => {
    let asked = body
    let answer = dialect?.gathers()
    const once = () => ask(asked, (frame) => answer?.add(frame))
    const goOn = (used: Usage) => {
      const rest = protocol.goesOn?.(asked, answer?.whole(false), used)
      if (rest === undefined) return undefined
      asked = rest
      answer = dialect?.gathers()
      return once()
    }
    return once().map((first) => continueAnswer(first, goOn))
  }
  /** True if tools of the upstream may pause the answer and the caller's dialect has no pauses. */
  const mayPause = ({ tools }: Conversation, { family }: GenerateOptions) =>
    protocol.goesOn !== undefined && family !== "messages" && tools.some(({ type }) => type === "search")
  const { whole: places } = protocol
  const whole = places === undefined ? {} : { whole: wholeEndpoints(places, endpoint, options) }
  const { name, runsOn = false, sharedIds = [] } = options
  const { signsCalls = false, takesFileIds = false } = protocol
  const carries = carriedBy(protocol.fates)
  const provider = providerName(options)
  const own = { name, provider, runsOn, ...(defaults && { defaults }) }
  const all = { ...own, searches, takesPdf, carries, signsCalls, sharedIds, takesFileIds, generate }
  if (dialect === undefined) return { ...all, ...whole, ...countingTranslated(protocol, options) }
  const betas = new RefusedBetas()
  const fitted = makeFit(protocol, dialect, options)
  /** @param refused betas to leave out of a second try, once the place has refused them */
  const forward = (request: PassthroughRequest, how: GenerateOptions, refused?: ReadonlySet<string>): Call => {
    let lost: Set<string> | undefined
    const { upstreamModel: model, strict } = how
    const ownBody = dialect.body(request.body, how, (param) => (lost ??= new Set(request.adapted)).add(param))
    const passedBody =
      defaults === undefined ? ownBody : protocol.withDefaults(ownBody, defaults, namesTier(request.body))
    const without = refused ?? (strict === true ? noNames : betas.at(model))
    const fit = fitted({ ...request, body: passedBody }, how, without)
    const { body: changed, headers, url: at } = placed(fit)
    const body = serializeBody(request, changed)
    const adapted = [...(lost ?? request.adapted ?? nothing), ...fit.adapted]
    const problem = notLost(adapted, how)
    if (problem !== undefined) return Future.fail(problem)
    const answer = send(at, body, how, headers).flatMap((exchange) => {
      if (!isSuccess(exchange)) {
        return runFuture(how.runtime, refusedCall({ exchange, options, url, sent: body, isPassthrough: true }))
      }
      betas.accept(model, fit.betas)
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
    if (fit.betas.length === 0 || strict === true || refused !== undefined) return answer
    return answer.catchAll((error) => {
      const refusal = protocol.place?.betaRefusal?.(messageOf(error), fit.betas)
      if (refusal === undefined) return Future.fail(error)
      const guilty = betas.learn(model, refusal)
      tellRefused(how, { upstream: name, model, betas: guilty.join(", "), said: messageOf(error) })
      return forward(request, how, new Set([...without, ...guilty]))
    })
  }
  /** Opaque reasoning of another of the upstream's keys is left out, once it is refused. */
  const passed = (request: PassthroughRequest, how: GenerateOptions): Call =>
    how.key === undefined
      ? forward(request, how)
      : forward(request, how).catchAll((error) => {
          const body = isOtherKeysReasoning(error) ? dialect.withoutReasoning?.(request.body) : undefined
          if (body === undefined) return Future.fail(error)
          return forward({ ...request, body, adapted: [...(request.adapted ?? nothing), "reasoning"] }, how)
        })
  return {
    ...all,
    threads: options.threads ?? false,
    passthrough: { family: dialect.family, send: passed },
    ...countTokens(protocol, dialect, options, fitted, betas),
    searchesInPassthrough: dialect.family === "chat" ? dialect.searches : searches,
    ...whole
  }
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

/** Tells the operator that the table of places is behind. */
const tellRefused = ({ requestId, runtime }: GenerateOptions, line: Readonly<Record<string, string>>): void =>
  void Runtime.runFork(runtime)(
    Effect.logWarning("an upstream refused betas: sent again without them").pipe(
      Effect.annotateLogs({ requestId, ...line })
    )
  )

const noNames: ReadonlySet<string> = new Set<never>()

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

/** The upstream's words about the request; empty if the failure is about something else. */
const messageOf = (error: Failure | UpstreamError): string => {
  const failure = error._tag === "UpstreamError" ? error.failure : error
  return failure._tag === "InvalidRequest" ? failure.message : ""
}

/** OpenAI's refusal of another organisation's reasoning. */
const isOtherKeysReasoning = (error: Failure | UpstreamError): boolean =>
  error._tag === "UpstreamError" &&
  error.failure._tag === "InvalidRequest" &&
  error.failure.upstreamCode === "invalid_encrypted_content"
