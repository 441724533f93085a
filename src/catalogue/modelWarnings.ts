import type { GatewayFile } from "../config/GatewayFile.ts"
import { objectAt } from "../contract/json/json.ts"
import { matches } from "../contract/text/matches.ts"
import { agentModels, namedModels } from "./agentModels.ts"

/** Warnings about a valid but probably unintended `gateway.yaml`, a line each. */
export const modelWarnings = (file: GatewayFile, served: Iterable<string>): ReadonlyArray<string> => {
  const ids = [...served]
  const complain = (owner: string, { models = [], not_models = [] }: Rule) => [
    ...unmatchedPatterns(models, file, ids).map((pattern) => `${owner} may use "${pattern}", which no model matches`),
    ...unmatchedPatterns(not_models, file, ids).map(
      (pattern) => `${owner} may not use "${pattern}", which no model matches`
    )
  ]
  return [
    ...(file.keys ?? []).flatMap((key) => complain(`keys: "${key.name}"`, key)),
    ...Object.entries(file.accounts ?? {}).flatMap(([id, account]) => complain(`accounts: "${id}"`, account)),
    ...agentWarnings(file, ids)
  ]
}

/** Models that Claude Code asks for after its `/login`, and that are not there. */
const agentWarnings = (file: GatewayFile, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { sign_in } = file
  if (sign_in?.oidc === undefined) return []
  const settings = sign_in.managed_settings ?? {}
  const isMissing = (id: string) => unmatchedPatterns([id], file, ids).length > 0
  const given = new Set(Object.keys(objectAt(settings, "env") ?? {}))
  return [
    ...namedModels(settings)
      .filter(([, id]) => isMissing(id))
      .map(([path, id]) => `sign_in.managed_settings.${path} is "${id}", which no model matches`),
    ...agentModels
      .filter(({ isDefault, own, variable }) => isDefault && !given.has(variable) && isMissing(own))
      .map(
        ({ own, variable }) =>
          `Claude Code asks for "${own}" after /login, which no model matches: it gets the next best model that the ` +
          `person may use, unless sign_in.managed_settings.env.${variable} names one`
      )
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
export const unmatchedPatterns = (
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
