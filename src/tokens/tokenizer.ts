import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { vocabulary } from "./vocabulary.ts"

/** Longer texts are estimated from samples, so that one body cannot hold the event loop. */
const exactUpTo = 65_536
const samples = 16
const sampleLength = 4_096
/** A "word" of more bytes is counted in stretches of this many: merging is quadratic in a word's length. */
const longestWord = 128
/** Texts up to this length are remembered. */
const rememberedLength = 2_048
const rememberedTexts = 1_024

const remembered = new Map<string, number>()

/**
 * Tokens of a text in o200k_base: exact up to 64 KiB characters (words of more than 128 bytes: counted in stretches);
 * beyond that an estimate from 16 evenly spread samples, within a few percent for text of one kind.
 */
export const countText = (text: string): number => {
  if (text === "") return 0
  if (text.length > rememberedLength) return text.length > exactUpTo ? estimate(text) : count(text, 0, text.length)
  const known = remembered.get(text)
  if (known !== undefined) return known
  const tokens = count(text, 0, text.length)
  if (remembered.size >= rememberedTexts) forgetOldest()
  remembered.set(text, tokens)
  return tokens
}

/** Whether texts of so many characters together are counted, and not estimated. */
export const isExact = (characters: number): boolean => characters <= exactUpTo

/**
 * Tokens of many texts together: exact where they have 64 KiB characters or fewer, beyond that an estimate from as many,
 * taken evenly from all of them. However many texts a body has, they are counted in the time of one.
 */
export const countTexts = (texts: ReadonlyArray<string>): number => {
  let characters = 0
  for (const text of texts) characters += text.length
  let tokens = 0
  if (isExact(characters)) {
    for (const text of texts) tokens += countText(text)
    return tokens
  }
  const share = (exactUpTo - sampleLength) / characters
  let looked = 0
  /** Characters that may be looked at by now, less those that were. */
  let credit = 0
  for (const text of texts) {
    credit += text.length * share
    if (credit <= 0) continue
    const stretches = Math.max(1, Math.floor(credit / sampleLength))
    const length = Math.min(text.length, sampleLength)
    const stride = stretches === 1 ? 0 : Math.floor((text.length - length) / (stretches - 1))
    for (let i = 0; i < stretches; i++) tokens += count(text, i * stride, i * stride + length)
    looked += stretches * length
    credit -= stretches * length
  }
  return Math.round((tokens * characters) / looked)
}

/** A word of a text (with the space before it) and its tokens; the words of a text join to the text. */
export interface Word {
  readonly text: string
  readonly tokens: number
}

/**
 * Splits a text the way the tokenizer does before it merges, so that the words' tokens add up to the text's. Each is found
 * when it is taken: a long text's words are a second's work.
 */
export const eachWord = function* (text: string): Generator<Word, void> {
  let start = 0
  while (start < text.length) {
    const end = wordEnd(text, start)
    yield { text: text.slice(start, end), tokens: wordTokens(text, start, end) }
    start = end
  }
}

/** The longest beginning of a text that has at most so many tokens; a character is never cut in two. */
export const firstTokens = (text: string, most: number): string => {
  let left = most
  let start = 0
  while (start < text.length && left > 0) {
    const end = wordEnd(text, start)
    const tokens = wordTokens(text, start, end)
    if (tokens > left) return text.slice(0, start) + partOfWord(text.slice(start, end), left)
    left -= tokens
    start = end
  }
  return text.slice(0, start)
}

const forgetOldest = () => {
  for (const key of remembered.keys()) {
    remembered.delete(key)
    return
  }
}

/** Its flags let `test` walk over a text: every character belongs to a word. */
const words = new RegExp(O200K_TOKEN_SPLIT_REGEX.source, O200K_TOKEN_SPLIT_REGEX.flags)

const wordEnd = (text: string, start: number): number => {
  words.lastIndex = start
  return words.test(text) ? words.lastIndex : text.length
}

const count = (text: string, from: number, to: number): number => {
  const part = from === 0 && to === text.length ? text : text.slice(from, to)
  let tokens = 0
  let start = 0
  while (start < part.length) {
    const end = wordEnd(part, start)
    tokens += wordTokens(part, start, end)
    start = end
  }
  return tokens
}

const estimate = (text: string): number => {
  const stride = Math.floor((text.length - sampleLength) / (samples - 1))
  let tokens = 0
  for (let i = 0; i < samples; i++) tokens += count(text, i * stride, i * stride + sampleLength)
  return Math.round((tokens * text.length) / (samples * sampleLength))
}

const utf8 = new TextEncoder()
const buffer = new Uint8Array(longestWord)
const ranks = new Float64Array(longestWord)
const starts = new Int32Array(longestWord + 1)

const wordTokens = (text: string, start: number, end: number): number => {
  const vocab = vocabulary()
  if (vocab.asciiRank(text, start, end) !== -1) return 1
  let tokens = 0
  let rest = text.slice(start, end)
  while (rest !== "") {
    const { read, written } = utf8.encodeInto(rest, buffer)
    tokens += merge(written)
    rest = rest.slice(read)
  }
  return tokens
}

/**
 * Byte-pair merging of the first `length` bytes of `buffer`: the adjacent pair of the lowest rank becomes one, until no
 * pair is a token. Answers the number of tokens; their beginnings are in `starts`.
 */
const merge = (length: number): number => {
  const { rank } = vocabulary()
  starts[0] = 0
  if (rank(buffer, 0, length) !== -1) return 1
  let parts = length
  const pairRank = (i: number): number => {
    if (i + 1 >= parts) return Infinity
    const found = rank(buffer, starts[i] ?? 0, i + 2 < parts ? (starts[i + 2] ?? 0) : length)
    return found === -1 ? Infinity : found
  }
  for (let i = 0; i < length; i++) starts[i] = i
  for (let i = 0; i < length; i++) ranks[i] = pairRank(i)
  for (;;) {
    let lowest = Infinity
    let at = -1
    for (let i = 0; i < parts - 1; i++) {
      const candidate = ranks[i] ?? Infinity
      if (candidate < lowest) {
        lowest = candidate
        at = i
      }
    }
    if (at === -1) return parts
    starts.copyWithin(at + 1, at + 2, parts)
    ranks.copyWithin(at + 1, at + 2, parts)
    parts--
    ranks[at] = pairRank(at)
    if (at > 0) ranks[at - 1] = pairRank(at - 1)
  }
}

const decoder = new TextDecoder()

/** @param most fewer than the word's tokens, at least one */
const partOfWord = (word: string, most: number): string => {
  let left = most
  let done = 0
  for (;;) {
    const rest = word.slice(done)
    const { read, written } = utf8.encodeInto(rest, buffer)
    const tokens = merge(written)
    if (tokens <= left && read < rest.length) {
      left -= tokens
      done += read
      continue
    }
    if (tokens <= left) return word
    const bytes = starts[left] ?? 0
    // `stream` holds back a character whose bytes are not all there.
    const part = decoder.decode(buffer.subarray(0, bytes), { stream: true })
    decoder.decode()
    return word.slice(0, done) + part
  }
}
