import { Effect } from "effect"
import { firstWords } from "./quote.ts"

/** Says how many pages a PDF has and how it begins. The reader is loaded when the first PDF comes. */
export const describePdf = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.tryPromise(async () => {
    const { getDocumentProxy } = await import("unpdf")
    // The reader takes the buffer for itself.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
    try {
      let begins = ""
      for (let page = 1; page <= Math.min(pdf.numPages, pagesRead) && begins === ""; page++) {
        const { items } = await (await pdf.getPage(page)).getTextContent()
        begins = firstWords(items.map((item) => ("str" in item ? item.str : "")).join(" "))
      }
      const pages = `a PDF of ${pdf.numPages} ${pdf.numPages === 1 ? "page" : "pages"}`
      return begins === "" ? `${pages} without text` : `${pages} that begins "${begins}"`
    } finally {
      await pdf.loadingTask.destroy()
    }
  }).pipe(Effect.orElseSucceed(() => `a PDF of ${bytes.length} bytes that I could not read`))

/** Scanned covers have no text. */
const pagesRead = 3
