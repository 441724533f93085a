/** Where a snippet stands, and what its names are called there. */
interface Place {
  readonly at: number
  readonly end: number
  readonly names: ReadonlyMap<string, string>
}

/**
 * The places of a snippet in a source: as it is written, otherwise by its tokens, otherwise with other names of variables
 * and functions. So neither the formatter nor a new name makes a mutant stale.
 */
export const placesOf = (source: string, snippet: string): ReadonlyArray<Place> => {
  const written = source.split(snippet).slice(0, -1)
  if (written.length > 0) {
    const at = written.join(snippet).length
    return written.map(() => ({ at, end: at + snippet.length, names: new Map<string, string>() }))
  }
  const [there, wanted] = [tokensOf(source), tokensOf(snippet)]
  const places = there.flatMap((_, index) => placeAt(there, index, wanted) ?? [])
  const same = places.filter(({ names }) => [...names].every(([name, called]) => name === called))
  return same.length > 0 ? same : places
}

/** The source with a snippet's place replaced, in the names that it has there. */
export const replaceAt = (source: string, { at, end, names }: Place, replacement: string): string =>
  source.slice(0, at) + replacement.replaceAll(renamed, (name: string) => names.get(name) ?? name) + source.slice(end)

/** A name that is no member's. */
const renamed = /(?<![.\w$])[A-Za-z_$][\w$]*/g

interface Token {
  readonly text: string
  readonly at: number
  /** True for the name of a variable or function. */
  readonly isName: boolean
}

const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$]*|\d[\w.]*|\S/g
const keywords =
  /^(as|async|await|case|const|default|else|export|false|for|from|function|if|import|in|let|new|null|of|return|switch|throw|true|type|typeof|undefined|void|while|yield)$/

/** Without comments, and without commas that only the formatter sets. */
const tokensOf = (text: string): ReadonlyArray<Token> => {
  const all = [...text.matchAll(token)].filter(([found]) => !/^\/[/*]/.test(found))
  return all.flatMap(([found], index) => {
    const [before, after] = [all[index - 1]?.[0], all[index + 1]?.[0]]
    if (found === "," && after !== undefined && /^[)\]}]$/.test(after)) return []
    const isName = /^[A-Za-z_$]/.test(found) && before !== "." && !keywords.test(found)
    return [{ text: found, at: all[index]?.index ?? 0, isName }]
  })
}

const placeAt = (there: ReadonlyArray<Token>, index: number, wanted: ReadonlyArray<Token>): Place | undefined => {
  const [names, taken] = [new Map<string, string>(), new Map<string, string>()]
  let last: Token | undefined
  for (const [offset, { isName, text }] of wanted.entries()) {
    last = there[index + offset]
    if (last === undefined || last.isName !== isName) return undefined
    if (!isName && last.text !== text) return undefined
    // One name here is one name there.
    if (isName && ((names.get(text) ?? last.text) !== last.text || (taken.get(last.text) ?? text) !== text))
      return undefined
    if (isName) {
      names.set(text, last.text)
      taken.set(last.text, text)
    }
  }
  const first = there[index]
  return first === undefined || last === undefined
    ? undefined
    : { at: first.at, end: last.at + last.text.length, names }
}
