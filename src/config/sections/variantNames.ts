/** `priority` and `fast` are one price: some models call it by one name, some by the other. */
export const variantNamed = (name: string): string => {
  const lower = name.toLowerCase()
  return lower === "fast" ? "priority" : lower
}

const plain = new Set(["", "auto", "default", "standard", "standard_only", "on_demand", "global", "not_available"])

/** True for tiers, speeds and places that have the model's own rates. */
export const isPlain = (name: string): boolean => plain.has(name)

/** Refuses what would price nothing: a plain name with a price of its own, and two names of one price. */
export const variantsRule = (written: Readonly<Record<string, unknown>>) => {
  const names = new Map<string, string>()
  for (const [field, price] of Object.entries(written)) {
    const name = variantNamed(field)
    const other = names.get(name)
    if (other !== undefined) return { path: [field], message: `is the same as "${other}"` }
    if (isPlain(name) && price !== 1) return { path: [field], message: "has the model's own rates: it can only be 1" }
    names.set(name, field)
  }
  return true
}
