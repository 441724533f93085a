import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { vocabulary } from "./vocabulary.ts"

/** Longer texts are estimated from samples, so that one body cannot block the event loop. */
const exactUpTo = 65_536
const samples = 16
const sampleLength = 4_096
/** A longer "word", in bytes, is counted in pieces of this length: merging is quadratic. */
const longestWord = 128

/**
 * The tokens of a text in o200k_base: exact up to 64 KiB characters (words of more than 128 bytes are counted in
 * pieces). A longer text is estimated from 16 evenly spread samples, within a few per cent for text of one kind.
 */
export const countText = (text: string): number => {
  const known = recall(text)
  if (known !== undefined) return known
  const tokens = text.length > exactUpTo ? estimate(text) : count(text, 0, text.length)
  remember(text, tokens)
  return tokens
}

/** True if texts of this many characters together are counted exactly. */
export const isExact = (characters: number): boolean => characters <= exactUpTo

interface CountedTexts {
  readonly tokens: number
  /** The tokens of the texts that are counted exactly; those of the others are estimated. */
  readonly exact: number
  readonly estimated: ReadonlyArray<string>
}

/**
 * The tokens of many texts together. Remembered counts are reused; of the rest, 64 KiB characters are counted, and what
 * exceeds them is estimated from half as many, evenly spread. Any number of texts thus costs at most as much as two,
 * and a repeated history with new text at its end, as agents send it, less.
 */
export const countTexts = (texts: ReadonlyArray<string>): CountedTexts => {
  let tokens = 0
  let exact = 0
  const estimated: Array<string> = []
  const add = (text: string, count: number) => {
    tokens += count
    if (text.length > exactUpTo) estimated.push(text)
    else exact += count
  }
  /** Characters that may still be looked up and counted. */
  let [sought, budget] = [mostSought, exactUpTo]
  const rest: Array<string> = []
  let characters = 0
  for (const text of texts) {
    sought -= leastRemembered + text.length
    const known = sought < 0 ? undefined : recall(text)
    if (known !== undefined) {
      add(text, known)
      continue
    }
    // A longer text is estimated from as many.
    const cost = Math.min(text.length, exactUpTo)
    if (cost <= budget) {
      budget -= cost
      add(text, countText(text))
    } else {
      rest.push(text)
      characters += text.length
    }
  }
  return { tokens: tokens + estimateAll(rest, characters), exact, estimated: [...estimated, ...rest] }
}

const estimateAll = (texts: ReadonlyArray<string>, characters: number): number => {
  if (characters === 0) return 0
  const share = (exactUpTo / 2 - sampleLength) / characters
  let tokens = 0
  let looked = 0
  /** Characters due for counting by now, less those that were counted. */
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

/** A word with the space before it, and its tokens. Joined, the words are the text. */
export interface Word {
  readonly text: string
  readonly tokens: number
}

/**
 * Splits a text as the tokenizer does before it merges, so that the words' tokens add up to the text's. Lazy, because
 * the words of a long text take a second.
 */
export const eachWord = function* (text: string): Generator<Word, void> {
  let start = 0
  while (start < text.length) {
    const end = wordEnd(text, start)
    yield { text: text.slice(start, end), tokens: wordTokens(text, start, end) }
    start = end
  }
}

/** The longest prefix of a text with at most `most` tokens. It never splits a character. */
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

/**
 * Results of `countText` by the text's hash. Holds depend on them, so a caller must not be able to construct two texts
 * with one hash.
 */
const remembered = new Map<string, number>()
const mostRemembered = 8_192
/** The shortest text remembered, in characters. Counting a shorter one is as fast as the look-up. */
const leastRemembered = 48
const longestRemembered = 262_144
/** The most characters to look up for many texts together. Each text costs at least the minimum. */
const mostSought = 2_097_152

const hashOf = (text: string): string | undefined =>
  text.length < leastRemembered || text.length > longestRemembered ? undefined : Bun.SHA256.hash(text, "base64")

const recall = (text: string): number | undefined => {
  const hash = hashOf(text)
  return hash === undefined ? undefined : remembered.get(hash)
}

const remember = (text: string, tokens: number): void => {
  const hash = hashOf(text)
  if (hash === undefined) return
  if (remembered.size >= mostRemembered) forgetOldest()
  remembered.set(hash, tokens)
}

const forgetOldest = () => {
  for (const hash of remembered.keys()) {
    remembered.delete(hash)
    return
  }
}

/** Its flags let `test` step through a text: every character belongs to a word. */
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
 * Byte-pair merging of the first `length` bytes of `buffer`: joins the adjacent pair of the lowest rank until no pair
 * is a token. Returns the number of tokens; their offsets are in `starts`.
 */
const merge = (length: number): number => {
  const { rank } = vocabulary()
  starts[0] = 0
  if (rank(buffer, 0, length) !== -1) return 1
  let parts = length
  const pairRank = (i: number): number => {
    if (i + 1 >= parts) return Infinity
    const merged = rank(buffer, starts[i] ?? 0, i + 2 < parts ? (starts[i + 2] ?? 0) : length)
    return merged === -1 ? Infinity : merged
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

/** @param most at least one, and fewer than the word's tokens */
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
    // `stream` drops an incomplete last character.
    const part = decoder.decode(buffer.subarray(0, bytes), { stream: true })
    decoder.decode()
    return word.slice(0, done) + part
  }
}
