/** True if a field is absent or asks for what happens without it. */
export const isUsual = (value: string | null | undefined, ...usual: ReadonlyArray<string>): boolean =>
  value === undefined || value === null || usual.includes(value)
