export const upstreams = {
  columns: {
    upstream: "Upstream",
    protocol: "Protocol",
    address: "Address",
    circuit: "Circuit",
    calls: "Calls",
    running: "Running",
    waiting: "Waiting",
    errors: "Errors",
    p50: "First byte p50",
    p95: "First byte p95"
  },
  circuits: { closed: "closed", open: "open", probing: "probing" },
  builtIn: "built in",
  here: "this process",
  unbounded: "no bound",
  test: "Test",
  testNow: (name: string) => `Test now: ${name}`,
  testing: "testing",
  answered: (models: string, took: string) => `${models} models, ${took}`,
  answeredPlain: (took: string) => took
}

export const models = {
  counted: (models: string, upstreams: string) => `${models} served · ${upstreams} upstreams`,
  testAll: "Test all",
  test: "Test now",
  testTitle: (model: string) => `Test now: ${model}`,
  testCosts: (cost: string) => `This sends one short request and spends at most ${cost}.`,
  testSend: "Send it",
  testAs: "As",
  testing: "testing",
  noAnswer: "no answer",
  columns: {
    model: "Model",
    routes: "Routes, tried in order",
    context: "Context, tok",
    input: "In, $/M",
    cached: "Cached, $/M",
    output: "Out, $/M",
    from: "Price from",
    takes: "Takes besides text",
    test: "Test"
  },
  kinds: { text: "text", video: "video", embedding: "vectors" },
  unpriced: "unpriced: counted as free",
  perSecond: (price: string) => `${price} per second`,
  perMillion: (price: string) => `${price} per M tokens`,
  free: "free",
  unknown: "unknown",
  upstreams: "Upstreams",
  upstreamsNote: "as the process that answers finds them",
  emptyTitle: "No models",
  empty: "Put a provider’s key in the environment, or name upstreams in gateway.yaml:",
  sources: { list: "public list", file: "gateway.yaml", "built-in": "built in", nowhere: "nowhere" }
}
