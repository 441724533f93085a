import type { Caller } from "./Caller.ts"
import { ModelForbidden } from "./Failure.ts"

/** Why the caller's key may not use the model; undefined where it may. */
export const forbidden = (caller: Caller, model: string): ModelForbidden | undefined =>
  caller.models.some((pattern) => pattern === "*" || matches(pattern, model))
    ? undefined
    : new ModelForbidden({ message: `model: this API key has no access to the model "${model}"` })

/** Whether a pattern means a model: `*` stands for any run of characters, everything else for itself. */
export const matches = (pattern: string, model: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return pattern === model
  if (!model.startsWith(head) || model.length < head.length + tail.length || !model.endsWith(tail)) return false
  const end = model.length - tail.length
  let at = head.length
  for (const piece of rest) {
    const found = model.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
