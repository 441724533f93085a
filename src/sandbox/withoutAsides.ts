/** Tags of coding agents' additions to the user's text: Codex and Claude Code. */
const tags = ["environment_context", "system-reminder"]

/** A user's text without its agent's additions, in linear time. */
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
