import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { generatorsPerCall } from "./generators.ts"
import { readSources } from "./imports.ts"
import { families } from "./rooms.ts"

/** What runs for each request or task. */
const rooms = RegExp(
  `^(access|callbacks|catalogue|dispatch|files|guard|idempotency|ledger|limits|ownership|pipeline|requests|routing|sandbox|search|storedFiles|tasks|tools|upstreams|${families.join("|")})/`
)

/** Models of the sandbox make one for each request; they are no promise of speed. */
const sandboxModels = /^sandbox\/sandbox\w+\.ts$/

/** Which of it may make generator functions as it runs, and why that does no harm. */
const allowed: Readonly<Record<string, string>> = {
  "access/AdminKeys.ts": "once for each configuration",
  "access/store/Budgets.ts": "made once for operators, who look now and then",
  "access/store/keyQueries.ts": "the same",
  "access/store/Keys.ts": "made once, for keys that come, which are rare",
  "callbacks/store/DeliveryStore.ts": "deliveries that can't be read",
  "files/readFile.ts": "made once, by a function that is called once",
  "files/FileStore.ts": "once for a process",
  "guard/CallerFiles.ts": "made once, by a function that is called once",
  "dispatch/makeQuote.ts": "made once, by a function that is called once",
  "ledger/DurableHolds.ts": "made once, by a function that is called once",
  "ledger/shared/sharedBalances.ts": "for a task that goes on with a further round of its model",
  "ledger/store/holds.ts": "the same",
  "ledger/store/budgetCounters.ts": "the same",
  "ledger/store/lanes.ts": "the same",
  "ledger/store/usageBooks.ts": "the same",
  "catalogue/catalogueOf.ts": "once for each configuration",
  "catalogue/Configured.ts": "the same",
  "catalogue/prices/fetched/UsedPrices.ts": "once for each look at the stored list, every few minutes",
  "requests/ModelUse.ts": "operators who look at models, now and then",
  "requests/RequestGroups.ts": "viewers of the Overview",
  "requests/RequestOverview.ts": "the same",
  "requests/groupsAnswer.ts": "the same",
  "requests/store/OldRows.ts": "a sweep, now and then",
  "requests/store/RequestDays.ts": "the same",
  "requests/store/RequestSums.ts": "viewers of the Overview",
  "requests/store/requestBook.ts": "the same",
  "requests/store/requestIds.ts": "the same",
  "requests/store/requestSlices.ts": "the same",
  "ledger/store/UsageReport.ts": "the same",
  "ledger/usageAnswer.ts": "the same",
  "ledger/store/sumRepair.ts": "once for a process",
  "videos/reconcile.ts": "creates whose answer did not come, which are rare",
  "ledger/usageReportOf.ts": "the same",
  "requests/TrafficCosts.ts": "the same",
  "requests/store/requestCounts.ts": "made once, by a function that is called once",
  "requests/store/requestTotals.ts": "the same",
  "requests/store/usageRowsOf.ts": "the same",
  "pipeline/quoterOf.ts": "made once, by a function that is called once",
  "pipeline/withGuardrails.ts": "once for each request that has guardrails",
  "pipeline/withServers.ts": "once for each request that names servers",
  "responses/background/generate.ts": "once for each background response, of any family",
  "responses/background/stops.ts": "once for each background response",
  "responses/store/conversationTable.ts": "made once, by a function that is called once",
  "responses/store/heldConversations.ts": "once for each response that is added to a conversation",
  "responses/store/makeResolve.ts": "made once, by a function that is called once",
  "sandbox/video/localOrders.ts": "once for a process",
  "storedFiles/StoredFiles.ts": "once for each file that comes or goes",
  "storedFiles/listFiles.ts": "made once, by a function that is called once",
  "storedFiles/store/StoredRows.ts": "once for each file that comes or goes",
  "tasks/OrphanedHolds.ts": "a sweep, now and then",
  "tasks/journal/ToolJournalsLive.ts": "once for each request that may run again and calls tools",
  "tasks/memory/memoryLeased.ts": "made once for each store in memory",
  "tasks/memory/memoryOwned.ts": "made once for each store in memory",
  "tasks/store/amend.ts": "made once for each store",
  "tasks/store/makeLeases.ts": "made once for each store",
  "tasks/store/makeUpkeep.ts": "made once for each store",
  "tools/journal/earlierRounds.ts": "once for each request that goes on from its journal",
  "tools/journal/journaledCalls.ts": "once for each round of a request that may run again",
  "tools/storedCalls.ts": "once for a process",
  "tools/store/ToolUse.ts": "operators who look at tools, now and then",
  "tools/toolGeneration.ts": "once for each request that calls server tools",
  "tasks/store/setAside.ts": "made once for each store",
  "tasks/store/makeTasks.ts": "tasks that are cancelled or expire",
  "tasks/store/removal.ts": "tasks that are refused at once",
  "upstreams/text/withTier.ts": "once for each answer whose tier a header tells",
  "upstreams/text/streamUpstream.ts": "upstreams of a developer's own",
  "videos/quote.ts": "made once, by a function that is called once"
}

describe("a generator function that is made at each call", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../src"))

  it("is not on the way of requests and tasks", () => {
    const found = generatorsPerCall(
      new Map([...sources].filter(([file]) => rooms.test(file) && !sandboxModels.test(file)))
    )
    const files = [...new Set(found.map((place) => place.slice(0, place.indexOf(":"))))]
    expect(files.sort(), found.join(" ")).toEqual(Object.keys(allowed).sort())
  })

  it.each([
    ["const find = (id) => Effect.gen(function* () {})", ["some.ts:1"]],
    ["const find = (id) =>\n  Effect.map(now, (at) => write(Effect.gen(function* () {})))", ["some.ts:2"]],
    ["const find = (id) =>\n  Effect.suspend(() => Effect.gen(function* () {}))", ["some.ts:2"]],
    ["const find = Effect.fnUntraced(function* (id) {})", []],
    ["const look = Effect.gen(function* () {})", []],
    ["const make = Effect.gen(function* () { const find = Effect.fnUntraced(function* (id) {}) })", []]
  ])("is found in %s", (text, expected) => {
    expect(generatorsPerCall(new Map([["some.ts", text]]))).toEqual(expected)
  })
})
