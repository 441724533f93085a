/** What coding agents put beside their user's words: Codex and Claude Code. */
const tags = ["environment_context", "system-reminder"]

/** A user's text without what its agent tells beside it, in time that grows with its length alone. */
export const withoutAsides = (text: string): string => tags.reduce(without, text)

const without = (text: string, tag: string): string => {
  const opening = `<${tag}>`
  const closing = `</${tag}>`
  let start = text.indexOf(opening)
  let end = start === -1 ? -1 : text.indexOf(closing, start)
  if (end === -1) return text
  let rest = ""
  let from = 0
  while (end !== -1) {
    rest += text.slice(from, start)
    from = end + closing.length
    start = text.indexOf(opening, from)
    end = start === -1 ? -1 : text.indexOf(closing, start)
  }
  return (rest + text.slice(from)).trim()
}
