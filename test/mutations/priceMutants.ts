import type { Mutant } from "./Mutant.ts"

const unpriced = ["test/e2e/unpriced.test.ts"]
const hostedCalls = ["test/e2e/hostedCalls.test.ts"]

const reference = ["test/prices/reference.test.ts"]

const moves = ["test/catalogue/priceMoves.test.ts"]
const leaps = ["test/catalogue/prices/fetched/moves.test.ts"]
const litellm = ["test/catalogue/prices/fetched/litellm.test.ts"]

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
    snippet: `searches && !covers(price, { of: "web_search", value: "web_search" })`,
    replacement: `searches && price.isFree`,
    tests: unpriced
  },
  {
    name: "prices: the hour of the start decides a bundled price",
    file: "src/catalogue/prices/bundledPrice.ts",
    snippet: "byHours(model.prices) ?? {",
    replacement: "(undefined as ReturnType<typeof byHours>) ?? {",
    tests: ["test/catalogue/prices/builtInPrices.test.ts"]
  },
  {
    name: "ledger: an answer costs what the one before it was served as",
    file: "src/ledger/Price.ts",
    snippet: "JSON.stringify([served, hourlyFactor(price.varying, atMs)])",
    replacement: `"one"`,
    tests: ["test/catalogue/prices/builtInPrices.test.ts"]
  },
  {
    name: "prices: a tier of a list moves without a limit",
    file: "src/catalogue/prices/fetched/moves.ts",
    snippet: "  [...after.named].some(",
    replacement: "  [...new Map<string, Steps>()].some(",
    tests: leaps
  },
  {
    name: "prices: a rate that a tier lacks is the standard one",
    file: "src/catalogue/prices/fetched/litellmRates.ts",
    snippet: "return isOfStep ? times(plain[field], share)",
    replacement: "return isOfStep ? plain[field]",
    tests: litellm
  },
  {
    name: "prices: an off-peak hour costs as its cheapest rate",
    file: "src/catalogue/prices/fetched/offPeak.ts",
    snippet: "Math.max(0, ...shares)",
    replacement: "Math.min(...shares)",
    tests: litellm
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
  },
  {
    name: "ledger: a tier that has no price costs as the plain one",
    file: "src/ledger/variants.ts",
    snippet: "if (value !== undefined && most !== undefined) take({ of, value }, most)",
    replacement: "",
    tests: ["test/ledger/variants.test.ts"]
  },
  {
    name: "ledger: the hour changes nothing",
    file: "src/ledger/variants.ts",
    snippet: 'if (hourly !== undefined && hourly !== 1) take({ of: "hours" }, hourly)',
    replacement: "",
    tests: ["test/ledger/variants.test.ts"]
  },
  {
    name: "ledger: rows are priced as the request asked, whatever served",
    file: "src/ledger/meter.ts",
    snippet: "this.#pay(servedAs(this.#reported ?? noUsage, event.serviceTier), how, this.#isEstimated)",
    replacement: "this.#pay(this.#reported ?? noUsage, how, this.#isEstimated)",
    tests: ["test/prices/cases.test.ts"]
  },
  {
    name: "ledger: images of a tool cost as the model that called it",
    file: "src/ledger/costLines.ts",
    snippet: "const other = priceOfOther(price, used, served, atMs)\n  if",
    replacement: "const other = undefined as Price | undefined\n  if",
    tests: ["test/prices/cases.test.ts"]
  },
  {
    name: "upstreams: any server is believed what it says that it charged",
    file: "src/upstreams/configured/fromSettings.ts",
    snippet: "known !== undefined && providerRow(known).tellsCost === true",
    replacement: "known === undefined || providerRow(known).tellsCost === true",
    tests: ["test/e2e/toldCost.test.ts"]
  },
  {
    name: "ledger: a provider may say that it charged any amount",
    file: "src/ledger/billOf.ts",
    snippet: "told <= boundOf(heldNanoUsd() ?? computed)",
    replacement: "told <= Infinity",
    tests: ["test/ledger/billOf.test.ts"]
  },
  {
    name: "ledger: a charge that half of an answer tells is the whole one's",
    file: "src/generation/addUsage.ts",
    snippet: "first === undefined || second === undefined",
    replacement: "first === undefined && second === undefined",
    tests: ["test/ledger/billOf.test.ts"]
  },
  {
    name: "prices: Groq's flex tier has no price",
    file: "src/catalogue/prices/callPrices.ts",
    snippet: 'provider === "groq" ?',
    replacement: 'provider === "none" ?',
    tests: ["test/catalogue/pricesByProvider.test.ts"]
  },
  {
    name: "ledger: a stored price forgets other models' prices, so that a task's images cost as its own model",
    file: "src/ledger/Price.ts",
    snippet: "if (others === undefined) return price",
    replacement: "if (Date.now() > 0) return price",
    tests: ["test/dispatch/agreedRoutes.test.ts", "test/e2e/taskPrices.test.ts"]
  },
  {
    name: "dispatch: other models of a task cost as they do when it runs, not as agreed",
    file: "src/dispatch/agreedRoutes.ts",
    snippet: "agreed?.(model) ?? now(model)",
    replacement: "now(model)",
    tests: ["test/dispatch/agreedRoutes.test.ts"]
  },
  {
    name: "tasks: the prices of other models are not stored",
    file: "src/tasks/StoredRequest.ts",
    snippet: "textWith(price, pricesOf(price, otherModels))",
    replacement: "price.text",
    tests: ["test/dispatch/agreedRoutes.test.ts"]
  },
  {
    name: "ledger: a rate times a factor is rounded down",
    file: "src/ledger/rates.ts",
    snippet: "Math.round(Number((rate * factor).toPrecision(15)))",
    replacement: "Math.floor(rate * factor)",
    tests: reference
  },
  {
    name: "ledger: rates of a tier's own keep the model's steps",
    file: "src/ledger/variants.ts",
    snippet: `typeof price === "number" ? scale(steps, price) : price`,
    replacement: `typeof price === "number" ? scale(steps, price) : { ...price, tiers: steps.tiers }`,
    tests: reference
  },
  {
    name: "ledger: what another model did for an answer is priced as if it were served plainly",
    file: "src/ledger/costLines.ts",
    snippet: "own ?? served",
    replacement: "own",
    tests: reference
  },
  {
    name: "upstreams: DeepSeek's cache hits are none where the newer name says 0",
    file: "src/upstreams/protocols/openaiChat/usage.ts",
    snippet: "count !== undefined && count !== 0",
    replacement: "count !== undefined",
    tests: ["test/prices/cases.test.ts"]
  },
  {
    name: "upstreams: the tier of InvokeModel's header is not read",
    file: "src/upstreams/protocols/anthropicMessages/bedrock.ts",
    snippet: "        tierHeader,\n",
    replacement: "",
    tests: ["test/prices/cases.test.ts"]
  },
  {
    name: "ledger: capacity that is paid in advance costs as the dearest tier",
    file: "src/ledger/variants.ts",
    snippet: "if (price === undefined && name === paidInAdvance) continue",
    replacement: "",
    tests: ["test/prices/cases.test.ts"]
  }
]
