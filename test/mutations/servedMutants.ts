import type { Mutant } from "./Mutant.ts"

/** Holds: the tier, the speed and the place that a request may be served at, and the kinds of its tokens. */
export const servedMutants: ReadonlyArray<Mutant> = [
  {
    name: "ledger: an input near a step holds the rates below it",
    file: "src/ledger/mostRates.ts",
    snippet: "Math.ceil(bound.inputTokens * nearStep)",
    replacement: "bound.inputTokens",
    tests: ["test/ledger/mostRates.test.ts"]
  },
  {
    name: "ledger: a hold forgets the caches that live long",
    file: "src/ledger/mostRates.ts",
    snippet: "...(cachesLong ? [cacheWriteHour, cacheWriteHalfDay] : [])",
    replacement: "...(cachesLong ? [] : [cacheWriteHour, cacheWriteHalfDay])",
    tests: ["test/ledger/mostRates.test.ts"]
  },
  {
    name: "ledger: sound in the answer holds the rate of text",
    file: "src/ledger/mostRates.ts",
    snippet: "[writesSound ? audio : undefined, image, video]",
    replacement: "[writesSound ? undefined : undefined, image, video]",
    tests: ["test/ledger/mostRates.test.ts"]
  },
  {
    name: "ledger: sound in the input holds the rate of text",
    file: "src/ledger/mostRates.ts",
    snippet: "Math.max(text, kind?.input ?? 0, kind?.cacheRead ?? 0)",
    replacement: "text + 0 * (kind?.input ?? 0)",
    tests: ["test/ledger/mostRates.test.ts"]
  },
  {
    name: "dispatch: parts that only the upstream reads count as text",
    file: "src/dispatch/mostUsed.ts",
    snippet: "  if (isUnknown || !kinds[model.kind].readsAtOnce",
    replacement: "  if (!kinds[model.kind].readsAtOnce",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: fallbacks of the provider hold a short answer",
    file: "src/dispatch/mostUsed.ts",
    snippet: `lastOf(param).startsWith("fallbacks") ? Math.max(compacted, outputTokens) : compacted`,
    replacement: "compacted",
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: marks for an hour hold caches of minutes",
    file: "src/dispatch/mostUsed.ts",
    snippet: '  demands.some(({ of }) => of === "long_cache") ||\n  hasHourMark(conversation)',
    replacement: '  demands.some(({ of }) => of === "long_cache")',
    tests: ["test/dispatch/mostUsed.test.ts"]
  },
  {
    name: "dispatch: a cheap tier is held where it may go unheeded",
    file: "src/dispatch/waysServed.ts",
    snippet: "if (tier !== undefined && isPassed) return [at(undefined), at(tier)]",
    replacement: "if (tier !== undefined && isPassed) return [at(tier)]",
    tests: ["test/dispatch/waysServed.test.ts"]
  },
  {
    name: "dispatch: a tier that a translation leaves out is held",
    file: "src/dispatch/waysServed.ts",
    snippet: "if (tier !== undefined && hasTiers) return [at(tier)]",
    replacement: "if (tier !== undefined) return [at(tier)]",
    tests: ["test/dispatch/waysServed.test.ts"]
  },
  {
    name: "dispatch: the upstream's default tier is not held",
    file: "src/dispatch/waysServed.ts",
    snippet: "if (tier === undefined && defaults?.tier !== undefined) return [at(defaults.tier)]",
    replacement: "",
    tests: ["test/dispatch/waysServed.test.ts"]
  },
  {
    name: "dispatch: a tier that was seen unasked is not held",
    file: "src/dispatch/waysServed.ts",
    snippet: "return seen === undefined ? [at(undefined)] : [at(undefined), at(seen)]",
    replacement: "return [at(seen === undefined ? undefined : undefined)]",
    tests: ["test/dispatch/waysServed.test.ts"]
  },
  {
    name: "dispatch: a tier that the request named is taken for the project's",
    file: "src/dispatch/Work.ts",
    snippet: "if (this.conversation.serviceTier === undefined) this.#observers",
    replacement: "this.#observers",
    tests: ["test/e2e/servedTiers.test.ts"]
  },
  {
    name: "dispatch: a tier that the upstream's entry set is taken for the project's",
    file: "src/dispatch/waysServed.ts",
    snippet: "if (upstreams.get(route.part)?.defaults?.tier !== undefined) return",
    replacement: "",
    tests: ["test/e2e/servedTiers.test.ts"]
  },
  {
    name: "routing: a tier that was seen is held for ever",
    file: "src/routing/SeenTiers.ts",
    snippet: "nowMs - lastMs < keptMs",
    replacement: "nowMs - lastMs < Infinity",
    tests: ["test/routing/seenTiers.test.ts"]
  },
  {
    name: "routing: a tier of one key is held for the others",
    file: "src/routing/SeenTiers.ts",
    snippet: "`${upstream}\\n${key}\\n${model}`",
    replacement: "`${upstream}\\n${key.slice(0, 0)}\\n${model}`",
    tests: ["test/routing/seenTiers.test.ts"]
  },
  {
    name: "upstreams: a default goes over what the request names",
    file: "src/upstreams/protocols/servedDefaults.ts",
    snippet: "tier === undefined || isTierNamed ? body : { ...body, service_tier: tier }",
    replacement: "tier === undefined ? body : { ...body, service_tier: tier }",
    tests: ["test/e2e/servedTiers.test.ts"]
  },
  {
    name: "upstreams: auto is no tier of the upstream's default",
    file: "src/upstreams/protocols/servedDefaults.ts",
    snippet: `tier !== undefined && tier.toLowerCase() !== "auto"`,
    replacement: "tier !== undefined",
    tests: ["test/e2e/servedTiers.test.ts"]
  },
  {
    name: "prices: a host that only ends like a provider's region costs more",
    file: "src/catalogue/prices/priceFactor.ts",
    snippet: "/^(?:us|eu)\\.api\\.openai\\.com$/",
    replacement: "/^(?:us|eu)\\.api\\.openai\\.com/",
    tests: ["test/catalogue/priceFactor.test.ts"]
  },
  {
    name: "prices: a region costs as everywhere",
    file: "src/catalogue/prices.ts",
    snippet: "withFactor(price, priceFactorAt(file.value, route))",
    replacement: "withFactor(price, Math.min(1, priceFactorAt(file.value, route)))",
    tests: ["test/catalogue/prices.test.ts"]
  }
]
