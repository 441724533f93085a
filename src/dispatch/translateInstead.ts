import { Future } from "../flow/Future.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { PassthroughEndpoint, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"

interface Asked {
  readonly conversation: Conversation
  readonly options: Pick<GenerationOptions, "objection">
}

/** A request in the gateway's words, for an upstream that does not offer what its own ask for. */
export const translateInstead =
  (
    { conversation, options }: Asked,
    upstream: TextUpstream,
    how: GenerateOptions
  ): Parameters<PassthroughEndpoint["send"]>[2] =>
  () => {
    const refused = options.objection?.()
    return refused === undefined ? upstream.generate(conversation, how) : Future.fail(refused)
  }
