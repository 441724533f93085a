import type { GatewayFile } from "../config/GatewayFile.ts"
import { matches } from "../contract/permission.ts"

/** Warnings about a valid but probably unintended `gateway.yaml`, a line each. */
export const modelWarnings = (file: GatewayFile, served: Iterable<string>): ReadonlyArray<string> => {
  const ids = [...served]
  // An upstream's list may contain other models tomorrow.
  if (Object.values(file.upstreams ?? {}).some(({ list_models }) => list_models === true)) return []
  return (file.keys ?? []).flatMap(({ models = [], name }) =>
    models.flatMap((pattern) =>
      ids.some((id) => matches(pattern, id) || (id.includes("*") && matches(id, pattern)))
        ? []
        : [`keys: "${name}" may use "${pattern}", which no model matches`]
    )
  )
}
