import { isUsual } from "../contract/isUsual.ts"
import type { RequestFates } from "../dispatch/requestFates.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { isSearch, servedTools } from "./servedTools.ts"

/** The name in `include` that asks for log probabilities. */
export const logprobsIncluded = "message.output_text.logprobs"

const knownIncludes = new Set(["reasoning.encrypted_content", "web_search_call.action.sources", logprobsIncluded])

/** The fate of each field where the upstream speaks another dialect. */
export const fates: RequestFates<CreateResponse, CreateResponse> = {
  model: "own",
  instructions: { becomes: ["system"] },
  // The gateway stores conversations itself, and refuses those that an upstream keeps.
  previous_response_id: "own",
  tools: { becomes: ["tools"] },
  tool_choice: { becomes: ["toolChoice"] },
  parallel_tool_calls: { becomes: ["parallelToolCalls"] },
  reasoning: { becomes: ["enabled", "effort", "summary"] },
  text: {
    becomes: ["format", "verbosity"],
    loses: { "text.verbosity": ({ text }) => !isUsual(text?.verbosity, "medium") }
  },
  truncation: { becomes: ["truncation"] },
  conversation: "own",
  input: { becomes: ["items"] },
  max_output_tokens: { becomes: ["maxOutputTokens"] },
  max_tool_calls: {
    becomes: ["tools"],
    loses: {
      // It counts searches and calls of servers, which is all that others run.
      max_tool_calls: ({ max_tool_calls, tools }, body) =>
        (max_tool_calls ?? null) !== null &&
        !servedTools(body).some(isSearch) &&
        tools?.some(({ type }) => type === "mcp") !== true
    }
  },
  temperature: { becomes: ["temperature"] },
  top_p: { becomes: ["topP"] },
  stream: "own",
  store: "own",
  include: {
    becomes: ["logprobs"],
    loses: { include: ({ include }) => (include ?? []).includes(logprobsIncluded) }
  },
  metadata: "own",
  service_tier: {
    becomes: ["serviceTier"],
    loses: { service_tier: ({ service_tier }) => !isUsual(service_tier, "auto", "default") }
  },
  prompt_cache_key: { becomes: ["cacheKey"] },
  prompt_cache_retention: { becomes: ["cacheRetention"] },
  safety_identifier: { becomes: ["endUser"] },
  user: {
    becomes: ["endUser"],
    loses: {
      // Other dialects have one field for the end user.
      user: ({ safety_identifier, user }) => Boolean(safety_identifier) && Boolean(user) && safety_identifier !== user
    }
  },
  top_logprobs: { becomes: ["logprobs"], loses: { top_logprobs: ({ top_logprobs }) => (top_logprobs ?? 0) > 0 } },
  background: "own",
  prompt: { refused: "is not supported; send instructions and input" }
}

/** True if `include` names what no conversation has, at whichever upstream. */
export const includesUnknown = ({ include }: CreateResponse): boolean =>
  (include ?? []).some((name) => !knownIncludes.has(name))
