import { Effect } from "effect"
import { InsufficientBalance } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import { addUsage } from "../generation/addUsage.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { withoutRefusedPictures } from "../tools/laterRound.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { startGeneration } from "../upstreams/text/upstreamOf.ts"
import { withCallsLeft } from "../tools/offeredTools.ts"
import type { RequestTools } from "../tools/RequestTools.ts"
import { toolGeneration } from "../tools/toolGeneration.ts"

/** Starts a generation of an upstream whose model may call these tools, which the conversation offers as functions. */
export const generateWithTools = (
  upstream: TextUpstream,
  offered: RequestTools,
  conversation: Conversation,
  options: GenerateOptions
): Future<Generation, Failure | UpstreamError> => {
  const { approved, earlier } = offered
  const begun = (asked: Conversation, extend = options.extend) =>
    Effect.map(startGeneration(upstream, asked, { ...options, extend }), (first) =>
      toolGeneration({ upstream, options, asked, first, ...offered })
    )
  if (approved === undefined && earlier === undefined) return runFuture(options.runtime, begun(conversation))
  const names = new Set(offered.tools.flatMap((tool) => [...tool.names]))
  const searched = earlier?.items.filter(({ type }) => type === "search").length ?? 0
  const free = new Set(offered.tools.flatMap((tool) => (tool.isFree === true ? [...tool.names] : [])))
  const made = approved?.calls.length ?? earlier?.calls.filter(({ name }) => !free.has(name)).length ?? 0
  const left = (offered.mostCalls ?? Infinity) - made - searched
  const asked = withCallsLeft(approved?.after(conversation) ?? conversation, names, left)
  const usage = approved?.usage ?? (earlier === undefined ? noUsage : addUsage(earlier.used, earlier.called))
  const before = conversation.items.length - (earlier?.items.length ?? 0)
  const extend: GenerateOptions["extend"] =
    options.extend && ((used, next) => options.extend?.(addUsage(used, usage), next) ?? Effect.succeed(true))
  return runFuture(
    options.runtime,
    Effect.flatMap(extend?.(noUsage, asked) ?? Effect.succeed(true), (isPaid) =>
      isPaid ? withoutRefusedPictures((one) => begun(one, extend), asked, before) : Effect.fail(tooDear)
    )
  )
}

const tooDear = new InsufficientBalance({ message: "The balance is not enough for the results of the calls" })
