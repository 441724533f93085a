import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { excludes, noExclusion } from "../contract/callers/permission.ts"

interface ModelRules {
  readonly models?: ReadonlyArray<string> | null | undefined
  readonly notModels?: ReadonlyArray<string> | null | undefined
}

/** Refuses patterns of models that could match none, or that mean something else. */
export const checkModels = ({ models, notModels }: ModelRules): Effect.Effect<void, InvalidRequest> => {
  const complain = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })
  if (models?.length === 0 || models?.some((pattern) => pattern.trim() === "") === true) {
    return complain("models", "expected at least one pattern, none of them empty; * is every model")
  }
  if (models?.some(excludes) === true) return complain("models", noExclusion)
  return notModels?.some((pattern) => pattern.trim() === "" || excludes(pattern)) === true
    ? complain("not_models", "expected patterns such as claude-*, none of them empty or with !")
    : Effect.void
}

/** Adds the patterns that match no model. @param unmatched chooses them */
export const withUnmatched = <
  A extends { readonly models: ReadonlyArray<string>; readonly not_models: ReadonlyArray<string> }
>(
  record: A,
  unmatched: (patterns: ReadonlyArray<string>) => ReadonlyArray<string>
): A & { readonly unmatched_models?: ReadonlyArray<string> } => {
  const unmatched_models = unmatched([...record.models, ...record.not_models])
  return unmatched_models.length === 0 ? record : { ...record, unmatched_models }
}
