import type { Provider } from "./openaiChat/compatible.ts"
import { lower } from "./openaiChat/request.ts"
import type { State } from "./openaiChat/step.ts"
import { begin, end, frames, step } from "./openaiChat/step.ts"
import type { Protocol } from "./Protocol.ts"

/** `/chat/completions`, as OpenAI, vLLM, Ollama, DeepSeek and many others serve it. */
export const openaiChat = (provider: Provider): Protocol<State> => ({
  path: "/chat/completions",
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  takesDocument: (mediaType) => provider.documents && mediaType === "application/pdf",
  lower: (conversation, options) => lower(conversation, options, provider),
  begin,
  step,
  end,
  frames
})
