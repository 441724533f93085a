import { listAt, objectAt } from "../../../contract/json.ts"
import { cacheDetails } from "../../../generation/GenerationEvent.ts"
import type { ChunkDialect } from "../../passthrough/Dialect.ts"
import { asStream, gathers, withDeltas } from "./asStream.ts"
import type { Provider } from "./compatible.ts"
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
  body: (body, { callSignatures, knownAs, upstreamModel, stream }, lost = () => {}) => ({
    ...passedFields({ ...body, model: upstreamModel }, ofModel(provider, knownAs ?? upstreamModel), lost),
    stream,
    messages: passedMessages(listAt(body, "messages"), provider, callSignatures),
    // Usage is always requested; `chunks.ts` decides whether the caller sees it.
    stream_options:
      stream && provider.streamUsage
        ? { ...objectAt(body, "stream_options"), include_usage: true }
        : stream
          ? body["stream_options"]
          : undefined
  }),
  usage: (usage) => {
    const prompt_tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
    return {
      prompt_tokens,
      completion_tokens: usage.outputTokens,
      total_tokens: prompt_tokens + usage.outputTokens,
      prompt_tokens_details: cacheDetails(usage),
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens }
    }
  }
})
