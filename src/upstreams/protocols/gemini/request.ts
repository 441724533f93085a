import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { CallSignatures } from "../../Upstream.ts"
import { backOf } from "../back.ts"
import { withoutBilling } from "../billing.ts"
import { nameLeftOut } from "../fieldFates.ts"
import type { Notes } from "../notes.ts"
import { formatParam, jsonHint, takeNotes } from "../notes.ts"
import type { Lowered, LowerOptions } from "../Protocol.ts"
import { fitSchema, schemaRules } from "../schemas.ts"
import { contentsOf } from "./contents.ts"
import { leftOut } from "./fates.ts"
import { traitsOf } from "./models.ts"
import type { Traits } from "./models.ts"
import { thinkingConfig } from "./thinking.ts"
import { toolsOf } from "./tools.ts"

/** The most stop sequences that the dialect takes. The gateway searches for the others. */
export const mostStops = 5

const noSignatures: CallSignatures = new Map()

/** The tiers that Gemini has. Any other is named as left out. */
const tierOf = (tier: string | undefined, notes: Notes): JsonObject => {
  if (tier === undefined || tier === "default") return {}
  const known = tier === "fast" ? "priority" : tier
  if (known === "flex" || known === "priority" || known === "standard") return { serviceTier: known }
  notes.adapt("service_tier")
  return {}
}

/** A conversation as a request. `model` and `stream` move to the path when it is sent. */
export const lower = (asked: Conversation, options: LowerOptions): Lowered => lowerAt("Google", asked, options)

/** The same at Vertex. */
export const lowerAtVertex = (asked: Conversation, options: LowerOptions): Lowered => lowerAt("Vertex", asked, options)

const lowerAt = (place: Place, asked: Conversation, options: LowerOptions): Lowered => {
  const notes = takeNotes()
  const model = options.knownAs ?? options.model
  const traits = traitsOf(model)
  const conversation = withFormatHint(withoutBilling(asked, notes.adapt), traits, notes)
  nameLeftOut(conversation, leftOut, notes)
  const back = backOf(conversation)
  const signsImages = traits.signs && model.includes("image")
  const to = { traits, signsImages, signatures: options.callSignatures ?? noSignatures }
  const { contents, system } = contentsOf(conversation, to, back, notes)
  if (contents.length === 0) {
    notes.refuse(conversation.inputParam ?? "input", "holds nothing that the model's upstream takes")
  }
  const thinking = thinkingConfig(conversation, traits, notes)
  const generationConfig = {
    ...bounds(conversation),
    ...carried(conversation, traits, place, notes),
    ...(conversation.modalities === undefined ? {} : modalities(conversation.modalities, model, notes)),
    ...format(conversation, notes),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking })
  }
  const body: JsonObject = {
    model: options.model,
    stream: options.stream,
    contents,
    ...tierOf(conversation.serviceTier, notes),
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...toolsOf(conversation, traits.mixesTools && place === "Google", back, notes),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig })
  }
  return {
    body,
    adapted: notes.adapted(),
    refused: notes.refused(),
    back,
    stops: conversation.stopSequences.slice(mostStops)
  }
}

/** An answer's format in words and as plain text, for a model that refuses it beside functions. */
const withFormatHint = (conversation: Conversation, traits: Traits, notes: Notes): Conversation => {
  const { format, system, tools } = conversation
  if (format.type === "text" || traits.mixesTools || !tools.some(({ type }) => type !== "search")) return conversation
  notes.adapt(formatParam(conversation))
  return { ...conversation, format: { type: "text" }, system: [...system, jsonHint(format)] }
}

const bounds = ({ maxOutputTokens, sampling, stopSequences }: Conversation): JsonObject => ({
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
  ...(sampling.topP === undefined ? {} : { topP: sampling.topP }),
  ...(sampling.topK === undefined ? {} : { topK: sampling.topK }),
  ...(stopSequences.length === 0 ? {} : { stopSequences: stopSequences.slice(0, mostStops) })
})

type Place = "Google" | "Vertex"

/** Fields that some generations of models have, at some places. */
const carried = (
  { logprobs, penalties, seed, stopSequences }: Conversation,
  traits: Traits,
  place: Place,
  notes: Notes
): JsonObject => {
  const hasLogprobs = traits.logprobs === "everywhere" || traits.logprobs === place
  // A text in which stop sequences are searched is cut elsewhere than between tokens.
  const tellsLogprobs = logprobs !== undefined && hasLogprobs && stopSequences.length <= mostStops
  if (logprobs !== undefined && !tellsLogprobs) notes.adapt(logprobs.param)
  const { frequency, presence } = penalties ?? {}
  if (frequency !== undefined && !traits.penalties) notes.adapt("frequency_penalty")
  if (presence !== undefined && !traits.penalties) notes.adapt("presence_penalty")
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(frequency === undefined || !traits.penalties ? {} : { frequencyPenalty: frequency }),
    ...(presence === undefined || !traits.penalties ? {} : { presencePenalty: presence }),
    ...(tellsLogprobs && { responseLogprobs: true, ...(logprobs.value > 0 && { logprobs: logprobs.value }) })
  }
}

/** Other models refuse to be asked for images. */
const modalities = (wanted: ReadonlyArray<string>, model: string, notes: Notes): JsonObject => {
  if (!model.includes("image") || !wanted.every((kind) => kind === "text" || kind === "image")) {
    notes.adapt("modalities")
    return {}
  }
  return { responseModalities: wanted.map((kind) => kind.toUpperCase()) }
}

const format = (conversation: Conversation, notes: Notes): JsonObject => {
  const { format } = conversation
  if (format.type === "text") return {}
  if (format.type === "json") return { responseMimeType: "application/json" }
  const { isLoosened, schema } = fitSchema(format.schema, schemaRules.geminiAnswers.held)
  if (isLoosened) notes.adapt(formatParam(conversation))
  const { description } = format
  return {
    responseMimeType: "application/json",
    responseJsonSchema: description === undefined || "description" in schema ? schema : { description, ...schema }
  }
}
