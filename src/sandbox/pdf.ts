import { Effect } from "effect"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import type { ReadDocument } from "../documents/Documents.ts"
import { firstWords } from "./excerpts.ts"

/** Describes a PDF by its pages and its beginning. Fails if reading it exceeds the limits. */
export const describePdf = (bytes: Uint8Array, read: ReadDocument): Effect.Effect<string, InvalidRequest> =>
  Effect.map(read(bytes, "beginning"), ({ pages, text }) => {
    const description = `a PDF of ${pages} ${pages === 1 ? "page" : "pages"}`
    const begins = firstWords(text)
    return begins === "" ? `${description} without text` : `${description} that begins "${begins}"`
  }).pipe(
    Effect.catchAll(({ refusal, why }) =>
      why === "unreadable" ? Effect.succeed(`a PDF of ${bytes.length} bytes that I could not read`) : refusal
    )
  )
