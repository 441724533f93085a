import { isUsual } from "../contract/isUsual.ts"
import type { RequestFates } from "../dispatch/requestFates.ts"
import type { CreateCompletion } from "./Request.ts"

/** The fate of each field where the upstream speaks another dialect. */
export const fates: RequestFates<CreateCompletion, CreateCompletion> = {
  model: "own",
  messages: { becomes: ["items"] },
  tools: { becomes: ["tools"] },
  tool_choice: { becomes: ["toolChoice"] },
  parallel_tool_calls: { becomes: ["parallelToolCalls"] },
  // They are called one at a time.
  functions: { becomes: ["tools", "parallelToolCalls"] },
  function_call: { becomes: ["toolChoice"] },
  response_format: { becomes: ["format"] },
  reasoning_effort: { becomes: ["enabled", "effort", "summary"] },
  verbosity: { becomes: ["verbosity"], loses: { verbosity: ({ verbosity }) => !isUsual(verbosity, "medium") } },
  max_completion_tokens: { becomes: ["maxOutputTokens"] },
  max_tokens: { becomes: ["maxOutputTokens"] },
  // The gateway makes several answers itself.
  n: "own",
  stop: { becomes: ["stopSequences"] },
  stream: "own",
  stream_options: "own",
  temperature: { becomes: ["temperature"] },
  top_p: { becomes: ["topP"] },
  frequency_penalty: {
    becomes: ["penalties"],
    loses: { frequency_penalty: ({ frequency_penalty }) => (frequency_penalty ?? 0) !== 0 }
  },
  presence_penalty: {
    becomes: ["penalties"],
    loses: { presence_penalty: ({ presence_penalty }) => (presence_penalty ?? 0) !== 0 }
  },
  seed: { becomes: ["seed"], loses: { seed: ({ seed }) => (seed ?? undefined) !== undefined } },
  logit_bias: { loses: { logit_bias: ({ logit_bias }) => Object.keys(logit_bias ?? {}).length > 0 } },
  logprobs: { becomes: ["logprobs"], loses: { logprobs: ({ logprobs }) => logprobs === true } },
  top_logprobs: { becomes: ["logprobs"], loses: { top_logprobs: ({ top_logprobs }) => (top_logprobs ?? 0) > 0 } },
  prediction: { loses: { prediction: ({ prediction }) => (prediction ?? undefined) !== undefined } },
  modalities: {
    becomes: ["modalities"],
    loses: { modalities: ({ modalities }) => (modalities ?? []).some((kind) => kind !== "text") }
  },
  audio: { loses: { audio: ({ audio }) => (audio ?? undefined) !== undefined } },
  web_search_options: { becomes: ["tools"] },
  store: "own",
  // About the request; not shown to the model.
  metadata: "own",
  service_tier: {
    becomes: ["serviceTier"],
    loses: { service_tier: ({ service_tier }) => !isUsual(service_tier, "auto", "default") }
  },
  prompt_cache_key: { becomes: ["cacheKey"] },
  prompt_cache_options: {
    loses: { prompt_cache_options: ({ prompt_cache_options }) => (prompt_cache_options ?? undefined) !== undefined }
  },
  moderation: { loses: { moderation: ({ moderation }) => (moderation ?? undefined) !== undefined } },
  prompt_cache_retention: { becomes: ["cacheRetention"] },
  safety_identifier: { becomes: ["endUser"] },
  user: {
    becomes: ["endUser"],
    loses: {
      // Other dialects have one field for the end user.
      user: ({ safety_identifier, user }) => Boolean(safety_identifier) && Boolean(user) && safety_identifier !== user
    }
  }
}
