import { hostedCalls } from "../contract/records/HostedCall.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Price } from "./Price.ts"

/**
 * The part of an answer besides its plain tokens that has no price: its calls, its sound and images, its writes for twelve hours.
 * `covers` refuses such a request where money is counted. Tokens cost as text.
 */
export const gapOf = (price: Price, used: Usage): string | undefined => {
  if (price.isFree) return undefined
  if (used.searches > 0 && !price.hasSearch) return "call=web_search"
  const call = used.calls && hostedCalls.find((one) => (used.calls?.[one] ?? 0) > 0 && !isPaid(price, used, one))
  if (call !== undefined) return `call=${call}`
  const { audio, cacheWriteHalfDay, image } = price.rates
  if (audio === undefined && someOf(used.audioInputTokens, used.audioOutputTokens)) return "modality=audio"
  if (image === undefined && someOf(used.imageOutputTokens)) return "modality=image"
  if (cacheWriteHalfDay === undefined && someOf(used.cacheWriteHalfDayTokens)) return "cache_write=12h"
  return undefined
}

const someOf = (...counts: ReadonlyArray<number | undefined>): boolean => counts.some((count = 0) => count > 0)

/** True if a call costs something by itself, or by the tokens of the model that worked for it. */
const isPaid = ({ calls, hasSearch }: Price, { besides }: Usage, call: (typeof hostedCalls)[number]): boolean =>
  call === "web_search" ? hasSearch : calls?.[call] !== undefined || besides?.some(({ tool }) => tool === call) === true
