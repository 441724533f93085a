import type { RequestFates } from "../dispatch/requestFates.ts"
import type { AnyRequest, CreateMessage } from "./Request.ts"

/** The fate of each field where the upstream speaks another dialect. */
export const fates: RequestFates<CreateMessage, AnyRequest> = {
  model: "own",
  messages: { becomes: ["items", "cacheMarks"] },
  system: { becomes: ["system", "cacheMarks"] },
  tools: { becomes: ["tools", "cacheMarks"] },
  tool_choice: { becomes: ["toolChoice", "parallelToolCalls"] },
  thinking: {
    becomes: ["enabled", "budgetTokens", "summary"],
    loses: {
      // Only Anthropic shows thinking in these ways. It is shown in the usual way.
      "thinking.display": ({ thinking }) =>
        thinking?.type !== "disabled" && (thinking?.display === "updates" || thinking?.display === "highlights")
    }
  },
  output_config: { becomes: ["effort", "format"] },
  output_format: { becomes: ["format"] },
  cache_control: { becomes: ["cacheMarks"] },
  max_tokens: { becomes: ["maxOutputTokens"] },
  stream: "own",
  async: "own",
  temperature: { becomes: ["temperature"] },
  top_p: { becomes: ["topP"] },
  top_k: { becomes: ["topK"] },
  stop_sequences: { becomes: ["stopSequences"] },
  thread: "own",
  metadata: { becomes: ["endUser"] }
}
