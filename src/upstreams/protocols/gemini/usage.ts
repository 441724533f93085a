import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { noUsage } from "../../../generation/GenerationEvent.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { inputParts, outputParts, some } from "../tokenParts.ts"
import type { Modality } from "../../../contract/records/measureTable.ts"
import type { Modal } from "../tokenParts.ts"

/**
 * The usage of a frame; undefined if it has none, which is not zero. Counts of zero are left out. Cached tokens are part
 * of the prompt's, thoughts are no part of the candidates'.
 *
 * @param searches how many the answer has run so far
 */
export const usageIn = (frame: JsonObject, searches: number): Usage | undefined => {
  const usage = objectAt(frame, "usageMetadata")
  const [prompt, total] = [countAt(usage, "promptTokenCount"), countAt(usage, "totalTokenCount")]
  if (prompt === undefined && total === undefined) return undefined
  const input = (prompt ?? 0) + (countAt(usage, "toolUsePromptTokenCount") ?? 0)
  const cached = Math.min(input, countAt(usage, "cachedContentTokenCount") ?? 0)
  const thoughts = countAt(usage, "thoughtsTokenCount") ?? 0
  return {
    ...noUsage,
    inputTokens: input - cached,
    cacheReadTokens: cached,
    outputTokens: (countAt(usage, "candidatesTokenCount") ?? 0) + thoughts,
    reasoningTokens: thoughts,
    searches,
    ...partsOf(usage, input, cached),
    ...outputParts(modalIn(usage, "candidatesTokensDetails")),
    ...trafficOf(textAt(usage, "trafficType"))
  }
}

/** The input by modality. Tokens from the cache are split too, if the frame lists them. */
const partsOf = (usage: JsonObject | undefined, input: number, cached: number) => {
  const prompt = modalIn(usage, "promptTokensDetails")
  const tools = modalIn(usage, "toolUsePromptTokensDetails")
  const whole = {
    audio: (prompt.audio ?? 0) + (tools.audio ?? 0),
    image: (prompt.image ?? 0) + (tools.image ?? 0),
    video: (prompt.video ?? 0) + (tools.video ?? 0)
  }
  if (listAt(usage, "cacheTokensDetails").length === 0) return inputParts(input, cached, whole)
  const { audio = 0, image = 0, video = 0 } = modalIn(usage, "cacheTokensDetails")
  return {
    ...some("audioInputTokens", whole.audio - audio),
    ...some("audioReadTokens", audio),
    ...some("imageInputTokens", whole.image - image),
    ...some("imageReadTokens", image),
    ...some("videoInputTokens", whole.video - video),
    ...some("videoReadTokens", video)
  }
}

const modalIn = (usage: JsonObject | undefined, list: string): Modal => {
  const counts: { audio?: number; image?: number; video?: number } = {}
  for (const detail of listAt(usage, list)) {
    const name = modalities.get(textAt(detail, "modality") ?? "")
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + (countAt(detail, "tokenCount") ?? 0)
  }
  return counts
}

/** Documents are text. */
const modalities: ReadonlyMap<string, Modality> = new Map([
  ["AUDIO", "audio"],
  ["IMAGE", "image"],
  ["VIDEO", "video"]
])

/** Vertex tells the tier here: `ON_DEMAND_PRIORITY`, and `PROVISIONED_THROUGHPUT` for what is paid in advance. */
const trafficOf = (traffic: string | undefined): Pick<Usage, "served"> => {
  const tier = traffic?.replace(/^ON_DEMAND(?:_|$)/, "").toLowerCase()
  return tier === undefined || tier === "" || tier === "traffic_type_unspecified" ? {} : { served: { tier } }
}
