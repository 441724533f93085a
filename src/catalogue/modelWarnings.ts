import type { GatewayFile } from "../config/GatewayFile.ts"
import { matches } from "../contract/permission.ts"

/** Warnings about a valid but probably unintended `gateway.yaml`, a line each. */
export const modelWarnings = (file: GatewayFile, served: Iterable<string>): ReadonlyArray<string> => {
  const ids = [...served]
  return (file.keys ?? []).flatMap(({ models = [], name }) =>
    unmatched(models, file, ids).map((pattern) => `keys: "${name}" may use "${pattern}", which no model matches`)
  )
}

/** The patterns that match no served model. */
export const unmatched = (
  patterns: ReadonlyArray<string>,
  file: GatewayFile,
  served: ReadonlyArray<string>
): ReadonlyArray<string> => {
  // An upstream's list may contain other models tomorrow.
  if (Object.values(file.upstreams ?? {}).some(({ list_models }) => list_models === true)) return []
  return patterns.filter(
    (pattern) => !served.some((id) => matches(pattern, id) || (id.includes("*") && matches(id, pattern)))
  )
}
