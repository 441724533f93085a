import { runFuture } from "../../flow/runFuture.ts"
import { Future } from "../../flow/Future.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { beyondOutput, outputParam } from "../../generation/outputBound.ts"
import type { Generation } from "../../generation/Generation.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { beginCall, withOwn } from "../calls/client.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { addressOf, connectionOf, headersTo, makePlacing, secretsAt } from "../Endpoint.ts"
import { inlineFiles } from "../files/inlineFiles.ts"
import { makePreparing } from "../files/makePreparing.ts"
import { whenReady } from "../files/whenReady.ts"
import { acceptAnswer } from "../calls/acceptAnswer.ts"
import { Answer } from "./generationOf.ts"
import { forwarding } from "./forwarding.ts"
import { continueAnswer } from "./continueAnswer.ts"
import { countTokens, countingTranslated } from "./countTokens.ts"
import { LearnedLimits } from "../outputLimits/LearnedLimits.ts"
import { makeFit } from "../passthrough/makeFit.ts"
import { carriedBy } from "../protocols/fieldFates.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { tellingCost } from "../protocols/toldCost.ts"
import { providerName } from "../configured/providerName.ts"
import { messageOf } from "../calls/messageOf.ts"
import { refusedField, withoutField, withoutFields } from "../calls/refusedField.ts"
import { nothingLeftOut, RefusedParts } from "../calls/RefusedParts.ts"
import { besideEndpoints } from "../passthrough/besideEndpoints.ts"
import { isSuccess, refusalError as refusedCall } from "../calls/refusalError.ts"
import { tellRefused } from "../calls/tellRefused.ts"
import { translatingReader } from "./translatingReader.ts"
import { withTier } from "./withTier.ts"
import { beyondSearch, notLost } from "./unsendable.ts"
import type { TextUpstreamOptions } from "./TextUpstreamOptions.ts"
import type { GenerateOptions, PassthroughRequest, TextUpstream } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** A text upstream that speaks a protocol. */
export const textUpstream = <S>(spoken: Protocol<S>, options: TextUpstreamOptions): TextUpstream => {
  const protocol = options.tellsCost === true ? { ...spoken, step: tellingCost(spoken.step) } : spoken
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
  const { defaults, files } = options
  const prepare = makePreparing(protocol, options)
  const generate = (asked: Conversation, how: GenerateOptions): Call => {
    const preparing = prepare?.(asked, how)
    return preparing === undefined
      ? asking(asked, how, nothing)
      : whenReady(preparing, how, files, ({ adapted, conversation }) => asking(conversation, how, adapted))
  }
  const limits = new LearnedLimits()
  const parts = new RefusedParts()
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
    const full =
      defaults === undefined
        ? lowered.body
        : protocol.withDefaults(lowered.body, defaults, conversation.serviceTier !== undefined)
    const { fields } = how.strict === true ? nothingLeftOut : parts.at(how)
    const { body, names } = fields.length === 0 ? { body: full, names: nothing } : withoutFields(full, fields)
    const adapted = [...extracted, ...lowered.adapted, ...names]
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
    const begin = (body: JsonObject, lost = adapted): Call =>
      mayPause(conversation, how)
        ? round(body, (asked, onFrame) => call(asked, onFrame, lost))
        : call(body, undefined, lost)
    /** The second and last try, without what was refused. */
    const again = (error: Failure | UpstreamError): Call | undefined => {
      const words = messageOf(error)
      const isLast = how.strict === true || isRetry
      const unsigned = isLast ? undefined : protocol.unsigned?.(body, words)
      if (unsigned !== undefined) return begin(unsigned, [...adapted, "reasoning"])
      const most =
        conversation.maxOutputTokens === undefined
          ? undefined
          : limits.learn(how.upstreamModel, conversation, words, lowered.body)
      if (most !== undefined) {
        const adapted = new Set([...extracted, outputParam(conversation)])
        return isLast ? undefined : ask({ ...conversation, maxOutputTokens: most }, how, [...adapted], true)
      }
      const refused = refusedField(words)
      if (refused === undefined) return undefined
      const left = isLast ? undefined : withoutField(body, refused.path)
      tellRefused(how, name, refused, left === undefined ? nothing : [refused.path])
      if (left !== undefined && !refused.isOfValue) parts.learnField(how, refused.path)
      return left && begin(left, [...adapted, refused.path])
    }
    return begin(body).catchAll((error) => again(error) ?? Future.fail(error))
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
  const { beside: places } = protocol
  const beside = places === undefined ? {} : { beside: besideEndpoints(places, endpoint, options) }
  const { name, runsOn = false, sharedIds = [] } = options
  const { signsCalls = false, takesFileIds = false } = protocol
  const carries = carriedBy(protocol.fates)
  const provider = providerName(options)
  const own = { name, provider, runsOn, ...(defaults && { defaults }) }
  const all = { ...own, searches, takesPdf, carries, signsCalls, sharedIds, takesFileIds, generate }
  if (dialect === undefined) return { ...all, ...beside, ...countingTranslated(protocol, options) }
  const fitted = makeFit(protocol, dialect, options)
  const wire = { placed, secrets, send, tierIn, url }
  const passed = forwarding(protocol, dialect, options, wire, { fitted, parts })
  const { fetches } = protocol
  const { inlined } = dialect
  const inlining = (request: PassthroughRequest, how: GenerateOptions): Call => {
    const fetching = fetches && inlined && inlineFiles(request.body, inlined, fetches, files, how)
    return fetching === undefined
      ? passed(request, how)
      : whenReady(fetching, how, files, (body) => passed({ ...request, body }, how))
  }
  return {
    ...all,
    threads: options.threads ?? false,
    passthrough: {
      family: dialect.family,
      refusesDocuments: dialect.refusesDocuments ?? false,
      // Servers of chat completions differ, so that each gets what the caller sends.
      runsServers: options.runsServers === true || dialect.family === "chat",
      send: fetches && inlined ? inlining : passed
    },
    ...countTokens(protocol, dialect, options, fitted, parts),
    searchesInPassthrough: dialect.family === "chat" ? dialect.searches : searches,
    ...beside
  }
}

const nothing: ReadonlyArray<never> = []
