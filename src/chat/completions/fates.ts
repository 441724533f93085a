import type { RequestFates } from "../../dispatch/requestFates.ts"
import type { CreateTextCompletion } from "./Request.ts"

const noChat = "this model is asked by chat, which has none"

/** The fate of each field where the upstream has no completions, so that the model is asked by chat. */
export const fates: RequestFates<CreateTextCompletion, CreateTextCompletion> = {
  model: "own",
  prompt: { becomes: ["items"] },
  max_tokens: { becomes: ["maxOutputTokens"] },
  // The gateway makes several answers itself.
  n: "own",
  best_of: { refused: noChat },
  echo: { refused: noChat },
  logprobs: { refused: noChat },
  suffix: { refused: noChat },
  stop: { becomes: ["stopSequences"] },
  stream: "own",
  stream_options: "own",
  temperature: { becomes: ["temperature"] },
  top_p: { becomes: ["topP"] },
  frequency_penalty: { loses: { frequency_penalty: ({ frequency_penalty }) => (frequency_penalty ?? 0) !== 0 } },
  presence_penalty: { loses: { presence_penalty: ({ presence_penalty }) => (presence_penalty ?? 0) !== 0 } },
  seed: { loses: { seed: ({ seed }) => (seed ?? undefined) !== undefined } },
  logit_bias: { loses: { logit_bias: ({ logit_bias }) => Object.keys(logit_bias ?? {}).length > 0 } },
  user: { becomes: ["endUser"] }
}
