import { Struct } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Demand } from "../generation/Demand.ts"
import { isHostedCall } from "../contract/records/HostedCall.ts"
import type { HostedCall } from "../contract/records/HostedCall.ts"
import type { Served } from "../contract/records/Served.ts"
import { mostOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import type { MostUsage } from "../ledger/cost.ts"
import { hasHourMark } from "../generation/cacheMarks.ts"
import { modalTokens } from "../tokens/tokens.ts"
import type { ModalTokens } from "../tokens/tokens.ts"
import { kinds } from "../contract/kinds.ts"
import type { Ways } from "./waysServed.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Admitted } from "./admit.ts"
import { mostInput, refers } from "./mostInput.ts"
import { isPieceMeasure, pieceMeasures, readPieces } from "../contract/records/measures.ts"
import { measures } from "../contract/records/measureTable.ts"
import type { PieceCounts } from "../contract/records/measures.ts"

/** Output tokens held for a request without a bound of its own or of its model. */
const unboundedOutput = 16_384
/** Searches, and calls of other tools, held for a request that sets no maximum. */
const unboundedCalls = 5
const unboundedImages = 4
/** Output tokens held for an image of a tool. */
const imageTokens = 16_384
/** Output tokens held for a compaction, whose input is the whole conversation. */
const compacted = 4_096

/** The maximum usage of a request. */
export interface Most extends MostUsage {
  /** The gateway's count of the input. */
  readonly countedTokens: number
}

/** The maximum usage of a request: its own bounds, otherwise its model's, otherwise the usual ones. */
export const mostUsed = (
  conversation: Conversation,
  { model, mostOutput, mostWritten = unboundedOutput }: Pick<Admitted, "model" | "mostOutput" | "mostWritten">,
  countedTokens: number,
  demands: ReadonlyArray<Demand>
): Most => {
  const left = model.contextTokens === undefined ? Infinity : Math.max(0, model.contextTokens - countedTokens)
  const search = conversation.tools.find((tool) => tool.type === "search")
  const asked = demands.flatMap(({ mostCalls, of }) => (of === "web_search" ? [mostCalls ?? unboundedCalls] : []))
  const searches = Math.max(search === undefined ? 0 : (search.maxUses ?? unboundedCalls), ...asked)
  const calls = callsOf(demands)
  const inputTokens = mostInput(
    conversation,
    model,
    countedTokens,
    calls.reduce((sum, [, most]) => sum + most, searches)
  )
  const outputTokens = Math.min(conversation.maxOutputTokens ?? Math.min(left, mostWritten), mostOutput)
  const besides = demands.flatMap((demand) => besidesOf(demand, { countedTokens, inputTokens, outputTokens }))
  const modal = modalOf(conversation, model, demands, inputTokens / Math.max(1, countedTokens))
  return {
    countedTokens,
    inputTokens,
    outputTokens,
    searches,
    ...(modal !== undefined && { modal }),
    writesSound:
      kinds[model.kind].writes === "audio" || demands.some(({ of, param }) => of === "audio" && isSoundOut(param)),
    cachesLong: mayCacheLong(conversation, demands),
    ...(calls.length > 0 && { calls: Object.fromEntries(calls) }),
    ...(demands.length > 0 && piecesAsked(demands)),
    ...(besides.length > 0 && { besides })
  }
}

/** Fields that ask for sound in the answer. */
const soundOut: ReadonlySet<string> = new Set(["modalities", "audio"])
const lastOf = (param: string): string => param.slice(param.lastIndexOf(".") + 1)
const isSoundOut = (param: string): boolean => soundOut.has(lastOf(param))

/**
 * The input tokens that are no text; undefined if that is not known: parts that only the upstream reads may be anything.
 *
 * @param times how often the input may be read
 */
const modalOf = (
  conversation: Conversation,
  model: Model,
  demands: ReadonlyArray<Demand>,
  times: number
): ModalTokens | undefined => {
  const isUnknown = (conversation.unknownBytes ?? 0) > 0 || demands.some(isSpoken)
  if (isUnknown || !kinds[model.kind].readsAtOnce || conversation.items.some(refers)) return undefined
  const { audio, image, video } = modalTokens(conversation)
  return { audio: Math.ceil(audio * times), image: Math.ceil(image * times), video: Math.ceil(video * times) }
}

/** True for a conversation by sound: of earlier answers only the ids are known. */
const isSpoken = ({ of, param }: Demand): boolean => of === "audio" && isSoundOut(param)

/** True if a cache entry may live for an hour or longer. Parts that only the upstream reads may ask for it. */
const mayCacheLong = (conversation: Conversation, demands: ReadonlyArray<Demand>): boolean =>
  conversation.cacheRetention === "24h" ||
  (conversation.unknownBytes ?? 0) > 0 ||
  demands.some(({ of }) => of === "long_cache") ||
  hasHourMark(conversation)

/** The generations that the provider may run for a demand. */
const besidesOf = (
  { model, mostCalls, of, param }: Demand,
  { countedTokens, inputTokens, outputTokens }: Pick<Most, "countedTokens" | "inputTokens" | "outputTokens">
): Array<MostUsage> => {
  if (of === "compaction") return [{ inputTokens, outputTokens: compacted, searches: 0 }]
  if (model === undefined) return []
  if (of === "other_model") {
    // A model that answers in place of the first one may write all of the output.
    const most = lastOf(param).startsWith("fallbacks") ? Math.max(compacted, outputTokens) : compacted
    return [{ model, inputTokens, outputTokens: most, searches: 0 }]
  }
  const images = mostCalls ?? unboundedImages
  const tokens = { inputTokens: images * countedTokens, outputTokens: images * imageTokens }
  return [{ model, tool: "image_generation", ...tokens, searches: 0 }]
}

/** The most calls of each tool that the provider runs and bills, without searches. */
const callsOf = (demands: ReadonlyArray<Demand>): ReadonlyArray<readonly [HostedCall, number]> => {
  const most = new Map<HostedCall, number>()
  for (const { mostCalls, of } of demands) {
    if (of === "web_search" || !isHostedCall(of)) continue
    const usual = of === "image_generation" ? unboundedImages : unboundedCalls
    most.set(of, Math.max(most.get(of) ?? 0, mostCalls ?? usual))
  }
  return [...most]
}

/** The pieces of each measure that is priced by the piece: the most, or by another count. */
const piecesAsked = (
  demands: ReadonlyArray<Demand>,
  count = ({ mostCalls = 1 }: Demand): number => mostCalls
): PieceCounts =>
  Object.fromEntries(
    demands.flatMap((demand) => (isPieceMeasure(demand.of) ? [[measures[demand.of].name, count(demand)] as const] : []))
  )

interface AskedRequest {
  readonly attempts: { readonly sent: { readonly count: number } }
  readonly demands: ReadonlyArray<Demand>
}

/** The pieces that an upstream has read once it was asked. */
export const piecesRead = ({ attempts, demands }: AskedRequest): PieceCounts =>
  attempts.sent.count === 0 ? {} : Struct.pick(piecesAsked(demands, piecesIn), ...readPieces)

const piecesIn = ({ counted, mostCalls = 1 }: Demand): number => counted ?? mostCalls

/** The tokens of one answer that budgets of tokens hold: without a bound of its own, the usual output. */
export const heldTokens = (
  { besides = [], countedTokens, outputTokens }: Most,
  { caller, conversation, model }: Omit<HeldFor, "answers" | "ways">
): number =>
  countedTokens +
  heldOutput(caller, model, Math.min(outputTokens, conversation.maxOutputTokens ?? unboundedOutput)) +
  (besides.length > 0 ? countedTokens + compacted : 0)

/** The output tokens to hold for this maximum. The operator may hold only part of it. */
export const heldOutput = (caller: Caller, model: Model, outputTokens: number): number =>
  Math.min(outputTokens, model.holdOutputTokens ?? Infinity, caller.holdOutputTokens ?? Infinity)

interface HeldFor {
  /** The ways in which the routes of the price may serve it. The dearest is held. */
  readonly ways: Ways
  /** The number of answers, each with that maximum. */
  readonly answers: number
  readonly caller: Caller
  readonly conversation: Conversation
  readonly model: Model
}

/** The maximum cost of one answer that may be served in several ways. */
export const mostServed = (price: Price, most: Most, ways: Ways): number =>
  Math.max(...ways.map((served) => mostOf(price, { ...most, served })))

/** The way with the highest maximum cost. */
export const dearestWay = (price: Price, most: Most, ways: Ways): Served =>
  ways.find((served) => mostOf(price, { ...most, served }) === mostServed(price, most, ways)) ?? ways[0]

/** The amount of the hold in nano-dollars, and how it was computed. */
export const heldFor = (price: Price, most: Most, { answers, caller, conversation, model, ways }: HeldFor) => {
  const outputTokens = heldOutput(caller, model, most.outputTokens)
  return {
    nanoUsd: answers * mostServed(price, { ...most, outputTokens }, ways),
    because: () => {
      const named = conversation.maxOutputTokens === undefined ? "" : ` (${conversation.outputParam ?? "its bound"})`
      const searches = most.searches === 0 ? "" : ` and ${most.searches} searches`
      const calls = Object.entries(most.calls ?? {}).map(([tool, count]) => `, ${count} calls of ${tool}`)
      const pieces = pieceMeasures.flatMap((one) => {
        const count = most[measures[one].name] ?? 0
        return count === 0 ? [] : [`, ${count} ${measures[one].words}`]
      })
      const besides = most.besides === undefined ? "" : ", and its compaction"
      const output =
        outputTokens === most.outputTokens
          ? `${outputTokens} tokens of output${named}`
          : `${outputTokens} of at most ${most.outputTokens} tokens of output${named}, as hold_output_tokens says`
      const times = answers === 1 ? "" : `, for each of ${answers} answers`
      return `for ${most.inputTokens} tokens of input, ${output}${searches}${calls.join("")}${pieces.join("")}${besides}${times}`
    }
  }
}
