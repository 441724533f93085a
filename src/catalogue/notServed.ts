import { InvalidRequest } from "../contract/Failure.ts"
import type { Model } from "./Catalogue.ts"
import { shortened } from "../contract/shortened.ts"

export const unknownModel = (id: string) =>
  new InvalidRequest({
    param: "model",
    message: `model: unknown model "${shortened(id)}"; GET /v1/models lists the models served`
  })

export const wrongKind = (model: Model, kind: Model["kind"]) =>
  new InvalidRequest({ param: "model", message: `model: "${model.id}" is ${named(model.kind)}, not ${named(kind)}` })

const named = (kind: Model["kind"]) => (kind === "embedding" ? "an embedding model" : `a ${kind} model`)
