import type { Places } from "../bodies/BodyText.ts"
import { endOfString } from "./endOfString.ts"

/** The limits of a JSON text, checked before `JSON.parse`: parsing or walking more could block the event loop. */
export interface JsonBounds {
  readonly levels: number
  readonly keys: number
  /** Per object: the engine is ten times slower with thousands of different keys. */
  readonly keysOfObject: number
  /** Keys, list elements and brackets together. */
  readonly values: number
  /** Objects and lists together. */
  readonly brackets: number
  /**
   * Objects in one list, and objects in all lists, except those of log probabilities, of which every token has dozens.
   */
  readonly items: number
  readonly objects: number
}

/** For callers' bodies. */
export const bodyBounds: JsonBounds = {
  levels: 64,
  keys: 100_000,
  keysOfObject: 10_000,
  values: 300_000,
  brackets: Infinity,
  items: Infinity,
  objects: Infinity
}

/** For upstreams' answers. Vectors have millions of numbers. */
export const answerBounds: JsonBounds = {
  levels: 64,
  keys: 3_000_000,
  keysOfObject: 10_000,
  values: Infinity,
  brackets: 1_000_000,
  items: 10_000,
  objects: 100_000
}

/** The most elements of a list whose positions are recorded. A longer list is copied as a whole or serialized again. */
const mostMarks = 10_000

/** The characters below which a text with few brackets exceeds no bound: the least of them, the levels aside, needs more. */
const shortText = 20_000

/** True if a text has at most so many opening brackets; then it is no deeper either. */
const hasFewBrackets = (text: string, most: number): boolean => {
  let count = 0
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (++count > most) return false
  }
  return true
}

/** The message for an exceeded limit. */
export const excessWords = (excess: keyof JsonBounds, bounds: JsonBounds): string =>
  `more than ${bounds[excess]} ${excess === "keysOfObject" ? "keys in one object" : excess}`

/**
 * The first limit that a JSON text exceeds; undefined if none. One pass over the text, which also records the positions
 * of the object's members.
 */
export const excessOf = (text: string, bounds: JsonBounds, places?: Places): keyof JsonBounds | undefined => {
  // Too short to exceed a limit: one level too many needs twice as many characters. Most texts are short.
  if (text.length < 2 * bounds.levels) return undefined
  // The frame of a stream, and most answers: counting brackets is a tenth of the work below.
  if (places === undefined && text.length < shortText && hasFewBrackets(text, bounds.levels)) return undefined
  let depth = 0
  let keys = 0
  let values = 0
  let brackets = 0
  let objects = 0
  /** The number of keys so far in the open object at each depth, or of objects in the open list. */
  const countAt = new Int32Array(bounds.levels + 1)
  /** The kind of value that is open at each depth (object or list), and whether it belongs to log probabilities. */
  const kindAt = new Uint8Array(bounds.levels + 1)
  /** The closing quote of the last string: before a bracket in an object, the one of its key. */
  let quote = 0
  /** The open member: its start, its colon, and, while it is a list, the positions of its elements. */
  let from = 0
  let colon = 0
  let marks: Array<number> = []
  let isList = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    switch (code) {
      case 0x22: // "
        quote = i = endOfString(text, i)
        break
      case 0x7b: // {
      case 0x5b: {
        // [
        const outer = kindAt[depth] ?? 0
        if (++depth > bounds.levels) return "levels"
        const isLogprobs =
          outer >= logprobs ||
          (outer === object &&
            // OpenAI's name, and Gemini's.
            (text.startsWith('logprobs"', quote - 8) || text.startsWith('logprobsResult"', quote - 14)))
        kindAt[depth] = (code === 0x5b ? list : object) + (isLogprobs ? logprobs : 0)
        countAt[depth] = 0
        if (code === 0x7b) {
          if (depth === 1) from = i + 1
          if (outer === list && !isLogprobs) {
            countAt[depth - 1] = (countAt[depth - 1] ?? 0) + 1
            if ((countAt[depth - 1] ?? 0) > bounds.items) return "items"
            if (++objects > bounds.objects) return "objects"
          }
        } else if (depth === 2) {
          isList = true
          marks.push(i)
        }
        if (++brackets > bounds.brackets) return "brackets"
        if (++values > bounds.values) return "values"
        break
      }
      case 0x7d: // }
        if (--depth === 0 && colon > 0) places?.members.push({ from, colon, to: i, marks })
        break
      case 0x5d: // ]
        if (--depth === 1 && isList) {
          isList = false
          marks.push(i)
        }
        break
      case 0x3a: // :
        if (depth === 1) colon = i
        if (++keys > bounds.keys) return "keys"
        countAt[depth] = (countAt[depth] ?? 0) + 1
        if ((countAt[depth] ?? 0) > bounds.keysOfObject) return "keysOfObject"
        break
      case 0x2c: // ,
        if (depth === 1) {
          places?.members.push({ from, colon, to: i, marks })
          from = i + 1
          if (marks.length > 0) marks = []
        } else if (depth === 2 && isList && marks.length < mostMarks) marks.push(i)
        if (++values > bounds.values) return "values"
        break
    }
  }
  if (places !== undefined) places.keys = keys
  return undefined
}

const object = 1
const list = 2
/** Added to either. */
const logprobs = 4
