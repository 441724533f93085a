import { objectAt, textAt } from "../../contract/json/json.ts"
import type { Rest } from "../../generation/Rest.ts"
import { errorIn, errorWords } from "./errorWords.ts"
import { words } from "./errorMeaning.ts"
import type { ProviderError } from "./errorMeaning.ts"
import { byCode, byHeaders, bySentence, otherwise } from "./rests.ts"
import { quotaRest } from "./quotaFailure.ts"

/** A refusal for load, with the headers of its answer; undefined for an error inside a 200. */
export interface LoadRefusal extends ProviderError {
  readonly headers: Headers | undefined
}

/** Too many requests (429), Groq's full flex tier (498), overload. */
const ofLoad: ReadonlySet<number | undefined> = new Set([429, 498, 529])

/**
 * The part that rests after an upstream's error; undefined if it is no refusal for load. Codes and headers decide, and whole
 * beginnings of sentences that the request does not contain. Without any, the request's own lane rests.
 */
export const restOf = (refusal: LoadRefusal): Rest | undefined => {
  const { body, headers, status } = refusal
  const error = errorIn(body)
  // OpenRouter: the request may have chosen the provider that refused it.
  if (textAt(objectAt(error, "metadata"), "provider_name") !== undefined) {
    return ofLoad.has(status) ? { part: "lane" } : undefined
  }
  const codes = words(error)
  const coded = byCode(codes, status)
  if (coded !== undefined) return coded
  if (!ofLoad.has(status)) return undefined
  return (
    quotaRest(error) ??
    sentenceRest(refusal) ??
    (headers === undefined ? undefined : byHeaders(headers)) ??
    otherwise(codes)
  )
}

const longestSentence = 1_000

const sentenceRest = ({ body, sent }: LoadRefusal): Rest | undefined => {
  const message = errorWords(body)
  if (sent === undefined || message === undefined || message.length > longestSentence) return undefined
  const found = bySentence(message)
  if (found === undefined) return undefined
  // The end, because a name that the caller chose may hold the beginning of another sentence.
  return sent.includes(found.words.slice(-telling)) ? undefined : found.rest
}

/** The part of a sentence's words that a request must not hold, in UTF-16 units. */
const telling = 32
