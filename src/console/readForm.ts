import { Effect } from "effect"
import { SignInRefused } from "../people/SignIns.ts"

const mostBytes = 8 * 1024
/** From the first byte to the last. */
const longest = "10 seconds"

/** Reads a short body; strangers may send one. */
export const readShort = (request: Request): Effect.Effect<string, SignInRefused> =>
  Effect.tryPromise({
    try: async (signal) => {
      const reader = request.body?.getReader()
      signal.addEventListener("abort", () => void reader?.cancel())
      const decoder = new TextDecoder()
      let text = ""
      let bytes = 0
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
        bytes += read.value.byteLength
        if (bytes > mostBytes) throw new Error("too long")
        text += decoder.decode(read.value, { stream: true })
      }
      return text
    },
    catch: () => tooLong
  }).pipe(Effect.timeoutFail({ duration: longest, onTimeout: () => tooLong }))

/** The same for a form of a few fields. */
export const readForm = (request: Request): Effect.Effect<URLSearchParams, SignInRefused> =>
  Effect.map(readShort(request), (text) => new URLSearchParams(text))

const tooLong = new SignInRefused({ message: "Expected a body of at most 8 KB, within 10 seconds." })
