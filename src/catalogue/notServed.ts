import { InvalidRequest, UnknownModel } from "../contract/failures/Failure.ts"
import { kinds } from "../contract/kinds.ts"
import type { Model } from "./Catalogue.ts"
import { shorten } from "../contract/text/shorten.ts"

/** Claude Code asks for another model where a 400 says "invalid model name", and otherwise tries again or shows the text. */
export const unknownModel = (id: string) =>
  new UnknownModel({
    message: `model: invalid model name "${shorten(id)}": unknown model; GET /v1/models lists the models served`
  })

export const wrongKind = (model: Model, kind: Model["kind"]) =>
  new InvalidRequest({
    param: "model",
    message: `model: "${model.id}" is ${kinds[model.kind].named}, not ${kinds[kind].named}`
  })
