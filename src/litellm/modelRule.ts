import { listAt } from "../contract/json/json.ts"

/** LiteLLM's names of all models. */
const every = new Set(["all-proxy-models", "all-team-models", "*"])

/** A pattern that no model matches, for an owner that may use none. */
const nothing = "no-default-models"

/**
 * The patterns of models that a row permits: null for all. Access groups become the models that are in them.
 *
 * @param groups models by their `access_groups`
 */
export const modelRule = (
  row: unknown,
  groups: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<string> | null => {
  const names = listAt(row, "models").filter((one) => typeof one === "string")
  if (names.length === 0 || names.some((name) => every.has(name))) return null
  const patterns = names.flatMap((name) => groups.get(name) ?? [name]).filter((name) => name !== nothing && name !== "")
  return patterns.length === 0 ? [nothing] : [...new Set(patterns)]
}
