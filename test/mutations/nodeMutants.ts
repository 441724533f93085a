import type { Mutant } from "./Mutant.ts"

const redis = ["test/limits/redis.test.ts"]
const lanes = ["test/catalogue/sharedLanes.test.ts"]

/** What several processes tell each other of limits, upstreams and configurations, and how they leave their clients. */
export const nodeMutants: ReadonlyArray<Mutant> = [
  {
    name: "videos: a task whose upstream is silent is never tried again",
    file: "src/tasks/TaskRunner.ts",
    snippet: "Math.min(tentative.everyMs, (triedAt",
    replacement: "Math.max(tentative.everyMs, (triedAt",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  },
  {
    name: "videos: a task keeps the upstream at which its turn began, whichever node took it",
    file: "src/videos/VideoKind.ts",
    snippet: "...movedTo(task, job, place), submitAtMs",
    replacement: "...movedTo(lease.task, job, place), submitAtMs",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  },
  {
    name: "limits: Redis lets more into a minute than it allows",
    file: "src/limits/redisWindows.ts",
    snippet: "return { all + tokens, now }",
    replacement: "return { all, now }",
    tests: redis
  },
  {
    name: "limits: a Redis that begins anew knows nothing of what was counted",
    file: "src/limits/redisWindows.ts",
    snippet: "if of == minute and known > own then",
    replacement: "if false then",
    tests: redis
  },
  {
    name: "limits: what a process was busy with itself is taken for Redis's silence",
    file: "src/limits/Patience.ts",
    snippet: "if (now - this.#cameAt < tickMs + lateMs) this.#counted++",
    replacement: "this.#counted += 5",
    tests: ["test/limits/patience.test.ts"]
  },
  {
    name: "routing: a call that has ended keeps its room among all processes",
    file: "src/routing/sharedSlots.ts",
    snippet: "if (has) room.leave()",
    replacement: "",
    tests: lanes
  },
  {
    name: "routing: an opening that was heard of once counts for ever",
    file: "src/catalogue/SharedBulkheads.ts",
    snippet: 'if (typeof opening !== "string" || opening === seen.get(name)) continue',
    replacement: 'if (typeof opening !== "string") continue',
    tests: lanes
  },
  {
    name: "routing: a circuit that opens elsewhere changes nothing",
    file: "src/routing/UpstreamCircuitBreaker.ts",
    snippet: "if (now < this.#waryUntil || this.#isFailing(now)) this.#open(now)",
    replacement: "if (this.#isFailing(now)) this.#open(now)",
    tests: ["test/routing/upstreamCircuit.test.ts"]
  },
  {
    name: "routing: one account's failures open the circuit for all",
    file: "src/routing/UpstreamCircuitBreaker.ts",
    snippet: "const ofWorst = this.#failuresOfWorst(now)",
    replacement: "const ofWorst = 0",
    tests: ["test/routing/upstreamCircuit.test.ts"]
  },
  {
    name: "routing: a route cools down for all whatever one account's request came to",
    file: "src/routing/RetryAfter.ts",
    snippet: 'return { part: "lane", who: "one", isBySize: false }',
    replacement: 'return { part: "lane", who: "all", isBySize: false }',
    tests: ["test/routing/tryRoutes.test.ts"]
  },
  {
    name: "config: a secret that a document holds is stored",
    file: "src/config/writtenSecrets.ts",
    snippet: 'return typeof written === "string" && /\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}/.test(written) ? undefined : path',
    replacement: "return undefined",
    tests: ["test/config/writtenSecrets.test.ts"]
  },
  {
    name: "http: a gateway that leaves is sent requests on",
    file: "src/flow/Lifecycle.ts",
    snippet: 'unready = why === "stopping"',
    replacement: "",
    tests: ["test/http/shutdown.test.ts"]
  },
  {
    name: "videos: a process that was held up submits what it meant to long ago",
    file: "src/videos/VideoKind.ts",
    snippet: "- submitAtMs >= reconcileAfterMs",
    replacement: "- submitAtMs < 0",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  }
]
