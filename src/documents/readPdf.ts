import { getDocumentProxy } from "unpdf"
import { bounds } from "./bounds.ts"
import type { Line, Wanted } from "./Reading.ts"

/** Reads a PDF within the bounds on pages and characters. The parent process enforces those on memory and time. */
export const readPdf = async (bytes: Uint8Array, wanted: Wanted): Promise<Line> => {
  try {
    const pdf = await getDocumentProxy(bytes, { verbosity: 0 })
    try {
      if (pdf.numPages > bounds.pages) return { unread: "pages" }
      const last = wanted === "text" ? pdf.numPages : Math.min(pdf.numPages, pagesOfBeginning)
      const most = wanted === "text" ? bounds.characters : charactersOfBeginning
      let text = ""
      for (let number = 1; number <= last; number++) {
        const page = await pdf.getPage(number)
        text = tidy(text + (number === 1 ? "" : "\n") + (await textOf(page.streamTextContent(), most - text.length)))
        page.cleanup()
        if (wanted === "beginning" && text.trim() !== "") break
        if (text.length > most) return { unread: "characters" }
      }
      return { read: { pages: pdf.numPages, text: text.slice(0, most) } }
    } finally {
      await pdf.loadingTask.destroy()
    }
  } catch {
    return { unread: "unreadable" }
  }
}

/** Several, because scanned covers have no text. */
const pagesOfBeginning = 3
const charactersOfBeginning = 2_000

/** Reads a page's text, and stops once it is longer than `most`. */
const textOf = async (stream: ReadableStream<unknown>, most: number): Promise<string> => {
  const pieces: Array<string> = []
  let length = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return pieces.join("")
    for (const piece of piecesOf(value)) {
      pieces.push(piece)
      length += piece.length
    }
    if (length > most) {
      await reader.cancel(new Error("enough"))
      return pieces.join("")
    }
  }
}

const piecesOf = (chunk: unknown): ReadonlyArray<string> => {
  if (typeof chunk !== "object" || chunk === null || !("items" in chunk) || !Array.isArray(chunk.items)) return []
  return chunk.items.map((item: unknown) =>
    typeof item === "object" && item !== null && "str" in item && typeof item.str === "string"
      ? item.str + ("hasEOL" in item && item.hasEOL === true ? "\n" : "")
      : ""
  )
}

/** Collapses runs of spaces and of empty lines. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
