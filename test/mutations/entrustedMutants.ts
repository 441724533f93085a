import type { Mutant } from "./Mutant.ts"

const canary = ["test/e2e/entrusted.test.ts"]
const seal = ["test/tasks/requestSeal.test.ts"]

/** Secrets that callers entrust to tools and servers. */
export const entrustedMutants: ReadonlyArray<Mutant> = [
  {
    name: "entrusted: a task's request is stored in the clear",
    file: "src/tasks/store/makeTasks.ts",
    snippet: "node.sharedFormat() >= formats.sealedRequests ? seal(id, request)",
    replacement: "node.sharedFormat() > 1e9 ? seal(id, request)",
    tests: canary
  },
  {
    name: "entrusted: a request is sealed by a key of its process alone",
    file: "src/Gateway.ts",
    snippet: "Layer.merge(SecretCheckLive, RequestSeal.Default)",
    replacement: "SecretCheckLive",
    tests: canary
  },
  {
    name: "entrusted: a request opens for another task",
    file: "src/tasks/RequestSeal.ts",
    snippet: "`${id} ${place} ${count}`",
    replacement: "`${place} ${count}${id.slice(0, 0)}`",
    tests: seal
  },
  {
    name: "entrusted: pieces of a request may be left out or change places",
    file: "src/tasks/RequestSeal.ts",
    snippet: "`${id} ${place} ${count}`",
    replacement: "`${id}${place * count * 0}`",
    tests: seal
  },
  {
    name: "entrusted: the request of an unreadable task stays",
    file: "src/tasks/store/setAside.ts",
    snippet: "if (all.length > 0) yield* sql`DELETE FROM task_requests",
    replacement: "if (all.length > 1e9) yield* sql`DELETE FROM task_requests",
    tests: ["test/tasks/runner.test.ts"]
  },
  {
    name: "entrusted: an upstream's echo of tools is passed on and stored",
    file: "src/responses/passthrough.ts",
    snippet: "if (Array.isArray(tools)) Object.assign",
    replacement: "if (Array.isArray(tools) && tools.length > 1e9) Object.assign",
    tests: canary
  },
  {
    name: "entrusted: the servers of a request are told with their addresses",
    file: "src/responses/mcp/mcpEchoes.ts",
    snippet: 'withoutEntrusted(listAt(body, "tools")).flatMap',
    replacement: 'listAt(body, "tools").flatMap',
    tests: canary
  },
  {
    name: "entrusted: a server's words repeat its credentials",
    file: "src/mcp/Connection.ts",
    snippet: "cutWords(withoutSecrets(message, secrets))",
    replacement: "cutWords(withoutSecrets(message, secrets.slice(9)))",
    tests: ["test/mcp/badServers.test.ts"]
  },
  {
    name: "entrusted: a thread keeps its tools' secrets",
    file: "src/messages/threads/Threads.ts",
    snippet: 'name === "tools" ? withoutEntrusted(value) : value',
    replacement: "name.length > 1e9 ? withoutEntrusted(value) : value",
    tests: canary
  },
  {
    name: "entrusted: recorded bodies have the secrets of tools",
    file: "src/requests/BodiesLive.ts",
    snippet: "const without = bodyWithoutEntrusted(body)",
    replacement: "const without = body",
    tests: ["test/requests/bodies.test.ts"]
  },
  {
    name: "entrusted: an upstream's words repeat the secrets of tools",
    file: "src/upstreams/calls/refusalError.ts",
    snippet: "mayEntrust ? entrustedIn",
    replacement: "mayEntrust && sent.length > 1e9 ? entrustedIn",
    tests: canary
  }
]
