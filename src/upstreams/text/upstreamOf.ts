import type { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import { runFuture } from "../../flow/runFuture.ts"
import { toEffect } from "../../flow/toEffect.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { Generation } from "../../generation/Generation.ts"
import type { GenerateOptions, PassthroughEndpoint, PassthroughRequest, TextUpstream } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { CalledFamily } from "../../contract/kinds.ts"

type Starting = Effect.Effect<Generation, Failure | UpstreamError>

/**
 * A custom text upstream, from an effect that starts a generation and succeeds once the request is accepted. If it
 * fails with an `UpstreamError`, the next route may answer. It is interrupted when the client disconnects; a generation
 * that has started is cancelled.
 */
export const upstreamOf = (
  name: string,
  generate: (conversation: Conversation, options: GenerateOptions) => Starting
): TextUpstream => ({
  name,
  generate: (conversation, options) => runFuture(options.runtime, generate(conversation, options))
})

/** The same for passthrough. */
export const endpointOf = (
  family: CalledFamily,
  send: (request: PassthroughRequest, options: GenerateOptions) => Starting
): PassthroughEndpoint => ({
  family,
  send: (request, options) => runFuture(options.runtime, send(request, options))
})

/** Starts a generation of an upstream. If it arrives after an interruption, it is cancelled. */
export const startGeneration = (
  upstream: TextUpstream,
  conversation: Conversation,
  options: GenerateOptions
): Starting =>
  toEffect(
    () => upstream.generate(conversation, options),
    (generation) => generation.cancel()
  )
