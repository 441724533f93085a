/** An object of entries that are all of its members; the caller's type says which. */
export const recordOf = <Values>(members: ReadonlyArray<readonly [name: keyof Values, value: unknown]>): Values =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- entries lose their keys' names
  Object.fromEntries(members) as Values
