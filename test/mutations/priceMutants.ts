import type { Mutant } from "./Mutant.ts"

const unpriced = ["test/e2e/unpriced.test.ts"]
const hostedCalls = ["test/e2e/hostedCalls.test.ts"]

const moves = ["test/catalogue/priceMoves.test.ts"]

/** Prices: what is covered, held and counted. */
export const priceMutants: ReadonlyArray<Mutant> = [
  {
    name: "ledger: what has no price passes where money is counted",
    file: "src/ledger/afford.ts",
    snippet: "    const gap = offers.keepPriced(",
    replacement: "    const gap = undefined as ReturnType<typeof offers.keepPriced>\n    void (",
    tests: unpriced
  },
  {
    name: "ledger: a key that refuses models without a price gets those of an own server",
    file: "src/ledger/Offers.ts",
    snippet: `rule !== undefined && (offer.unpriced ?? rule) === "allow"`,
    replacement: `(offer.unpriced ?? rule) === "allow"`,
    tests: ["test/dispatch/paying.test.ts"]
  },
  {
    name: "ledger: an upstream's rule for models without a price is not asked for",
    file: "src/ledger/Offers.ts",
    snippet: `(offer.unpriced ?? rule) === "allow"`,
    replacement: `rule === "allow"`,
    tests: ["test/dispatch/paying.test.ts"]
  },
  {
    name: "ledger: a price without searches covers them",
    file: "src/ledger/Price.ts",
    snippet: `if (of === "web_search") return hasSearch`,
    replacement: `if (of === "web_search") return true`,
    tests: ["test/ledger/price.test.ts"]
  },
  {
    name: "ledger: a tool without a price is covered by another one's",
    file: "src/ledger/Price.ts",
    snippet: "isHostedCall(of) && calls?.[of] !== undefined",
    replacement: "isHostedCall(of) && calls !== undefined",
    tests: ["test/ledger/price.test.ts"]
  },
  {
    name: "generation: tools that a conversation adds cost nothing",
    file: "src/generation/demandsOf.ts",
    snippet: `  for (const item of earlier) itemDemands(item, "input", found, tools)`,
    replacement: "",
    tests: unpriced
  },
  {
    name: "dispatch: a search of the gateway's own runs without a price",
    file: "src/dispatch/RoutePricing.ts",
    snippet: `if (billing === "unless left out") priced = { ...route, isUnsearched: true }`,
    replacement: "",
    tests: ["test/e2e/unpricedSearch.test.ts"]
  },
  {
    name: "dispatch: a task forgets that its search is left out",
    file: "src/tasks/StoredRequest.ts",
    snippet: "...(isUnsearched === true && { isUnsearched })",
    replacement: "",
    tests: ["test/e2e/unpricedSearch.test.ts"]
  },
  {
    name: "dispatch: calls of hosted tools are not held",
    file: "src/dispatch/mostUsed.ts",
    snippet: "...(calls.length > 0 && { calls: Object.fromEntries(calls) }),",
    replacement: "",
    tests: hostedCalls
  },
  {
    name: "videos: a search without a price runs",
    file: "src/videos/videoPricing.ts",
    snippet: `searches && !covers(price, "web_search")`,
    replacement: `searches && price.isFree`,
    tests: unpriced
  },
  {
    name: "prices: a move counts from the price before it",
    file: "src/catalogue/prices/fetched/PriceRefresh.ts",
    snippet: "const base = remembered === undefined ? (listed ?? used) : priceListed(name, remembered)",
    replacement: "const base = used",
    tests: moves
  },
  {
    name: "prices: a name that left the list comes back at any price",
    file: "src/catalogue/prices/fetched/PriceRefresh.ts",
    snippet: "const bases = new Map(Object.entries(before.bases))",
    replacement: "const bases = new Map(Object.entries(before.bases).filter(([name]) => offered.has(name)))",
    tests: moves
  },
  {
    name: "prices: bases do not survive",
    file: "src/catalogue/store/PriceLists.ts",
    snippet: "return { prices, held, bases, most: parsed.most }",
    replacement: "return { prices, held, bases: {}, most: parsed.most }",
    tests: moves
  },
  {
    name: "upstreams: a compaction is free",
    file: "src/upstreams/protocols/anthropicMessages/usage.ts",
    snippet: `one["type"] !== "message"`,
    replacement: `one["type"] === "other"`,
    tests: hostedCalls
  },
  {
    name: "upstreams: searches are counted by their items, whatever is billed",
    file: "src/upstreams/protocols/openaiResponses/hostedCalls.ts",
    snippet: `countAt(objectAt(objectAt(response, "tool_usage"), "web_search"), "num_requests") ??`,
    replacement: "",
    tests: hostedCalls
  },
  {
    name: "ledger: calls of a stream that is left are free",
    file: "src/ledger/Output.ts",
    snippet: "if (!event.terminal && event.called !== undefined) this.#called(event.called)",
    replacement: "",
    tests: hostedCalls
  }
]
