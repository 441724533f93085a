import type { Caller, ModelRule } from "./Caller.ts"
import { credential } from "./credential.ts"
import { ModelForbidden } from "../failures/Failure.ts"
import { matches } from "../text/matches.ts"
import { shorten } from "../text/shorten.ts"

/** The names of a model, and its routes where they are known. */
export interface PermittedModel {
  readonly id: string
  /** The model that `id` is another name of. */
  readonly aliasOf?: string
  readonly routes?: ReadonlyArray<{ readonly upstream: string }>
}

/** The refusal if the caller's key or account may not use the model, otherwise undefined. */
export const forbidden = (caller: Caller, model: PermittedModel): ModelForbidden | undefined => {
  if (!permits(caller, model)) return refused(credential(caller), model)
  if (caller.accountModels !== undefined && !permits(caller.accountModels, model)) return refused("this account", model)
  if (caller.upstreams === undefined || model.routes === undefined) return undefined
  return allowedRoutes(caller, model.routes).length > 0
    ? undefined
    : new ModelForbidden({
        message: `model: none of the upstreams of ${credential(caller)} serves the model "${shorten(model.id)}"`
      })
}

/** The routes to upstreams that the caller's key may use. */
export const allowedRoutes = <R extends { readonly upstream: string }>(
  { upstreams }: Pick<Caller, "upstreams">,
  routes: ReadonlyArray<R>
): ReadonlyArray<R> =>
  upstreams === undefined ? routes : routes.filter(({ upstream }) => upstreams.includes(upstream))

/** True if a rule allows a model. `models` may match either name of an alias, `notModels` neither. */
const permits = ({ models, notModels = [] }: ModelRule, { aliasOf, id }: PermittedModel): boolean => {
  const hits = (pattern: string) =>
    pattern === "*" || matches(pattern, id) || (aliasOf !== undefined && matches(pattern, aliasOf))
  return models.some(hits) && !notModels.some(hits)
}

const refused = (owner: string, { id }: PermittedModel) =>
  new ModelForbidden({ message: `model: ${owner} has no access to the model "${shorten(id)}"` })

/** True for a pattern that is meant to exclude models, which none does. */
export const excludes = (pattern: string): boolean => pattern.startsWith("!")

export const noExclusion = "a pattern can't exclude models with !: list them in not_models"
