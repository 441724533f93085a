import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { linkAt } from "../../link.ts"
import type { Citation, SearchResult } from "../../../generation/Conversation.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"

/** The searches behind an answer, and the places in its text that they support. */
export interface Grounding {
  readonly queries: ReadonlyArray<string>
  readonly results: ReadonlyArray<SearchResult>
  readonly supports: ReadonlyArray<unknown>
}

/** The grounding of a candidate; undefined if it is not grounded. */
export const groundingIn = (candidate: unknown): Grounding | undefined => {
  const metadata = objectAt(candidate, "groundingMetadata")
  const told = listAt(metadata, "webSearchQueries").filter((query) => typeof query === "string")
  // Repeated and empty ones are no searches.
  const queries = [...new Set(told)].filter((query) => query.trim() !== "")
  const results = listAt(metadata, "groundingChunks").map((chunk): SearchResult => {
    const web = objectAt(chunk, "web")
    return { url: linkAt(web, "uri") ?? "", title: textAt(web, "title") ?? "", text: "", pageAge: null }
  })
  if (queries.length === 0 && results.length === 0) return undefined
  return { queries, results, supports: listAt(metadata, "groundingSupports") }
}

/** One search for all queries: the upstream does not tell which of them found a page. */
export const searchEvents = ({ queries, results }: Grounding, answerId: string): ReadonlyArray<GenerationEvent> => {
  const id = `${ownPrefix}${answerId}`
  const outcome = { type: "results", results: results.filter(({ url }) => url !== "") } as const
  return [
    { type: "search-start", id, query: queries.join("; ") },
    { type: "search-end", id, outcome }
  ]
}

const ownPrefix = "gsearch_"

/** True for a search behind one of its own answers. The dialect has no form to send it back, and the answer suffices. */
export const isOwnSearch = (id: string): boolean => /^(?:srvtoolu_)?gsearch_/.test(id)

/** A piece of a text that the upstream's segments do not count, in UTF-16 units. */
export interface AddedText {
  readonly at: number
  readonly length: number
}

/**
 * The citations of a text, one for each page that supports a segment. Segments count bytes of UTF-8.
 *
 * @param added pieces of the text that the segments do not count, in order
 */
export const citationEvents = (
  { results, supports }: Grounding,
  whole: string,
  added: ReadonlyArray<AddedText> = []
): ReadonlyArray<GenerationEvent> => {
  const text = withoutAdded(whole, added)
  const segments = supports.map((support) => segmentOf(support))
  const units = unitOffsets(
    text,
    segments.flatMap(({ endByte, startByte }) => [startByte, endByte])
  )
  return supports.flatMap((support, at) => {
    const { endByte = 0, startByte = 0, words = "" } = segments[at] ?? {}
    const [start, end] = [units.get(startByte), units.get(endByte)]
    if (start === undefined || end === undefined || start >= end) return []
    const citedText = words.slice(0, 150)
    return listAt(support, "groundingChunkIndices").flatMap((index): ReadonlyArray<GenerationEvent> => {
      const page = typeof index === "number" ? results[index] : undefined
      if (page === undefined || page.url === "") return []
      const citation: Citation = {
        url: page.url,
        title: page.title,
        citedText,
        start: placeIn(added, (at) => at <= start, start),
        end: placeIn(added, (at) => at < end, end)
      }
      return [{ type: "citation", citation }]
    })
  })
}

const withoutAdded = (whole: string, added: ReadonlyArray<AddedText>): string => {
  let text = ""
  let from = 0
  for (const { at, length } of added) {
    text += whole.slice(from, at)
    from = at + length
  }
  return text + whole.slice(from)
}

/** The place in the whole text of one in the text without the pieces that are added to it before. */
const placeIn = (added: ReadonlyArray<AddedText>, isBefore: (at: number) => boolean, place: number): number => {
  let moved = 0
  for (const { at, length } of added) {
    if (!isBefore(at - moved)) break
    moved += length
  }
  return place + moved
}

const segmentOf = (support: unknown) => {
  const segment = objectAt(support, "segment")
  return {
    startByte: countAt(segment, "startIndex") ?? 0,
    endByte: countAt(segment, "endIndex") ?? 0,
    words: textAt(segment, "text")
  }
}

/** The UTF-16 offset of each of these places, which count bytes of UTF-8. Places beyond the text have none. */
const unitOffsets = (text: string, places: ReadonlyArray<number>): ReadonlyMap<number, number> => {
  const offsets = new Map<number, number>()
  let byte = 0
  let unit = 0
  for (const place of places.filter((one) => !Number.isNaN(one)).sort((one, other) => one - other)) {
    while (unit < text.length) {
      const bytes = bytesAt(text, unit)
      if (byte + bytes > place) break
      byte += bytes
      unit += bytes === 4 ? 2 : 1
    }
    if (unit < text.length || byte === place) offsets.set(place, unit)
  }
  return offsets
}

/** The bytes of the character that begins here. */
const bytesAt = (text: string, unit: number): number => {
  const code = text.charCodeAt(unit)
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  const isPair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(unit + 1) & 0xfc00) === 0xdc00
  return isPair ? 4 : 3
}

/** How many searches are paid: models before the third generation count a prompt, later ones each query. */
export const searchesOf = ({ queries }: Grounding, frame: JsonObject): number =>
  /gemini-[12]\./.test(textAt(frame, "modelVersion") ?? "") ? Math.min(1, queries.length) : queries.length
