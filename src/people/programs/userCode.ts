/** Consonants alone, so that no code is a word (RFC 8628, section 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"
const wellFormed = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** A new code for a person to compare: `BCDF-GHJK`, 34 bits. */
export const newUserCode = (): string => {
  let code = ""
  while (code.length < 8) {
    for (const byte of crypto.getRandomValues(new Uint8Array(8))) {
      // 240 is the largest multiple of 20 in a byte; larger values would favour the first letters.
      if (byte < 240 && code.length < 8) code += letters[byte % 20]
    }
  }
  return show(code)
}

/** A code as typed, in its stored form; undefined for what is none. */
export const userCodeOf = (typed: string): string | undefined => {
  const code = typed.toUpperCase().replace(/[\s-]/g, "")
  return wellFormed.test(code) ? show(code) : undefined
}

const show = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
