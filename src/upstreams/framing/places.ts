/*
 * Frames among the bytes of whole ones whose lines end in line feeds alone, found by the platform's search: it passes
 * over what is not looked for some thirty times faster than decoding and parsing do.
 */

/** Where any of these texts stands, the first first. */
export const placesOf = (texts: ReadonlyArray<Buffer>, bytes: Buffer): ReadonlyArray<number> => {
  let found: Array<number> | undefined
  for (const text of texts) {
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) (found ??= []).push(at)
  }
  return found?.sort((one, other) => one - other) ?? nowhere
}

/** Where the frame ends that is under way at a place, behind its blank line; the end of all where it has none. */
export const endOfFrame = (bytes: Buffer, at: number): number => {
  const blank = bytes.indexOf(blankLine, at)
  return blank === -1 ? bytes.length : blank + blankLine.length
}

/** Where the frame begins that is under way at a place, or `least` where that is later. */
export const startOfFrame = (bytes: Buffer, at: number, least: number): number => {
  const blank = bytes.lastIndexOf(blankLine, at)
  return blank === -1 ? least : Math.max(blank + blankLine.length, least)
}

const blankLine = Buffer.from("\n\n")
const nowhere: ReadonlyArray<number> = []
