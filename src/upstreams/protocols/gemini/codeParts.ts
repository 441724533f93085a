import type { JsonObject } from "../../../contract/fields.ts"
import { objectAt, textAt } from "../../../contract/json/json.ts"

/**
 * Code that the model ran unasked, or its output, as text: the gateway offers no such tool, so that callers expect no
 * other form of it. Undefined for other parts.
 */
export const codeIn = (part: JsonObject): string | undefined => {
  const code = objectAt(part, "executableCode")
  if (code !== undefined) return fenced((textAt(code, "language") ?? "").toLowerCase(), textAt(code, "code") ?? "")
  const result = objectAt(part, "codeExecutionResult")
  if (result === undefined) return undefined
  const outcome = textAt(result, "outcome") ?? "OUTCOME_OK"
  const output = textAt(result, "output") ?? ""
  return fenced("", outcome === "OUTCOME_OK" ? output : `${outcome}\n${output}`)
}

/** A block of Markdown, whose fence is longer than those in its text. */
const fenced = (language: string, text: string): string => {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2)
  const fence = "`".repeat(longest + 1)
  return `\n\n${fence}${/^[a-z]{1,20}$/.test(language) ? language : ""}\n${text.trimEnd()}\n${fence}\n\n`
}
