import { Effect } from "effect"
import { InvalidRequest, UpstreamFailed } from "../../contract/Failure.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import type { TextInput } from "../../pipeline/TextFamily.ts"
import type { CompactResponse } from "./CompactResponse.ts"
import { makeCompactionFamily } from "./compactionFamily.ts"

/**
 * Makes conversations short: by the upstream, where all of the model's are of this dialect and offer it; otherwise it
 * keeps the user's messages and has the model write a summary of the rest.
 */
export const makeCompact = Effect.map(Effect.all([Pipeline, makeCompactionFamily]), ([pipeline, family]) => {
  const run = pipeline.run(family)
  return (input: TextInput<CompactResponse>) =>
    Effect.flatMap(run(input), (answer) =>
      answer instanceof InvalidRequest || answer instanceof UpstreamFailed
        ? Effect.fail(answer)
        : Effect.succeed(answer)
    )
})
