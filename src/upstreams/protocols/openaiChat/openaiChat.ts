import { bearer } from "../../Endpoint.ts"
import { chatDialect } from "./chatDialect.ts"
import type { Provider } from "./compatible.ts"
import { lower } from "./request.ts"
import type { ChatState } from "./step.ts"
import { begin, end, frames, step } from "./step.ts"
import type { Protocol } from "../Protocol.ts"

/** `/chat/completions`, as OpenAI, vLLM, Ollama, DeepSeek and many others serve it. */
export const openaiChat = (provider: Provider): Protocol<ChatState> => ({
  endpoint: { version: "", path: "/chat/completions", headers: bearer },
  models: "/models",
  embeddings: "/embeddings",
  searches: false,
  carries: provider.carries,
  dialect: chatDialect(provider),
  takesDocument: (mediaType) => provider.documents && mediaType === "application/pdf",
  signsCalls: provider.signsCalls !== undefined,
  lower: (conversation, options) => lower(conversation, options, provider),
  begin: (back) => begin(back, provider),
  step,
  // Reasoning in tags begins and ends inside a text.
  end,
  frames
})
