/** By the outcomes and statuses of a request. */
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
  afterKill: "A killed process can miss its newest requests here; what they cost is in the usage in full.",
  some: (count: string) => `${count} requests and more`,
  among: (count: string, looked: string) => `${count} among the newest ${looked} requests, looked through in this page`,
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
  empty: "Each request leaves a row here within a second, also one that is refused. Send the first one:",
  quietTitle: "Nothing in this range",
  quiet: "No request came in this time. Rows are kept for 30 days.",
  wider: "Look in the last 7 days",
  noMatch: ["Nothing in this range fits ", ". Rows are kept for 30 days."] as const,
  noMatchAmong: (looked: string) => [`None of the newest ${looked} requests of this range fits `, "."] as const,
  shown: (count: string) => `The newest ${count} are shown so far …`,
  scanning: (count: string) => `Looked at the newest ${count} requests so far …`,
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
  answeredBy: "Answered by",
  nobody: "nobody",
  task: "Task",
  client: "Client",
  unknownClient: "unnamed",
  endUser: " for ",
  attempts: "Attempts",
  adapted: "Adapted",
  notes: "Uncertain",
  noteMeans: meanings({
    usage_counted: "the gateway counted the tokens: the upstream told none, or none that can be",
    usage_doubted: "this part of the upstream’s usage can’t be: it was not believed",
    unpriced: "the route has no price: nothing was charged",
    finish: "the upstream ended for a reason that the gateway does not know: told as a normal end"
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
  priceUnknown: "The price that was used is not kept any more.",
  free: "Nothing was charged: no usage, or a model without a price.",
  ofTask: "Its task is what is charged for.",
  estimated: "The upstream told no usage: the gateway counted.",
  log: "Log",
  bodies: "Recorded, redacted",
  asked: "Request",
  answered: "Answer",
  bodiesCut: "Longer than what is kept: the rest is not there.",
  gone: "This request is not kept any more, or never was.",
  why: reasons({
    "400": ["The request itself was wrong.", "Its error says which field; nothing was sent or charged."],
    "401": ["The key opens nothing.", "It is unknown, revoked or expired."],
    "402": [
      "The account has less available than this request could cost at most.",
      "Add credit, or lower its token limit."
    ],
    "403": ["The key may not use this model.", "Add a pattern to the key that matches it."],
    "404": ["What was asked for is not there.", "Nothing was sent or charged."],
    "429": ["A limit was reached, or the upstream’s was.", "Raise the key’s or account’s limit, or spread the load."],
    refused: ["The request was refused.", "Nothing was charged."],
    failed: ["Every route was tried and none answered.", "Nothing was charged; the attempts below say why."],
    cut: ["The answer broke off after it had begun, so nothing was tried again.", "What was received is paid for."],
    hang_up: [
      "The client left before the end. The upstream was told to stop.",
      "What was received until then is charged, and nothing where the answer had not begun."
    ]
  }),
  adaptedWhy: "left out or told in another form: the upstream does not take it as it is"
}
