import { bearer } from "../../Endpoint.ts"
import { bytesAlone } from "../../files/inlineFiles.ts"
import { chatDialect } from "./chatDialect.ts"
import { completionsPlace } from "./completions.ts"
import { leftOutBy } from "../fieldFates.ts"
import type { Provider } from "./Provider.ts"
import { fatesAt } from "./fates.ts"
import { lower } from "./request.ts"
import type { ChatState } from "./step.ts"
import { begin, end, frames, step } from "./step.ts"
import { openaiBeside } from "../openaiBeside.ts"
import type { Protocol } from "../Protocol.ts"
import { openaiDefaults } from "../servedDefaults.ts"

/** Cohere reranks beside its addresses that are compatible with OpenAI's. */
const rerankBase = (baseUrl: string): string => baseUrl.replace(/\/compatibility\/v1\/?$/, "/v2")

/** `/chat/completions`, as OpenAI, vLLM, Ollama, DeepSeek and many others serve it. */
export const openaiChat = (provider: Provider): Protocol<ChatState> => {
  const fates = fatesAt(provider)
  const leftOut = leftOutBy(fates)
  const { completions } = provider
  return {
    endpoint: { version: "", path: "/chat/completions", headers: bearer },
    models: "/models",
    beside: {
      ...openaiBeside,
      rerank: { path: "/rerank", baseUrl: rerankBase },
      ...(completions && { completions: completionsPlace(completions) })
    },
    searches: false,
    fates,
    isOwn: provider.isOwn,
    dialect: chatDialect(provider),
    takesDocument: (mediaType) => provider.documents === true && mediaType === "application/pdf",
    // The dialect has no addresses of documents.
    fetches: {
      document: bytesAlone.document,
      ...(provider.bytesAlone && { image: provider.images instanceof RegExp ? provider.images : bytesAlone.image })
    },
    signsCalls: provider.signsCalls !== undefined,
    lower: (conversation, options) => lower(conversation, options, provider, leftOut),
    withDefaults: openaiDefaults,
    begin: (back) => begin(back, provider),
    step,
    // Reasoning in tags begins and ends inside a text.
    end,
    frames
  }
}
