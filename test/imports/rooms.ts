/** What every room may use; of each other, only as their own rows say. */
const leaves = ["flow", "contract", "telemetry", "config", "sql"]

/** What the text families (`responses`, `messages`, `chat` and those that pass through) may use beside the leaves; never each other. */
const forFamilies = [
  "generation",
  "tokens",
  "storedFiles",
  "pipeline",
  "limits",
  "ledger",
  "catalogue",
  "dispatch",
  "tasks"
]

/** Families that pass through alone. */
const passing = ["embeddings", "rerank", "moderations", "images", "audio"]

export const families = ["responses", "messages", "chat", ...passing, "videos"]

/** Services that embedders may replace, and those they meet. */
const services = [
  "guard",
  "files",
  "documents",
  "ledger",
  "access",
  "catalogue",
  "dispatch",
  "idempotency",
  "tasks",
  "callbacks"
]

/** People, their sessions, their programs and their accounts at servers of tools. */
const peoples = ["people", "people/signIn", "people/programs", "people/tools"]

/**
 * Which rooms a room may import, types included. A room is a folder of `src` (one below another is a room of its own
 * where it has a row) or a file beside them. Only rooms above a row may stand in it, so no circle can be allowed: what
 * is further down the page knows what is further up.
 */
export const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  flow: [],
  regex: [],
  contract: ["flow"],
  telemetry: ["flow", "contract"],
  config: ["flow", "contract", "regex"],
  sql: ["flow", "contract", "telemetry", "config"],

  // What texts are made of, which addresses may be called, who calls, and what reads files.
  generation: ["flow", "contract"],
  tokens: ["contract", "generation"],
  guard: leaves,
  credentials: ["flow", "contract"],
  files: [...leaves, "credentials"],
  // Files that accounts keep.
  storedFiles: [...leaves, "guard", "files"],
  documents: leaves,

  // Where a request ends: upstreams, and what decides between them.
  upstreams: [...leaves, "generation", "tokens", "guard", "credentials", "files", "documents"],
  tools: [...leaves, "generation", "tokens", "upstreams"],
  search: [...leaves, "generation", "tokens", "upstreams", "tools"],
  sandbox: [...leaves, "regex", "generation", "tokens", "guard", "files", "documents", "upstreams"],
  routing: [...leaves, "generation", "upstreams"],
  ownership: [...leaves, "generation", "upstreams"],

  // Which processes serve from one database; sums by steps and groups, of whatever has rows and sums of hours.
  cluster: leaves,
  sums: leaves,

  // Who asks, what it may cost and how much of it.
  ledger: [...leaves, "generation", "tokens", "cluster", "sums"],
  requests: [...leaves, "regex", "tools", "ledger", "routing", "sums"],
  limits: leaves,
  access: [...leaves, "cluster", "ledger", "limits"],
  catalogue: [...leaves, "generation", "documents", "files", "upstreams", "search", "routing", "ledger", "limits"],
  dispatch: [
    ...leaves,
    "generation",
    "tokens",
    "files",
    "documents",
    "upstreams",
    "tools",
    "search",
    "routing",
    "ownership",
    "ledger",
    "limits",
    "catalogue"
  ],
  mcp: [...leaves, "generation", "guard", "upstreams", "tools", "ledger", "limits"],
  guardrails: [...leaves, "generation", "upstreams", "catalogue"],
  pipeline: [...leaves, "generation", "ledger", "storedFiles", "tools", "mcp", "guardrails", "dispatch"],
  idempotency: [...leaves, "cluster"],

  // Work that outlives its request.
  tasks: [...leaves, "generation", "tools", "cluster", "ledger", "access"],
  callbacks: [...leaves, "cluster", "guard", "access", "tasks"],

  // News for watchers.
  feed: [...leaves, "requests", "routing", "tasks"],

  // The families.
  responses: [...leaves, ...forFamilies, "cluster"],
  messages: [...leaves, ...forFamilies],
  chat: [...leaves, ...forFamilies, "ownership"],
  ...Object.fromEntries(passing.map((room) => [room, [...leaves, ...forFamilies]])),
  videos: [
    ...leaves,
    "cluster",
    "generation",
    "guard",
    "files",
    "upstreams",
    "routing",
    "ownership",
    "limits",
    "ledger",
    "catalogue",
    "dispatch",
    "tasks",
    "callbacks"
  ],
  // Many requests of the families at once.
  batches: [
    ...leaves,
    ...forFamilies,
    "cluster",
    "access",
    "ownership",
    ...families.filter((room) => room !== "videos")
  ],

  // Around them.
  account: [...leaves, "feed", "tasks", "requests", "access", "ledger", "limits"],
  people: [...leaves, "credentials", "access", "upstreams"],
  admin: [
    ...leaves,
    "sums",
    "people",
    "feed",
    "requests",
    "access",
    "ledger",
    "limits",
    "tasks",
    "callbacks",
    "guard",
    "guardrails",
    "upstreams",
    "routing",
    "catalogue",
    "dispatch",
    "tools",
    "mcp"
  ],
  // What becomes of LiteLLM's settings and database.
  litellm: [...leaves, "access", "ledger", "admin"],
  health: [...leaves, "files", "access", "ledger", "limits", "routing", "tasks", "callbacks"],
  http: [...leaves, "access", "limits", "idempotency"],
  "Api.ts": [
    "contract",
    ...families,
    "batches",
    "mcp",
    "files",
    "storedFiles",
    "catalogue",
    "dispatch",
    "account",
    "health"
  ],
  // Sessions of people and operators, then programs that sign in for people, then their accounts at MCP servers.
  "people/signIn": [...leaves, "guard", "access", "limits", "people", "admin"],
  "people/programs": [...leaves, "access", "people", "people/signIn", "admin"],
  "people/tools": [...leaves, "guard", "access", "people", "people/signIn", "admin", "mcp"],
  // Pages.
  console: [...leaves, "guard", "access", "ledger", "catalogue", ...peoples],
  "../console": [
    "contract",
    "requests",
    "ledger",
    "tasks",
    "callbacks",
    "videos",
    "account",
    "admin",
    "Api.ts",
    "catalogue",
    ...peoples
  ],
  "Parts.ts": [...leaves, ...services, "limits", "sandbox", "search", "upstreams", "mcp"],
  "Handlers.ts": [
    ...leaves,
    ...families,
    "batches",
    "tools",
    "mcp",
    "guardrails",
    "files",
    "storedFiles",
    "ledger",
    "catalogue",
    "dispatch",
    "pipeline",
    "tasks",
    "callbacks",
    "ownership",
    "feed",
    "requests",
    "account",
    "admin",
    "health",
    "Parts.ts",
    ...peoples
  ],
  "ApiServer.ts": [
    ...leaves,
    "access",
    "catalogue",
    "mcp",
    "idempotency",
    "requests",
    "admin",
    "health",
    "http",
    "Api.ts",
    "ledger",
    "console",
    ...peoples
  ],
  "Gateway.ts": [
    ...leaves,
    "cluster",
    "guard",
    "access",
    "limits",
    "tasks",
    "people",
    "admin",
    "people/signIn",
    "http",
    "Parts.ts",
    "Handlers.ts",
    "ApiServer.ts"
  ],
  "cluster/workers": ["flow", "contract", "telemetry"],
  commands: [
    ...leaves,
    "requests",
    ...services,
    "generation",
    "cluster/workers",
    "upstreams",
    "limits",
    "guardrails",
    "mcp",
    "sandbox",
    "people",
    "admin",
    "litellm",
    "people/signIn",
    "http",
    "Api.ts",
    "Parts.ts",
    "Gateway.ts"
  ],
  "main.ts": ["documents", "commands"],
  "index.ts": [...leaves, ...services, "limits", "generation", "search", "upstreams", "admin", "Api.ts", "Gateway.ts"]
}

/** Rooms and files that may follow work under way (`flow/Future.ts`); all others see effects. */
export const followFutures: ReadonlySet<string> = new Set([
  "flow",
  "http",
  "pipeline",
  "dispatch",
  "limits",
  "routing",
  "upstreams",
  // A handler answers with an effect or with the pipeline's future.
  "contract/handlers.ts"
])
