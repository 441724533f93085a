import { Effect } from "effect"
import { SignInRefused } from "../people/SignIns.ts"

const mostBytes = 8 * 1024
/** From the first byte to the last. */
const longest = "10 seconds"

/** Reads a form of a few fields; strangers may send one. */
export const readForm = (request: Request): Effect.Effect<URLSearchParams, SignInRefused> =>
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
      return new URLSearchParams(text)
    },
    catch: () => tooLong
  }).pipe(Effect.timeoutFail({ duration: longest, onTimeout: () => tooLong }))

const tooLong = new SignInRefused({ message: "Expected a form of at most 8 KB, within 10 seconds." })
