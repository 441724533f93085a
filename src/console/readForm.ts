import { Effect } from "effect"
import { SignInRefused } from "../people/SignIns.ts"

const mostBytes = 8 * 1024

/** Reads a form of a few fields; strangers may send one. */
export const readForm = (request: Request): Effect.Effect<URLSearchParams, SignInRefused> =>
  Effect.tryPromise({
    try: async () => {
      const decoder = new TextDecoder()
      let text = ""
      let bytes = 0
      for await (const chunk of request.body ?? []) {
        bytes += chunk.byteLength
        if (bytes > mostBytes) throw new Error("too long")
        text += decoder.decode(chunk, { stream: true })
      }
      return new URLSearchParams(text)
    },
    catch: () => new SignInRefused({ message: "Expected a form of at most 8 KB." })
  })
