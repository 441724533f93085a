import { Effect } from "effect"
import type { InvalidRequest } from "../contract/Failure.ts"
import type { ReadDocument } from "../documents/Documents.ts"
import { firstWords } from "./excerpts.ts"

/** Says how many pages a PDF has and how it begins. Fails where reading it takes too much. */
export const describePdf = (bytes: Uint8Array, read: ReadDocument): Effect.Effect<string, InvalidRequest> =>
  Effect.map(read(bytes, "beginning"), ({ pages, text }) => {
    const said = `a PDF of ${pages} ${pages === 1 ? "page" : "pages"}`
    const begins = firstWords(text)
    return begins === "" ? `${said} without text` : `${said} that begins "${begins}"`
  }).pipe(
    Effect.catchAll(({ refusal, why }) =>
      why === "unreadable" ? Effect.succeed(`a PDF of ${bytes.length} bytes that I could not read`) : refusal
    )
  )
