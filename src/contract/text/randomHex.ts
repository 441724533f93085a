/** 32 hex digits with 122 random bits: a UUID without dashes. Slicing is three times as fast as `replaceAll`. */
export const randomHex = (): string => {
  const id = crypto.randomUUID()
  return `${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`
}
