import { InvalidRequest } from "../contract/failures/Failure.ts"
import { moderatedParts } from "../generation/moderating.ts"
import { wholeFamily } from "../pipeline/wholeFamily.ts"
import { usualModeration } from "./Api.ts"
import type { CreateModeration } from "./Api.ts"

const mostInputs = 2_048

/** Moderations for `Pipeline`: passthrough only, charged by input where the model has a price. */
export const moderationsFamily = wholeFamily<CreateModeration>({
  dialect: "moderations",
  noUpstream: "model: none of this model's upstreams moderates inputs",
  decode: ({ input, model }) => {
    if (input.length === 0) return refusalOf("expected at least one input")
    if (typeof input !== "string" && input.length > mostInputs)
      return refusalOf(`expected at most ${mostInputs} inputs`)
    return { model: model ?? usualModeration, inputs: moderatedParts(input) }
  }
})

const refusalOf = (rule: string) => new InvalidRequest({ param: "input", message: `input: ${rule}` })
