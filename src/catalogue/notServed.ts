import { InvalidRequest, UnknownModel } from "../contract/Failure.ts"
import type { Model } from "./Catalogue.ts"
import { shortened } from "../contract/shortened.ts"

/** Claude Code asks for another model where a 400 says "invalid model name", and otherwise tries again or shows the text. */
export const unknownModel = (id: string) =>
  new UnknownModel({
    message: `model: invalid model name "${shortened(id)}": unknown model; GET /v1/models lists the models served`
  })

export const wrongKind = (model: Model, kind: Model["kind"]) =>
  new InvalidRequest({ param: "model", message: `model: "${model.id}" is ${named(model.kind)}, not ${named(kind)}` })

const named = (kind: Model["kind"]) => (kind === "embedding" ? "an embedding model" : `a ${kind} model`)
