import { Effect } from "effect"
import { InvalidRequest, UpstreamFailed } from "../../contract/failures/Failure.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import type { TextInput } from "../../pipeline/TextFamily.ts"
import type { CompactResponse } from "./CompactResponse.ts"
import { makeCompactionFamily } from "./compactionFamily.ts"

/**
 * Compacts conversations: at the upstream if all routes of the model are of this dialect and offer it, otherwise by
 * keeping the user's messages and having the model summarize the rest.
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
