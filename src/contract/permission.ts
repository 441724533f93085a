import type { Caller } from "./Caller.ts"
import { ModelForbidden } from "./Failure.ts"

/** The refusal if the caller's key may not use the model, otherwise undefined. */
export const forbidden = (
  caller: Caller,
  { aliasOf, id }: { readonly id: string; readonly aliasOf?: string }
): ModelForbidden | undefined =>
  caller.models.some(
    (pattern) => pattern === "*" || matches(pattern, id) || (aliasOf !== undefined && matches(pattern, aliasOf))
  )
    ? undefined
    : new ModelForbidden({ message: `model: this API key has no access to the model "${id}"` })

/** Matches a model id against a pattern; `*` stands for any run of characters. */
export const matches = (pattern: string, model: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return pattern === model
  if (!model.startsWith(head) || model.length < head.length + tail.length || !model.endsWith(tail)) return false
  const end = model.length - tail.length
  let at = head.length
  for (const piece of rest) {
    const start = model.indexOf(piece, at)
    if (start === -1 || start + piece.length > end) return false
    at = start + piece.length
  }
  return true
}

/** True for a pattern that is meant to exclude models, which none does. */
export const excludes = (pattern: string): boolean => pattern.startsWith("!")

export const noExclusion = "a pattern can't exclude models with !: name those that are allowed, such as claude-*"
