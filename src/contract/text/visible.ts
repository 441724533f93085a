/**
 * Makes a caller's text safe for one line of a terminal: control characters become spaces, and invisible or reordering
 * characters (U+202E) show as their code. Joiners stay, because scripts and emoji need them.
 */
export const visible = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(/(?![\u200C\u200D])[\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => `<U+${codeOf(mark)}>`)

const codeOf = (mark: string): string => (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
