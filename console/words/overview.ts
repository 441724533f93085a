const some = (count: string, what: string): string => `${count} ${what}${count === "1" ? "" : "s"}`

export const overview = {
  range: "Time range",
  ranges: { "1h": "1 h", "24h": "24 h", "7d": "7 d", "30d": "30 d" } as const,
  attention: "Needs attention",
  see: {
    requests: "See requests",
    accounts: "Add credit",
    tasks: "See tasks",
    models: "See models",
    keys: "See keys",
    upstreams: "See requests"
  },
  figures: {
    requests: "Requests",
    failed: "Failed",
    cost: "Cost",
    tokens: "Tokens",
    first: "First byte p50",
    duration: "Duration p50"
  },
  onBefore: (change: string) => `${change} vs before`,
  ofRequests: (failed: string, refused: string) => `${failed} failed · ${refused} refused`,
  upstreamCost: (dollars: string) => `${dollars} at upstreams`,
  inOut: (input: string, output: string) => `${input} in, ${output} out`,
  p95: (value: string) => `p95 ${value}`,
  charts: { requests: "Requests", cost: "Cost", first: "First byte", duration: "Duration" },
  per: (step: string) => `per ${step}`,
  other: "other",
  refused: "refused",
  failed: "failed",
  upstreams: "Upstreams",
  queue: (tasks: string, callbacks: string, calls: string) =>
    `${some(tasks, "task")} unfinished, ${some(callbacks, "callback")} to send, ${some(calls, "call")} waiting`,
  costBy: "Cost by",
  by: { model: "Model", upstream: "Upstream", account: "Account", key: "Key", tag: "Tag" } as const,
  columns: { requests: "Requests", cost: "Cost", upstreamCost: "At upstreams", share: "Share" },
  free: "free",
  untagged: "none",
  emptyTitle: "No requests yet",
  empty: "The sandbox is built in and needs no account elsewhere. Send it a request to fill this page.",
  quiet: "No requests in this range.",
  balance: "Balance",
  available: (left: string) => `${left} available`,
  unmetered: "This account has no spending limit.",
  spentOf: (spent: string, granted: string) => `${spent} of ${granted} settled`,
  holderHeld: (held: string) => `, ${held} held`,
  keyBudget: "This key’s budget"
}
