import { Effect, Runtime } from "effect"
import { LineStore } from "./store/LineStore.ts"
import type { EndedLine } from "./store/BatchRow.ts"

/** Lines read at a time. */
const atOnce = 50

/** Makes a function that streams a batch's lines as text, page by page, as fast as they are read. */
export const makeLinesStream = Effect.gen(function* () {
  const lines = yield* LineStore
  const runtime = yield* Effect.runtime()
  const encoder = new TextEncoder()

  return (batch: string, written: (line: EndedLine) => string): ReadableStream<Uint8Array> => {
    let after = -1
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const page = await Runtime.runPromise(runtime)(lines.page(batch, after, atOnce))
          const last = page.at(-1)
          if (last === undefined) return controller.close()
          after = last.place
          controller.enqueue(encoder.encode(page.map(written).join("")))
        }
      },
      { highWaterMark: 0 }
    )
  }
})
