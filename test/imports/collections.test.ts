import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { collectionsThatForget } from "./collections.ts"
import { readSources } from "./imports.ts"

/** Which maps and sets may be deleted from, and why what they keep alive does no harm. */
const allowed: Readonly<Record<string, string>> = {
  "access/Access.ts known": "keys that were used, the oldest leaves where there are too many",
  "access/LastUsed.ts noted": "times by key, no object",
  "admin/AuditedBlocks.ts groups": "keys that were blocked within the hour",
  "batches/LineRunner.ts lanes": "batches that run, a hundred at most",
  "callbacks/DeliveryQueue.ts queries": "times by host, no object",
  "callbacks/DeliveryQueue.ts counts": "counts, no object",
  "callbacks/DeliveryQueue.ts due": "times by host, few",
  "callbacks/DeliveryQueue.ts proven": "names of hosts",
  "callbacks/sender.ts inHand": "deliveries under way, some dozens",
  "chat/messages.ts open": "lives as long as a request is read",
  "config/Configuration.ts followers": "parts of the gateway",
  "config/makeCommandsPass.ts failures": "texts, one a command of the configuration",
  "people/signIn/Sessions.ts known": "who is signed in, the oldest leaves where there are too many",
  "documents/Documents.ts idle": "processes that read documents, a handful",
  "feed/newRequests.ts reported": "numbers",
  "flow/Daemons.ts all": "daemons, which stay",
  "flow/NamedSlots.ts boxes": "what is deleted is a name and an empty box",
  "guard/throttle.ts waiting": "counts by address, no object",
  "guardrails/answerTexts.ts open": "lives as long as an answer is written",
  "guardrails/heldEvents.ts open": "lives as long as an answer is written",
  "http/Listener.ts former": "servers of former certificates",
  "http/Unfinished.ts ofKeys": "four numbers by a key",
  "idempotency/Claims.ts inHand": "texts",
  "idempotency/PendingAnswers.ts all": "who waits for the answer of another node, which is rare",
  "ledger/budgets/Counters.ts counters": "numbers by a text, bounded by account",
  "ledger/budgets/Counters.ts own": "counts, no object",
  "ledger/PriceDifferences.ts pairs": "500 pairs of a model and an upstream, whose prices are stale",
  "limits/Permits.ts running": "counts, no object",
  "limits/SharedPermits.ts reported": "counts, no object",
  "mcp/ServerStates.ts changes": "changed tools of the configuration's servers, for a week",
  "mcp/ServerStates.ts known": "the configuration's servers",
  "mcp/ServerStates.ts states": "the configuration's servers",
  "messages/mcp/serverHistory.ts defined": "lives as long as a request is read",
  "messages/offeredTools.ts offered": "lives as long as a request is read",
  "messages/threads/Threads.ts inFlight": "texts",
  "dispatch/upstreamCount.ts kept": "two numbers by a text",
  "responses/items.ts open": "lives as long as a request is read",
  "responses/store/ResponseEvents.ts readers": "who follows a stored stream, which is rare",
  "routing/Recent.ts old": "what accounts did of late, a few numbers each, left behind as a whole",
  "routing/Recent.ts young": "the same",
  "routing/UpstreamCircuitBreaker.ts probes": "times by account, two at most",
  "sandbox/video/SandboxVideo.ts seen": "texts",
  "sandbox/video/SandboxVideo.ts submitted": "orders of the sandbox",
  "sql/copy/tables.ts left": "lives as long as a database is copied",
  "sql/postgres/Pool.ts sent": "statements that are always the same",
  "telemetry/tracing/Tracing.ts known": "texts",
  "telemetry/tracing/Tracing.ts waiting": "contents that are read for a span, 5 s at most",
  "tasks/memory/MemoryTasks.ts removed": "submits of removed tasks, in a store of one process",
  "tasks/memory/MemoryTasks.ts tasks": "tasks, in a store of one process",
  "telemetry/LogTail.ts readers": "who follows the log, which is rare",
  "tokens/tokenizer.ts remembered": "a number by a hash",
  "tools/Round.ts byCall": "lives as long as a round",
  "upstreams/passthrough/besideEndpoints.ts until": "a time by a model's name, 1,000 at most",
  "upstreams/protocols/BlockOrder.ts waiting": "lives as long as an answer is read",
  "upstreams/videos/videoFiles.ts failures": "two numbers by a text",
  "upstreams/videos/videoFiles.ts gone": "texts",
  "cluster/workers/Child.ts pending": "questions of the metrics page",
  "cluster/workers/workerLink.ts pending": "questions of the metrics page",
  "cluster/workers/supervise.ts children": "processes"
}

describe("a Map or Set that lives long", async () => {
  const sources = await readSources(join(import.meta.dirname, "../../src"))

  it("is not where requests, streams and tasks come and go", () => {
    expect([...collectionsThatForget(sources)].sort()).toEqual(Object.keys(allowed).sort())
  })

  it.each([
    ["const all = new Map()\nexport const end = (id) => all.delete(id)", ["some.ts all"]],
    ["class Some {\n  readonly #all = new Set()\n  end(id) { this.#all.delete(id) }\n}", ["some.ts all"]],
    ["class Some {\n  private readonly all = new Map()\n  end(id) { return this.all.delete(id) }\n}", ["some.ts all"]],
    ["const all = new Map()\nexport const begin = (id) => all.set(id, 1)", []],
    ["const all = new Named()\nexport const end = (id) => all.delete(id)", []],
    ["const all = new WeakMap()\nexport const end = (one) => all.delete(one)", []]
  ])("is found in %s", (text, expected) => {
    expect(collectionsThatForget(new Map([["some.ts", text]]))).toEqual(expected)
  })
})
