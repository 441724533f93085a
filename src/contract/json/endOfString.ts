/** Index of the quote that closes the string opened at `start`. Uses `indexOf`, because strings can be long (images). */
export const endOfString = (text: string, start: number): number => {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
    // Escaped quotes come in groups; scanning the next 64 characters is cheaper than another search.
    let next = end + 1
    for (let plain = 0; plain < 64 && next < text.length; plain++) {
      const code = text.charCodeAt(next)
      if (code === 0x22) return next
      if (code === 0x5c) plain = -1
      next += code === 0x5c ? 2 : 1
    }
    if (next >= text.length) return text.length
    end = next - 1
  }
}
