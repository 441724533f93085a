/** What a text says beside its directives, and what they say. */
export interface Taken {
  /** The text with a space in the place of each directive. */
  readonly rest: string
  /** The settings of all directives, in order. */
  readonly settings: ReadonlyArray<string>
}

const opening = "[[sandbox:"
/** Characters of one directive, brackets included. */
const longest = 1_024
const mostSettings = 100

/**
 * Takes every `[[sandbox: …]]` out of a text, in time that grows with its length alone, whatever it opens and never
 * closes. Answers the rule that is broken where a directive is too long or the settings are too many.
 */
export const parseDirectives = (text: string): Taken | string => {
  let start = text.indexOf(opening)
  if (start === -1) return { rest: text, settings: [] }
  const rest: Array<string> = []
  const settings: Array<string> = []
  let from = 0
  /** The next closing bracket. It is looked for once, however many directives are opened before it. */
  let close = -1
  while (start !== -1) {
    if (close < start) close = text.indexOf("]", start)
    if (close === -1) break
    if (text[close + 1] === "]") {
      const end = close + 2
      if (end - start > longest) return `a directive has at most ${longest} characters`
      settings.push(...wordsOf(text.slice(start + opening.length, close)))
      if (settings.length > mostSettings) return `directives have at most ${mostSettings} settings in one text`
      rest.push(text.slice(from, start))
      from = end
      start = text.indexOf(opening, end)
    } else start = text.indexOf(opening, close)
  }
  rest.push(text.slice(from))
  return { rest: rest.join(" "), settings }
}

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")
