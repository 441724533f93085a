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
  if (listsModels(file)) return []
  return patterns.filter(
    (pattern) => !served.some((id) => matches(pattern, id) || (id.includes("*") && matches(id, pattern)))
  )
}

/** True if an upstream's list decides which models there are: it may contain others tomorrow. */
export const listsModels = ({ upstreams = {} }: GatewayFile): boolean =>
  Object.values(upstreams).some(({ list_models }) => list_models === true)

/** Aliases that are not served, because no upstream lists their model yet. */
export const unlistedAliases = ({ models = {} }: GatewayFile, served: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(models).flatMap(([id, entry]) =>
    typeof entry === "object" && "alias" in entry && !served.includes(id)
      ? [`models: "${id}" is not served: no upstream lists "${entry.alias}"`]
      : []
  )
