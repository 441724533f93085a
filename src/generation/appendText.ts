/**
 * Appends a piece to a text. JavaScript keeps such a text as a tree of its pieces, five times as large, until it is
 * read; this flattens it from time to time, less often as it grows.
 */
export const appendText = (text: string, piece: string): string => {
  if (text === "") return piece
  const length = text.length + piece.length
  // An eighth of the power of two below the length bounds all copying to a few times the length.
  const step = Math.max(128, 1 << (28 - Math.clz32(length)))
  return Math.floor(text.length / step) === Math.floor(length / step) ? text + piece : [text, piece].join("")
}
