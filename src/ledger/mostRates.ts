import type { ModalTokens } from "../tokens/tokens.ts"
import type { modalities, ModalRates, Rates, Steps } from "./rates.ts"

/** The bounds of a request. A member that is left out is held at the dearest rates. */
export interface Bound {
  readonly inputTokens: number
  /** The input tokens that are no text. Absent: any may be of the dearest kind. */
  readonly modal?: ModalTokens
  /** False if the answer has no sound. */
  readonly writesSound?: boolean
  /** False if no cache entry lives for an hour or longer. */
  readonly cachesLong?: boolean
}

/** Providers count inputs a little differently: one that is this near a step may pass it. */
const nearStep = 1.02

/** The highest rates of what a request may use, among all steps that its input may reach. */
export const mostRates = ({ rates, tiers }: Steps, bound: Bound): Rates => {
  const most = Math.ceil(bound.inputTokens * nearStep)
  const reached = [rates, ...tiers.flatMap((tier) => (most > tier.above ? [tier.rates] : []))].map((one) =>
    highestOf(one, bound)
  )
  const highest = (of: (one: Highest) => number) => Math.max(...reached.map(of))
  const [input, output] = [highest((one) => one.input), highest((one) => one.output)]
  const modal = (kind: (typeof modalities)[number]) => {
    const most = highest((one) => one[kind])
    return { input: most, cacheRead: most, output }
  }
  return {
    input,
    cacheRead: input,
    cacheWrite: input,
    output,
    reasoning: output,
    ...(bound.modal && { audio: modal("audio"), image: modal("image"), video: modal("video") })
  }
}

type Highest = ReturnType<typeof highestOf>

const highestOf = (rates: Rates, { cachesLong = true, modal, writesSound = true }: Bound) => {
  const { audio, cacheRead, cacheWrite, cacheWriteHalfDay = 0, cacheWriteHour = 0, image, video } = rates
  const text = Math.max(rates.input, cacheRead, cacheWrite, ...(cachesLong ? [cacheWriteHour, cacheWriteHalfDay] : []))
  const inputOf = (kind: ModalRates | undefined) => Math.max(text, kind?.input ?? 0, kind?.cacheRead ?? 0)
  const kinds = { audio: inputOf(audio), image: inputOf(image), video: inputOf(video) }
  const written = [writesSound ? audio : undefined, image, video].map((kind) => kind?.output ?? 0)
  return {
    ...kinds,
    input: modal === undefined ? Math.max(...Object.values(kinds)) : text,
    output: Math.max(rates.output, rates.reasoning, ...written)
  }
}
