import { inputOf } from "../../../contract/records/measures.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt } from "../../../contract/json/json.ts"
import { cacheDetails } from "../../../generation/GenerationEvent.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import type { ChunkDialect } from "../../passthrough/Dialect.ts"
import { asStream, gathers, withDeltas } from "./asStream.ts"
import type { Provider } from "./Provider.ts"
import { inlined } from "./inlined.ts"
import { ofModel } from "./ofModel.ts"
import { passedFields } from "./passedFields.ts"
import { passedMessages } from "./passedMessages.ts"
import { PassedDetails } from "./reasoningDetails.ts"
import { citationMarks, searchesIn } from "./searches.ts"
import { signedIn } from "./signedCalls.ts"

/** How signatures are read from chunks that pass through, and the marks of those chunks. */
const signing: Readonly<
  Record<NonNullable<Provider["signsCalls"]> | "nothing", Pick<ChunkDialect, "marks" | "signing">>
> = {
  nothing: { marks: [] },
  thought_signature: { marks: ['"thought_signature"'], signing: () => ({ read: signedIn, end: () => [] }) },
  reasoning_details: { marks: ['"reasoning_details"', '"tool_calls"'], signing: () => new PassedDetails() }
}

/** Chat completions to an upstream of the dialect. */
export const chatDialect = (provider: Provider): ChunkDialect => ({
  family: "chat",
  headers: [],
  replyHeaders: [],
  searches: provider.webSearch,
  searchesIn,
  citationMarks,
  isLast: () => false,
  gathers,
  asStream,
  mended: withDeltas,
  ...signing[provider.signsCalls ?? "nothing"],
  ...(provider.bytesAlone && { inlined }),
  refusesDocuments: provider.documents === false,
  body: (body, { callSignatures, knownAs, upstreamModel, stream }, lost = () => {}) => {
    const row = ofModel(provider, knownAs ?? upstreamModel)
    const given = listAt(body, "messages")
    if (row.refusesInMessages.has("images") && given.some(hasImages)) lost("messages[].images")
    const messages = passedMessages(given, row, callSignatures)
    return {
      ...passedFields({ ...body, model: upstreamModel, messages }, row, lost),
      stream,
      stream_options: stream ? streamOptions(body, row) : undefined
    }
  },
  usage: chatUsage
})

/** True for an answer of a model that makes images. */
const hasImages = (message: unknown): boolean => listAt(message, "images").length > 0

/** Usage is always requested; `chunks.ts` decides whether the caller sees it. */
const streamOptions = (body: JsonObject, { refuses, streamUsage }: Provider): unknown => {
  if (streamUsage) return { ...objectAt(body, "stream_options"), include_usage: true }
  return refuses.has("stream_options") ? undefined : body["stream_options"]
}

/** Usage in the dialect's form. */
export const chatUsage = (usage: Usage): JsonObject => {
  const prompt_tokens = inputOf(usage)
  return {
    prompt_tokens,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt_tokens + usage.outputTokens,
    prompt_tokens_details: cacheDetails(usage),
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens }
  }
}
