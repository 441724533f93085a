/** Texts by the outcomes and statuses of a request. */
const reasons = (texts: Readonly<Record<string, readonly [what: string, then: string]>>) => texts

const meanings = (texts: Readonly<Record<string, string>>) => texts

export const outcome = {
  finished: "finished",
  refused: "refused",
  failed: "failed",
  cut: "cut",
  hang_up: "hang-up"
}

export const requests = {
  counted: (count: string, cost: string, refused: string, failed: string) =>
    `${count} requests · ${cost} · ${refused} refused · ${failed} failed`,
  afterKill: "After a crash, the newest requests may be missing here; their cost is complete in the usage.",
  some: (count: string) => `${count} requests and more`,
  among: (count: string, looked: string) => `${count} among the newest ${looked} requests, filtered in this page`,
  search: "Search requests",
  example: "status:5xx  model:claude-*  upstream:openai  or an id",
  anyOutcome: "Any outcome",
  anyModel: "Any model",
  anyUpstream: "Any upstream",
  anyAccount: "Any account",
  range: "Time range",
  ranges: { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" } as const,
  zoomOut: "Zoom out",
  fresh: (count: number) => `${count} new`,
  emptyTitle: "No requests yet",
  empty: "Each request appears here within a second, also a refused one. Send the first one:",
  quietTitle: "Nothing in this range",
  quiet: "There are no requests in this range. Rows are kept for 30 days.",
  wider: "Look in the last 7 days",
  noMatch: ["Nothing in this range matches ", ". Rows are kept for 30 days."] as const,
  noMatchAmong: (looked: string) => [`None of the newest ${looked} requests of this range matches `, "."] as const,
  shown: (count: string) => `The newest ${count} are shown so far …`,
  scanning: (count: string) => `Scanned the newest ${count} requests so far …`,
  columns: {
    age: "Age",
    utc: "UTC",
    outcome: "Outcome",
    model: "Model",
    endpoint: "Endpoint",
    key: "Account / key",
    upstream: "Upstream",
    first: "First byte",
    duration: "Duration",
    input: "Tokens in",
    output: "out",
    cost: "Cost, USD"
  },
  attempts: (count: number) => `${count} attempts`,
  adapted: (count: number) => `adapted ${count}`
}

export const request = {
  repeat: "Repeat in playground",
  duration: "Duration",
  first: "First byte",
  tokens: "Tokens in / out",
  cost: "Cost",
  request: "Request",
  received: "Received",
  key: "Account / key",
  endpoint: "Endpoint",
  streamed: ", streamed",
  servedBy: "Served by",
  fallbackWhy: {
    too_long: " instead: the input was too long for the requested model",
    refused: " instead: a content policy of the requested model refused it",
    failed: " instead: every route of the requested model failed"
  },
  answeredBy: "Answered by",
  noUpstream: "none",
  task: "Task",
  client: "Client",
  unknownClient: "unnamed",
  endUser: " for ",
  attempts: "Attempts",
  adapted: "Adapted",
  notes: "Uncertain",
  noteMeans: meanings({
    usage_counted: "the gateway counted the tokens: the upstream reported none, or impossible ones",
    usage_doubted: "this part of the upstream’s usage is impossible and was ignored",
    unpriced: "the route has no price: nothing was charged",
    finish: "the upstream ended for an unknown reason, which is shown as a normal end"
  }),
  costTitle: "Cost",
  kinds: {
    input: "Input",
    read: "Cached input",
    write: "Cache write",
    writeHour: "Cache write, an hour",
    output: "Output",
    search: "Web searches",
    video: "Seconds of video"
  },
  reasoning: (count: string) => ` of these ${count} reasoning`,
  heads: ["Tokens", "Count", "USD a million", "USD"] as const,
  settled: "Settled",
  upstreamCost: "Cost at upstreams",
  settledAt: "Cost settled",
  priceUnknown: "The price at that time is no longer stored.",
  free: "Nothing was charged: no usage, or a model without a price.",
  ofTask: "The cost is charged to its task.",
  estimated: "The upstream reported no usage: the gateway counted it.",
  log: "Log",
  bodies: "Recorded, redacted",
  asked: "Request",
  answered: "Answer",
  bodiesCut: "Cut: longer than the recorded maximum.",
  gone: "This request is no longer stored, or never existed.",
  why: reasons({
    "400": ["The request itself was wrong.", "Its error says which field; nothing was sent or charged."],
    "401": ["The key is not accepted.", "It is unknown, revoked or expired."],
    "402": [
      "The request’s maximum cost exceeds the account’s available balance.",
      "Add credit, or lower its token limit."
    ],
    "403": ["The key may not use this model.", "Add a pattern to the key that matches it."],
    "404": ["The requested object does not exist.", "Nothing was sent or charged."],
    "429": ["A limit was reached, or the upstream’s was.", "Raise the key’s or account’s limit, or spread the load."],
    refused: ["The request was refused.", "Nothing was charged."],
    failed: ["Every route was tried and none answered.", "Nothing was charged; the attempts below show why."],
    cut: ["The answer broke off after it had begun, so nothing was tried again.", "What was received is charged."],
    hang_up: [
      "The client left before the end. The upstream was told to stop.",
      "What was received until then is charged; nothing if the answer had not begun."
    ]
  }),
  adaptedWhy: "left out or changed: the upstream does not accept it unchanged"
}
