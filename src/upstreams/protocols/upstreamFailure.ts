import { InvalidRequest, RateLimited, UpstreamFailed } from "../../contract/Failure.ts"
import type { Failure } from "../../contract/Failure.ts"
import { textAt } from "./json.ts"

/** The failure of an answer that stops without having ended. */
export const cutOff = new UpstreamFailed({ message: "The model's upstream ended before its answer did" })

/** An upstream's words are passed on up to this length, in UTF-16 units. */
const longest = 2_000

/**
 * What an error inside an answer (`{type, code, message}` in every dialect) means for the caller. The upstream's words
 * are kept where they concern the caller's input; what concerns the upstream's own trouble or our account is not.
 */
export const errorInAnswer = (error: unknown): Failure => {
  const kind = `${textAt(error, "type") ?? ""} ${textAt(error, "code") ?? ""}`
  const said = textAt(error, "message")
  const message = said === undefined ? undefined : forCallers(said).slice(0, longest)
  if (/rate_limit|too_many_requests/.test(kind)) return new RateLimited({ retryAfterSeconds: null })
  if (/\binvalid_request|\binvalid_prompt|context_length_exceeded|image|content_policy|bio_policy/.test(kind)) {
    return new InvalidRequest({ param: null, ...(message === undefined ? {} : { message }) })
  }
  return /overloaded/.test(kind)
    ? new UpstreamFailed({ message: "The model's upstream is overloaded" })
    : new UpstreamFailed({})
}

/** Addresses, and what looks like a key. */
const inner =
  /https?:\/\/[^\s"'<>)\]]+|\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?|\b(?:sk|key|tok)-[\w-]{4,}|\bBearer [\w.~+/=-]+/g

/**
 * An upstream's words without its inner life.
 *
 * @param sent what the caller sent: addresses in it are its own, and worth reading
 */
export const forCallers = (words: string, sent = ""): string =>
  words.replace(inner, (found) => (sent.includes(found) ? found : "[…]"))

/** The failure of an answer that makes no sense. */
export const garbled = new UpstreamFailed({ message: "The model's upstream sent something that is no answer" })
