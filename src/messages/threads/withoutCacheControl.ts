import { isJsonObject } from "../../contract/fields.ts"

/**
 * The fields of messages and blocks that hold blocks. Others are not searched: a tool's input may use the same name.
 */
const inner = ["content", "source"]

/**
 * A message without cache breakpoints. They belong to the request that first sent it, and a whole thread has more than
 * one request may have.
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
