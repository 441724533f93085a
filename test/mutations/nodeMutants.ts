import type { Mutant } from "./Mutant.ts"

const redis = ["test/limits/redis.test.ts"]

/** What several processes tell each other of limits, upstreams and configurations, and how they leave their clients. */
export const nodeMutants: ReadonlyArray<Mutant> = [
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
    name: "videos: a process that was held up submits what it meant to long ago",
    file: "src/videos/VideoKind.ts",
    snippet: "- submitAtMs >= reconcileAfterMs",
    replacement: "- submitAtMs < 0",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  }
]
