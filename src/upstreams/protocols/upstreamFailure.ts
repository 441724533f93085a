import { InvalidRequest, RateLimited, UpstreamFailed } from "../../contract/Failure.ts"
import type { Failure } from "../../contract/Failure.ts"
import { numberAt, parseJson, textAt } from "../../contract/json.ts"
import { answerBounds, excessOf, excessWords } from "../../contract/jsonBounds.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { errorCode, isAboutInput, troubleOf } from "./errorMeaning.ts"
import { errorWords } from "./errorWords.ts"

/** The failure of an answer that stops without having ended. */
export const cutOff = new UpstreamFailed({ message: "The model's upstream ended before its answer did" })

/** The failure of an answer with a tool call whose arguments stop half-way, though nothing says that they do. */
export const cutCall = new UpstreamFailed({ message: "The model's upstream sent half a tool call" })

/** An upstream's words are passed on up to this length, in UTF-16 units. */
const longest = 2_000

/**
 * What an error inside an answer (`{type, code, message}` in every dialect, where a code may be an HTTP status) means for
 * the caller. The upstream's words are kept where they concern the caller's input; what concerns the upstream's own
 * trouble or our account is for the log.
 */
export const failedWith = (error: unknown): Extract<GenerationEvent, { readonly type: "failed" }> => {
  const words = [wordAt(error, "type"), wordAt(error, "code"), errorWords({ error })]
  const said = words.filter((word) => word !== undefined && word !== "").join(": ")
  const status = Number(wordAt(error, "code") ?? Number.NaN)
  const told = troubleOf({ status, body: { error }, sent: undefined })
  const failure = told === "empty-account" || told === "refused-key" ? new UpstreamFailed({}) : failureOf(error, status)
  const trouble = told ?? (failure._tag === "RateLimited" || failure === overloaded ? "saturated" : undefined)
  return {
    type: "failed",
    failure,
    ...(trouble === undefined ? {} : { trouble }),
    ...(said === "" ? {} : { said: forCallers(said).slice(0, longest) })
  }
}

const overloaded = new UpstreamFailed({ message: "The model's upstream is overloaded" })

const failureOf = (error: unknown, status: number): Failure => {
  const kind = `${textAt(error, "type") ?? ""} ${textAt(error, "code") ?? ""}`
  const said = errorWords({ error })
  const message = said === undefined ? undefined : forCallers(said).slice(0, longest)
  if (status === 429 || /rate_limit|too_many_requests/.test(kind)) return new RateLimited({ retryAfterSeconds: null })
  if (
    [400, 413, 422].includes(status) ||
    isAboutInput({ status, body: { error } }) ||
    /\binvalid_request|\binvalid_prompt|context_length_exceeded|image|content_filter|_policy/.test(kind)
  ) {
    const upstreamCode = errorCode(error)
    return new InvalidRequest({
      param: null,
      isInStream: true,
      ...(message === undefined ? {} : { message }),
      ...(upstreamCode === undefined ? {} : { upstreamCode })
    })
  }
  return status === 529 || /overloaded/.test(kind) ? overloaded : new UpstreamFailed({})
}

const wordAt = (error: unknown, key: string): string | undefined =>
  textAt(error, key) ?? numberAt(error, key)?.toString()

/** Addresses, and what looks like a key: one by one, since together nobody can prove that they take linear time. */
const inner = [
  /https?:\/\/[^\s"'<>)\]]+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?/g,
  /\b(?:sk|key|tok)-[\w-]{4,}/g,
  /\bBearer [\w.~+/=-]+/g
]

/**
 * An upstream's words without its inner life.
 *
 * @param sent what the caller sent: addresses in it are its own, and worth reading
 */
export const forCallers = (words: string, sent = ""): string =>
  inner.reduce((text, one) => text.replace(one, (found) => (sent.includes(found) ? found : "[…]")), words)

/** The failure of an answer with more in it than is read of any. */
export const tooMuch = new UpstreamFailed({
  message: `The model's upstream sent ${excessWords("items", answerBounds)}`
})

/** The failure of an answer that makes no sense. */
export const garbled = new UpstreamFailed({ message: "The model's upstream sent something that is no answer" })

/** The failure of an answer in one piece that would be a far longer stream. */
export const tooLongAsStream: Extract<GenerationEvent, { readonly type: "failed" }> = {
  type: "failed",
  failure: garbled,
  said: "an answer in one piece that is too long as a stream"
}

/** The same as `garbled`, with how the answer begins, for the log. */
export const noAnswer = (answer: string): Extract<GenerationEvent, { readonly type: "failed" }> => {
  const begin = forCallers(answer.slice(0, longest)).replaceAll(/\s+/g, " ").trim().slice(0, told)
  const excess = excessOf(answer, answerBounds)
  const what =
    begin === ""
      ? "nothing"
      : excess !== undefined
        ? excessWords(excess, answerBounds)
        : parseJson(answer) === undefined
          ? "no JSON"
          : "no answer"
  return { type: "failed", failure: garbled, said: begin === "" ? what : `${what}: ${begin}` }
}

/** How much of an answer that is none is told, in UTF-16 units. */
const told = 200
