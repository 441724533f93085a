import type { GatewayFile } from "../config/GatewayFile.ts"
import { matches } from "../contract/permission.ts"

/** Warnings about a valid but probably unintended `gateway.yaml`, a line each. */
export const modelWarnings = (file: GatewayFile, served: Iterable<string>): ReadonlyArray<string> => {
  const ids = [...served]
  const literal = Object.keys(file.models ?? {}).flatMap((id) =>
    id.includes("*") ? [`models: "${id}" is one model's id, to the letter, and no pattern`] : []
  )
  // An upstream's list may contain other models tomorrow.
  if (Object.values(file.upstreams ?? {}).some(({ list_models }) => list_models === true)) return literal
  const idle = (file.keys ?? []).flatMap(({ models = [], name }) =>
    models.flatMap((pattern) =>
      ids.some((id) => matches(pattern, id)) ? [] : [`keys: "${name}" may use "${pattern}", which no model matches`]
    )
  )
  return [...literal, ...idle]
}
