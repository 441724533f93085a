import type { WrittenBudget } from "../budgets/WrittenBudget.ts"

/** The scope of a budget, without its unit: `a month (Europe/Berlin, gpt-*, customer=*, each end user)`. */
export const scopeText = ({
  each,
  models = [],
  per,
  rolling,
  tag,
  zone = "UTC"
}: Pick<WrittenBudget, "each" | "models" | "per" | "rolling" | "tag" | "zone">): string => {
  const span = rolling !== undefined ? `in ${rolling}` : per === "total" ? "in total" : `a ${per}`
  const only = [
    ...(zone === "UTC" ? [] : [zone]),
    ...models,
    ...(tag === undefined ? [] : [tag]),
    ...(each === undefined ? [] : ["each end user"])
  ]
  return only.length === 0 ? span : `${span} (${only.join(", ")})`
}
