import type { Mutant } from "./Mutant.ts"

const tests = ["test/rerank/rerank.test.ts"]

/** Rerank: its unit of price, its hold, the kind of its models. */
export const rerankMutants: ReadonlyArray<Mutant> = [
  {
    name: "ledger: rerank units cost nothing",
    file: "src/ledger/priceTerms.ts",
    snippet:
      "for (const piece of pieceMeasures) add(piece, used[measures[piece].name] ?? 0, price.pieces?.[piece] ?? 0)",
    replacement: "",
    tests
  },
  {
    name: "dispatch: nothing is held for rerank units",
    file: "src/dispatch/mostUsed.ts",
    snippet: "    ...(demands.length > 0 && piecesAsked(demands)),\n",
    replacement: "",
    tests
  },
  {
    name: "rerank: a long document is held as one piece",
    file: "src/generation/reranking.ts",
    snippet: "Math.max(1, Math.ceil((documentText(one).length + query.length) / unit.tokens))",
    replacement: "1",
    tests
  },
  {
    name: "upstreams: any number of reported rerank units is believed",
    file: "src/upstreams/passthrough/rerank.ts",
    snippet: "units <= factor * mostRerankUnits(queryOf(body), documentsOf(body))",
    replacement: "true",
    tests
  },
  {
    name: "dispatch: an endpoint takes models of every kind",
    file: "src/dispatch/admit.ts",
    snippet: "return model.kind === kind ? model : wrongKind(model, kind)",
    replacement: "return model",
    tests
  }
]
