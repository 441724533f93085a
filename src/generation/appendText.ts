/**
 * A text and one more piece of it. What grows by a word at a time is a tree of all its words until somebody reads it,
 * five times as large as its text: every now and then, the more rarely the longer it is, it is made one text here.
 */
export const appendText = (text: string, piece: string): string => {
  if (text === "") return piece
  const length = text.length + piece.length
  // An eighth of the power of two below, so that all the copying is a few times the length.
  const step = Math.max(128, 1 << (28 - Math.clz32(length)))
  return Math.floor(text.length / step) === Math.floor(length / step) ? text + piece : [text, piece].join("")
}
