/** What no record of a body may hold, whoever it is for: secrets by their usual looks, and files, which say little as text. */
const always: ReadonlyArray<readonly [RegExp, string]> = [
  [/;base64,[A-Za-z0-9+/=_-]{64,}/g, ";base64,[redacted]"],
  [/"data":"[A-Za-z0-9+/=_-]{256,}"/g, '"data":"[redacted]"'],
  [/\b(?:sk|pk|rk|key|ghp|xox[abp])[-_][A-Za-z0-9_-]{16,}/g, "[redacted]"],
  [/\bBearer +[A-Za-z0-9._~+/=-]{16,}/g, "Bearer [redacted]"]
]

/** Takes out what is always taken out, and what the account's patterns match. */
export const redacted = (text: string, patterns: ReadonlyArray<RegExp>): string => {
  let left = text
  for (const [pattern, instead] of always) left = left.replaceAll(pattern, instead)
  for (const pattern of patterns) left = left.replaceAll(pattern, "[redacted]")
  return left
}
