/** A text without its directives, and their settings. */
export interface Taken {
  /** The text with a space in place of each directive. */
  readonly rest: string
  /** The settings of all directives, in order. */
  readonly settings: ReadonlyArray<string>
}

const opening = "[[sandbox:"
/** The longest directive, brackets included, in characters. */
const longest = 1_024
const mostSettings = 100

/**
 * Removes every `[[sandbox: …]]` from a text, in linear time whatever stays unclosed. Returns the broken rule if a
 * directive is too long or there are too many settings.
 */
export const parseDirectives = (text: string): Taken | string => {
  let start = text.indexOf(opening)
  if (start === -1) return { rest: text, settings: [] }
  const rest: Array<string> = []
  const settings: Array<string> = []
  let from = 0
  /** The next closing bracket, searched once for any number of opened directives. */
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
