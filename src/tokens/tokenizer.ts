import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { vocabulary } from "./vocabulary.ts"

/** Longer texts are estimated from samples, so that one body cannot hold the event loop. */
const exactUpTo = 65_536
const samples = 16
const sampleLength = 4_096
/** A "word" of more bytes is counted in stretches of this many: merging is quadratic in a word's length. */
const longestWord = 128

/**
 * Tokens of a text in o200k_base: exact up to 64 KiB characters (words of more than 128 bytes: counted in stretches);
 * beyond that an estimate from 16 evenly spread samples, within a few percent for text of one kind.
 */
export const countText = (text: string): number => {
  const known = recall(text)
  if (known !== undefined) return known
  const tokens = text.length > exactUpTo ? estimate(text) : count(text, 0, text.length)
  remember(text, tokens)
  return tokens
}

/** Whether texts of so many characters together are counted, and not estimated. */
export const isExact = (characters: number): boolean => characters <= exactUpTo

/**
 * Tokens of many texts together: those that were counted before are known, of the others 64 KiB characters are counted,
 * and what is beyond these is an estimate from half as many, taken evenly from all that is left. However many texts a
 * body has, they are counted in the time of two; a history that is sent again with more behind it, as agents do, in less.
 */
export const countTexts = (texts: ReadonlyArray<string>): number => {
  let tokens = 0
  /** Characters that may still be looked for, and counted. */
  let [sought, budget] = [mostSought, exactUpTo]
  const rest: Array<string> = []
  let characters = 0
  for (const text of texts) {
    sought -= leastRemembered + text.length
    const known = sought < 0 ? undefined : recall(text)
    if (known !== undefined) {
      tokens += known
      continue
    }
    // Whoever is longer is estimated from as many.
    const cost = Math.min(text.length, exactUpTo)
    if (cost <= budget) {
      budget -= cost
      tokens += countText(text)
    } else {
      rest.push(text)
      characters += text.length
    }
  }
  return tokens + estimateAll(rest, characters)
}

const estimateAll = (texts: ReadonlyArray<string>, characters: number): number => {
  if (characters === 0) return 0
  const share = (exactUpTo / 2 - sampleLength) / characters
  let tokens = 0
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

/**
 * What `countText` said of texts, by their hash: money is set aside by it, so nobody may make two of one hash that count
 * differently.
 */
const remembered = new Map<string, number>()
const mostRemembered = 8_192
/** Characters of a text that is remembered. Shorter ones are counted as quickly as they are looked for. */
const leastRemembered = 48
const longestRemembered = 262_144
/** Characters that are looked for of many texts together, each of which costs as many as the least beside its own. */
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
