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
  answered: (models: string, took: string) => `${models} models, ${took}`
}

export const models = {
  counted: (models: string, upstreams: string) => `${models} served · ${upstreams} upstreams`,
  testAll: "Test all",
  test: "Test now",
  testTitle: (model: string) => `Test now: ${model}`,
  testCosts: (cost: string) => `This sends one short request and spends at most ${cost}.`,
  testUnpriced: "This sends one short request. The model has no price here; its upstream may charge for it.",
  testUnknown: "This sends one short request. Its cost is unknown.",
  testAllCosts: (models: string, cost: string) =>
    `This sends one short request to each of ${models} models and spends about ${cost} at most. Free ones are tested already.`,
  testSomeUnpriced: (models: string) => `Without a price here: ${models} of them. Their upstreams may charge for it.`,
  testSend: "Send it",
  testAs: "As",
  testing: "testing",
  noAnswer: "no answer",
  columns: {
    model: "Model",
    routes: "Routes, in order",
    context: "Context, tok",
    price: "Price",
    input: "In, $/M",
    cached: "Cached, $/M",
    output: "Out, $/M",
    from: "Price from",
    takes: "Takes besides text",
    test: "Test"
  },
  kinds: { text: "text", video: "video", embedding: "vectors" },
  unpriced: "unpriced",
  unpricedNote:
    "An unpriced model costs nothing here. Accounts with a balance and keys with a budget may use it only with unpriced: allow. Set its price in gateway.yaml or in a prices_file.",
  takesNote:
    "Inputs are those that the first route’s protocol carries; the model itself may accept less. Prices of the public list show the list’s date.",
  takes: {
    images: "images",
    pdf: "PDF",
    pdf_text: "PDF as text",
    tools: "tools",
    web_search: "web search",
    video: "video",
    audio: "audio"
  },
  nothing: "nothing",
  passes: (families: string) => `Requests to ${families} pass through, others are translated`,
  translated: "Every request is translated",
  mostOut: (tokens: string) => `${tokens} tokens out at most`,
  perSecond: (price: string) => `${price} per second`,
  perMillion: (price: string) => `${price} per M tokens`,
  free: "free",
  unknown: "unknown",
  upstreams: "Upstreams",
  upstreamsNote: "as seen by the process that answers",
  emptyTitle: "No models",
  empty: "Put a provider’s key in the environment, or name upstreams in gateway.yaml:",
  sources: {
    "fetched list": "fetched list",
    "built-in list": "public list",
    "gateway.yaml": "gateway.yaml",
    prices_file: "prices_file",
    sandbox: "built in",
    nowhere: "nowhere"
  }
}
