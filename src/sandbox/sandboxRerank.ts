import { Effect } from "effect"
import { nextTurn } from "../flow/eventLoop.ts"
import { listAt, numberAt, textAt } from "../contract/json/json.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { documentText, rerankedTexts, rerankUnits } from "../generation/reranking.ts"
import { countTexts } from "../tokens/tokenizer.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { wholeGeneration } from "./wholeGeneration.ts"

/** The catalogue's entry for it. */
export const sandboxRerankModel = {
  id: "sandbox-rerank",
  kind: "rerank",
  routes: [{ upstream: "sandbox", model: "sandbox-rerank", facts: { inputs: ["text"] } }],
  contextTokens: 8_192,
  ownedBy: "sandbox"
} as const

/** It reads so much of a document, as models cut long ones. */
const mostCharacters = 32_768
/** How many documents are read before others have their turn. */
const documentsPerTurn = 64

/** The embedded rerank model: a document's score is the share of the query's words that it has. */
export const sandboxRerank = endpointOf("rerank", ({ body, rewrite }) =>
  Effect.gen(function* () {
    const query = textAt(body, "query") ?? ""
    const documents = listAt(body, "documents")
    const sought = wordsOf(query)
    const scored = yield* Effect.forEach(documents, (document, index) => {
      const text = documentText(document)
      const words = wordsOf(text.slice(0, mostCharacters))
      const shared = [...sought].filter((word) => words.has(word)).length
      const result = {
        index,
        relevance_score: sought.size === 0 ? 0 : shared / sought.size,
        ...(body["return_documents"] === true && { document: { text } })
      }
      return (index + 1) % documentsPerTurn === 0 ? Effect.as(turn, result) : Effect.succeed(result)
    })
    const results = scored
      .toSorted((one, other) => other.relevance_score - one.relevance_score)
      .slice(0, numberAt(body, "top_n") ?? scored.length)
    const inputTokens = countTexts(rerankedTexts(query, documents)).tokens
    const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens }
    return wholeGeneration([
      { type: "usage", usage: { ...noUsage, inputTokens, rerankUnits: rerankUnits(documents) } },
      { type: "passthrough", terminal: true, text: JSON.stringify(rewrite({ results, usage })) },
      { type: "finished", reason: "stop", stopSequence: null }
    ])
  })
)

const turn = Effect.promise(nextTurn)

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
