/** True if a text matches a pattern, in which `*` stands for any run of characters. Linear: the parts are found in order. */
export const matches = (pattern: string, text: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return pattern === text
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let at = head.length
  for (const piece of rest) {
    const start = text.indexOf(piece, at)
    if (start === -1 || start + piece.length > end) return false
    at = start + piece.length
  }
  return true
}
