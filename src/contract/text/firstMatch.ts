/** The value of the first row whose pattern occurs in a text; undefined if none does. */
export const firstMatch = <A>(rows: ReadonlyArray<readonly [RegExp, A]>, text: string): A | undefined => {
  for (const [pattern, value] of rows) if (pattern.test(text)) return value
  return undefined
}
