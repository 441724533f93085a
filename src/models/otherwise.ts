import { Begun } from "../flow/Begun.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Forwarder, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"

interface Asked {
  readonly conversation: Conversation
  readonly options: Pick<GenerationOptions, "objection">
}

/** A request in the gateway's words, for an upstream that does not offer what its own ask for. */
export const otherwise =
  (
    { conversation, options }: Asked,
    upstream: TextUpstream,
    how: GenerateOptions
  ): Parameters<Forwarder["forward"]>[2] =>
  () => {
    const refused = options.objection?.()
    return refused === undefined ? upstream.generate(conversation, how) : Begun.fail(refused)
  }
