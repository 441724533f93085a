/*
 * Prices with all dimensions, and what an answer costs at them: by the rules that docs/configuration.md states, in exact
 * integers, without the gateway's own code.
 */

const short = { input: 2, cached_input: 0.2, cache_write: 2.5, output: 16 }
const long = { input: 4, cached_input: 0.4, cache_write: 5, output: 24 }
/** Input tokens from which a request is long. */
const step = 2_000

export const prices = {
  responses: {
    ...short,
    cache_write_12h: 5,
    audio: { input: 32, cached_input: 3, output: 64 },
    image: { input: 8, cached_input: 2, output: 30 },
    above: { [step]: { ...long, cache_write_12h: 10 } },
    // Its own rates replace the others, with their steps and modalities.
    service_tier: { priority: 2, flex: 0.5, scale: { input: 7, cached_input: 0.7, cache_write: 9, output: 50 } },
    factor: 1.1,
    per_search: 0.01,
    per_call: { code_interpreter: 0.03, file_search: { usd: 0.0025, once: true } },
    per_request: 0.000123
  },
  messages: {
    ...short,
    cache_write_1h: 4,
    above: { [step]: { ...long, cache_write_1h: 8 } },
    speed: { fast: 2 },
    inference_geo: { us: 1.1 },
    per_search: 0.01
  },
  chat: { input: 20, output: 100, told: true }
} as const

/** Of the model that makes images, and of an advisor. */
export const otherPrice = { input: 5, cached_input: 1.25, output: 20, image: { input: 8, cached_input: 2, output: 30 } }

/** A count at a rate in USD: per million after a factor in hundredths, or by the piece. */
interface Part {
  readonly count: number
  readonly usd: number
  readonly percent?: bigint
  readonly isPiece?: true
}
const piece = (count: number, usd: number): Part => ({ count, usd, isPiece: true })

/** Rounded half up, once. */
const nanoOf = (parts: ReadonlyArray<Part>): number => {
  const parted = parts.reduce((sum, { count, isPiece, percent = 100n, usd }) => {
    const nano = BigInt(count) * BigInt(Math.round(usd * 1e9))
    return sum + (isPiece === true ? nano * 100_000_000n : nano * percent)
  }, 0n)
  return Number((parted + 50_000_000n) / 100_000_000n)
}

export interface Responses {
  readonly text: number
  readonly audio: number
  readonly image: number
  readonly cached: number
  readonly written: number
  readonly halfDay: number
  readonly output: number
  readonly audioOut: number
  readonly imageOut: number
  readonly tier: string | undefined
  readonly searches: number
  readonly code: number
  readonly files: number
  readonly picture: { readonly input: number; readonly image: number; readonly output: number } | undefined
}

const tiers: Readonly<Record<string, bigint>> = { priority: 220n, fast: 220n, flex: 55n }

export const costOfResponses = (one: Responses): number => {
  const { audio, image, text, tier, written } = one
  const { responses } = prices
  const row: {
    readonly [Name in keyof typeof long]: number
  } & { readonly cache_write_12h?: number } =
    tier === "scale" ? responses.service_tier.scale : text + audio + image > step ? responses.above[step] : responses
  const asText = { input: row.input, cached_input: row.cached_input, output: row.output }
  const [sound, picture] = row === responses ? [responses.audio, responses.image] : [asText, asText]
  // Cached tokens are text first.
  const cachedText = Math.min(one.cached, text)
  const cachedAudio = Math.min(one.cached - cachedText, audio)
  const cachedImage = one.cached - cachedText - cachedAudio
  const percent = tiers[tier ?? ""] ?? 110n
  const tokens: ReadonlyArray<readonly [number, number]> = [
    [text - cachedText - written, row.input],
    [audio - cachedAudio, sound.input],
    [image - cachedImage, picture.input],
    [cachedText, row.cached_input],
    [cachedAudio, sound.cached_input],
    [cachedImage, picture.cached_input],
    [written - one.halfDay, row.cache_write],
    [one.halfDay, row.cache_write_12h ?? row.cache_write],
    [one.output, row.output],
    [one.audioOut, sound.output],
    [one.imageOut, picture.output]
  ]
  return nanoOf([
    ...tokens.map(([count, usd]) => ({ count, usd, percent })),
    piece(one.searches, responses.per_search),
    piece(one.code, responses.per_call.code_interpreter),
    piece(Math.min(1, one.files), responses.per_call.file_search.usd),
    piece(1, responses.per_request),
    ...(one.picture === undefined
      ? []
      : [
          { count: one.picture.input, usd: otherPrice.input },
          { count: one.picture.image, usd: otherPrice.image.input },
          { count: one.picture.output, usd: otherPrice.image.output }
        ])
  ])
}

export interface Generation {
  readonly input: number
  readonly output: number
}

export interface Messages extends Generation {
  readonly read: number
  readonly written: number
  readonly hour: number
  readonly speed: string | undefined
  readonly geo: string | undefined
  readonly searches: number
  readonly compaction: Generation | undefined
  readonly advisor: Generation | undefined
}

export const costOfMessages = (one: Messages): number => {
  const { messages } = prices
  const percent = (one.speed === "fast" ? 2n : 1n) * (one.geo === "us" ? 110n : 100n)
  const rowOf = (whole: number) => (whole > step ? messages.above[step] : messages)
  const row = rowOf(one.input + one.read + one.written + one.hour)
  const { advisor, compaction } = one
  return nanoOf([
    { count: one.input, usd: row.input, percent },
    { count: one.read, usd: row.cached_input, percent },
    { count: one.written, usd: row.cache_write, percent },
    { count: one.hour, usd: row.cache_write_1h, percent },
    { count: one.output, usd: row.output, percent },
    piece(one.searches, messages.per_search),
    ...(compaction === undefined
      ? []
      : [
          { count: compaction.input, usd: rowOf(compaction.input).input, percent },
          { count: compaction.output, usd: rowOf(compaction.input).output, percent }
        ]),
    ...(advisor === undefined
      ? []
      : [
          { count: advisor.input, usd: otherPrice.input },
          { count: advisor.output, usd: otherPrice.output }
        ])
  ])
}

/** By its rates, if what it tells is not believed. */
export const costOfChat = ({ input, output }: Generation): number =>
  nanoOf([
    { count: input, usd: prices.chat.input },
    { count: output, usd: prices.chat.output }
  ])
