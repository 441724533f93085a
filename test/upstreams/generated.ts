import { Effect } from "effect"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { GenerateOptions, TextUpstream } from "../../src/upstreams/Upstream.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"

export type Told = Omit<GenerateOptions, "runtime">

/** A generation, begun whenever this is run. */
export const generated = (
  upstream: TextUpstream,
  conversation: Conversation,
  told: Told
): Effect.Effect<Generation, Failure | UpstreamError> =>
  Effect.flatMap(Effect.runtime(), (runtime) =>
    toEffect(
      () => upstream.generate(conversation, { ...told, runtime }),
      (generation) => generation.cancel()
    )
  )
