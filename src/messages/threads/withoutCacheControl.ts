import { isJsonObject } from "../../contract/fields.ts"

/** Where messages and blocks hold blocks. Any other field goes as it is: a tool's input may have the name. */
const inner = ["content", "source"]

/**
 * A message without its cache breakpoints: they were set for the request that first sent it, and those of a whole
 * thread are more than one request may have.
 */
export const withoutCacheControl = (value: unknown): unknown => {
  if (!isJsonObject(value)) return value
  const { cache_control: _, ...rest } = value
  const changed: Record<string, unknown> = rest
  for (const name of inner) {
    const nested = rest[name]
    if (Array.isArray(nested)) changed[name] = nested.map(withoutCacheControl)
    else if (isJsonObject(nested)) changed[name] = withoutCacheControl(nested)
  }
  return changed
}
