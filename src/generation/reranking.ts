import { textAt } from "../contract/json/json.ts"

/** Cohere cuts documents into pieces of 500 tokens with the query, and bills up to 100 pieces as one unit. */
const unit = { pieces: 100, tokens: 500 }

/** A document's text. Its other fields are the upstream's to read; without a text, all of it counts. */
export const documentText = (one: unknown): string =>
  typeof one === "string" ? one : (textAt(one, "text") ?? JSON.stringify(one))

/** The texts that a rerank model reads: the query with each document. */
export const rerankedTexts = (query: string, documents: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  documents.flatMap((one) => [query, documentText(one)])

/** The units of short documents. */
export const rerankUnits = (documents: ReadonlyArray<unknown>): number => Math.ceil(documents.length / unit.pieces)

/** The most units that documents may be billed as. A token is seldom less than a character. */
export const mostRerankUnits = (query: string, documents: ReadonlyArray<unknown>): number => {
  const pieces = documents.reduce<number>(
    (sum, one) => sum + Math.max(1, Math.ceil((documentText(one).length + query.length) / unit.tokens)),
    0
  )
  return Math.ceil(pieces / unit.pieces)
}
