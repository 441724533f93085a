import type { GatewayFile } from "../config/GatewayFile.ts"
import { matches } from "../contract/permission.ts"

/** Warnings about a valid but probably unintended `gateway.yaml`, a line each. */
export const modelWarnings = (file: GatewayFile, served: Iterable<string>): ReadonlyArray<string> => {
  const ids = [...served]
  const complain = (owner: string, { models = [], not_models = [] }: Rule) => [
    ...unmatched(models, file, ids).map((pattern) => `${owner} may use "${pattern}", which no model matches`),
    ...unmatched(not_models, file, ids).map((pattern) => `${owner} may not use "${pattern}", which no model matches`)
  ]
  return [
    ...(file.keys ?? []).flatMap((key) => complain(`keys: "${key.name}"`, key)),
    ...Object.entries(file.accounts ?? {}).flatMap(([id, account]) => complain(`accounts: "${id}"`, account))
  ]
}

interface Rule {
  readonly models?: ReadonlyArray<string> | undefined
  readonly not_models?: ReadonlyArray<string> | undefined
}

/** Warnings about keys bound to upstreams to which no model has a route. */
export const unknownUpstreams = (
  { keys = [] }: GatewayFile,
  served: Iterable<{ readonly routes: ReadonlyArray<{ readonly upstream: string }> }>
): ReadonlyArray<string> => {
  const known = new Set([...served].flatMap(({ routes }) => routes.map(({ upstream }) => upstream)))
  return keys.flatMap(({ name, upstreams = [] }) =>
    upstreams
      .filter((upstream) => !known.has(upstream))
      .map((upstream) => `keys: "${name}" is bound to the upstream "${upstream}", to which no model has a route`)
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
