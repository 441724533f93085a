import { Effect } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { startGeneration } from "../upstreams/text/upstreamOf.ts"
import type { OfferedTools } from "../tools/ServerTool.ts"
import { toolGeneration } from "../tools/toolGeneration.ts"

/** Starts a generation of an upstream whose model may call these tools, which the conversation offers as functions. */
export const generateWithTools = (
  upstream: TextUpstream,
  offered: OfferedTools,
  asked: Conversation,
  options: GenerateOptions
): Future<Generation, Failure | UpstreamError> =>
  runFuture(
    options.runtime,
    Effect.map(startGeneration(upstream, asked, options), (first) =>
      toolGeneration({ upstream, options, asked, first, ...offered })
    )
  )
