/**
 * A text of a caller's on one line of a terminal: control characters are spaces, and those that turn or hide what stands
 * beside them (U+202E) show as their code. Joiners stay: letters and emoji are written with them.
 */
export const visible = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(/(?![\u200C\u200D])[\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => `<U+${codeOf(mark)}>`)

const codeOf = (mark: string): string => (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
