import { InvalidRequest } from "../contract/failures/Failure.ts"
import { textAt } from "../contract/json/json.ts"
import { mostRerankUnits, rerankedTexts } from "../generation/reranking.ts"
import { wholeFamily } from "../pipeline/wholeFamily.ts"
import type { CreateRerank } from "./Api.ts"

const most = { documents: 10_000, queryCharacters: 65_536 }

/** Reranking for `Pipeline`: passthrough only, charged by the unit or by input. */
export const rerankFamily = wholeFamily<CreateRerank>({
  dialect: "rerank",
  noUpstream: "model: none of this model's upstreams reranks documents",
  decode: ({ documents, model, query }) => {
    const wrong = wrongIn(documents, query)
    if (wrong !== undefined) return wrong
    return {
      model,
      inputs: rerankedTexts(query, documents).map((text) => ({ type: "text", text })),
      unread: unreadIn(documents),
      demands: () => [
        { of: "rerank_units", param: "documents", value: "reranking", mostCalls: mostRerankUnits(query, documents) }
      ]
    }
  }
})

const refusalOf = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

/** Beside a text, other fields are the upstream's to read. */
const unreadIn = (documents: CreateRerank["documents"]): InvalidRequest | undefined => {
  const index = documents.findIndex((one) => textAt(one, "text") !== undefined && Object.keys(one).length > 1)
  const param = `documents[${index}]`
  return index < 0 ? undefined : refusalOf(param, "a guardrail looks at texts alone; send no fields beside `text`")
}

const wrongIn = (documents: CreateRerank["documents"], query: string): InvalidRequest | undefined => {
  if (documents.length === 0) return refusalOf("documents", "expected at least one document")
  if (documents.length > most.documents) return refusalOf("documents", `expected at most ${most.documents} documents`)
  if (query.length > most.queryCharacters)
    return refusalOf("query", `expected at most ${most.queryCharacters} characters; got ${query.length}`)
  return undefined
}
