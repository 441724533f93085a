import type { Read } from "../../files/checkFile.ts"

/** The longest text before the member. */
const mostBefore = 1024 * 1024
/** The longest text that `begins` matches. */
const mostName = 256

/**
 * The bytes of a member of a JSON document, a string in base64, as the document comes: no more than a chunk is in memory.
 * Rejects if there is none, or the document ends within it.
 *
 * @param begins matches what is before the string, its quotation mark included
 */
export const base64Member = (read: Read, begins: RegExp): Read => {
  let text = ""
  let before = 0
  let isInside = false
  let isOver = false

  const more = async (): Promise<void> => {
    const chunk = await read()
    if (chunk === undefined) throw new Error(`the answer ended within its file, or before`)
    text += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
  }

  const enter = async (): Promise<void> => {
    for (;;) {
      const found = begins.exec(text)
      if (found !== null) {
        text = text.slice(found.index + found[0].length)
        isInside = true
        return
      }
      // Each chunk is searched once.
      const rest = text.slice(-mostName)
      before += text.length - rest.length
      text = rest
      if (before > mostBefore) throw new Error(`the answer has no file`)
      await more()
    }
  }

  return async () => {
    if (isOver) return undefined
    if (!isInside) await enter()
    for (;;) {
      const end = text.indexOf('"')
      isOver = end >= 0
      const whole = isOver ? text.slice(0, end) : text.slice(0, text.length - unfinished(text))
      const plain = unescaped(whole)
      // Three bytes are four characters.
      const groups = isOver ? plain.length : plain.length - (plain.length % 4)
      if (groups > 0) {
        text = plain.slice(groups) + text.slice(whole.length)
        return Buffer.from(plain.slice(0, groups), "base64")
      }
      if (isOver) return undefined
      await more()
    }
  }
}

/** The length of an escape at the end that lacks characters. */
const unfinished = (text: string): number => {
  const at = text.lastIndexOf("\\", text.length - 1)
  const length = text.length - at
  return at < 0 || length > 5 || (length > 1 && text[at + 1] !== "u") ? 0 : length
}

/** JSON may escape the slash and the equals sign of base64. */
const unescaped = (text: string): string =>
  text.includes("\\") ? text.replaceAll("\\/", "/").replaceAll(/\\u003d/gi, "=") : text
