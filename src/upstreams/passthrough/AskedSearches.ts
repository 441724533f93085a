import type { JsonObject } from "../../contract/fields.ts"
import { asksForSearch } from "../../generation/demandsOf.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { ChunkDialect } from "./Dialect.ts"

/** Counts the searches of an answer whose request asks for them. Models that search unasked are not billed by them. */
export class AskedSearches {
  readonly #searchesIn: ChunkDialect["searchesIn"]
  readonly #body: JsonObject
  #count = 0

  constructor({ searchesIn }: Pick<ChunkDialect, "searchesIn">, body: JsonObject) {
    this.#searchesIn = searchesIn
    this.#body = body
  }

  /** Reads a chunk or a whole answer. */
  read(answer: JsonObject): void {
    const told = this.#searchesIn(answer)
    if (told > this.#count && asksForSearch(this.#body)) this.#count = told
  }

  /** An event, with the searches if it is the usage. */
  counted(event: GenerationEvent): GenerationEvent {
    if (event.type !== "usage" || this.#count === 0) return event
    return { ...event, usage: { ...event.usage, searches: this.#count } }
  }
}

/** True if chunks that cite pages must be read: other searches are told in the usage. */
export const mayCite = (body: JsonObject): boolean => fields.some((field) => (body[field] ?? undefined) !== undefined)

const fields = ["web_search_options", "plugins", "search_parameters"]
