import type { JsonObject } from "../../../src/contract/fields.ts"
import { callSignature, textSignature } from "./geminiSignatures.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { spoken, textOf } from "./scenarios.ts"

const usageMetadata: JsonObject = {
  promptTokenCount: 20,
  cachedContentTokenCount: 5,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 3,
  totalTokenCount: 28
}

const call = (id: string, city: string, isFirst: boolean): JsonObject => ({
  functionCall: { id, name: "get_weather", args: { city } },
  // Of parallel calls the first alone is signed.
  ...(isFirst ? { thoughtSignature: callSignature("get_weather", { city }) } : {})
})

const thought: JsonObject = { text: spoken.thought, thought: true }

const calls = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  const id = (n: number) => `call${turn * 10 + n}`
  switch (scenario) {
    case "tools":
      return [call(id(1), spoken.city, true)]
    case "parallel-tools":
      return [call(id(1), spoken.city, true), call(id(2), spoken.other, false)]
    case "reasoning-tools":
      return [thought, call(id(1), spoken.city, true)]
    default:
      return []
  }
}

const said = (scenario: Scenario): string => (scenario === "refusal" ? spoken.refusal : textOf(scenario))

/** The parts of the whole answer. */
const parts = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  const own = calls(scenario, turn)
  if (own.length > 0) return own
  const text = said(scenario)
  return [...(scenario === "reasoning" ? [thought] : []), { text, thoughtSignature: textSignature(text) }]
}

/** The parts as they are streamed: the signature stands in a last part without text. */
const pieces = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  const own = calls(scenario, turn)
  if (own.length > 0) return own
  const text = said(scenario)
  return [
    ...(scenario === "reasoning" ? [thought] : []),
    ...Array.from(text, (character) => ({ text: character })),
    { text: "", thoughtSignature: textSignature(text) }
  ]
}

const finishReason = (scenario: Scenario): string =>
  scenario === "max-tokens" ? "MAX_TOKENS" : scenario === "refusal" ? "SAFETY" : "STOP"

const grounded = (scenario: Scenario): JsonObject => {
  if (scenario !== "search") return {}
  const text = textOf(scenario)
  const segment = { endIndex: Buffer.byteLength(text), text }
  return {
    groundingMetadata: {
      webSearchQueries: ["hello"],
      searchEntryPoint: { renderedContent: "<div></div>" },
      groundingChunks: [{ web: { uri: spoken.url, title: spoken.title } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }]
    }
  }
}

const answer = (model: string, candidate: JsonObject, parts: ReadonlyArray<JsonObject>): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
  usageMetadata,
  modelVersion: model,
  responseId: "resp-1"
})

const error = (code: number, message: string): JsonObject => ({
  error: { code, message, status: statuses[code] ?? "UNKNOWN", details: [] }
})

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE"
}

/** A prompt that the service does not answer is a 200. */
const blocked: JsonObject = {
  promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
  usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 },
  modelVersion: "gemini-3.8-flash"
}

const vectorOf = (text: unknown): ReadonlyArray<number> => [String(text).length, 0.5, -0.25]

/** Methods that do not generate. */
const others: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  countTokens: () => ({ totalTokens: 20 }),
  batchEmbedContents: ({ requests }) => ({
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
    embeddings: (requests as ReadonlyArray<any>).map(({ content }) => ({ values: vectorOf(content.parts[0].text) })),
    usageMetadata: { promptTokenCount: 4 }
  }),
  predict: ({ instances }) => ({
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
    predictions: (instances as ReadonlyArray<any>).map(({ content }) => ({
      embeddings: { values: vectorOf(content), statistics: { token_count: 2, truncated: false } }
    }))
  }),
  embedContent: ({ content }) => ({
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
    embedding: { values: vectorOf((content as any).parts[0].text) },
    usageMetadata: { promptTokenCount: 2 }
  })
}

/** The models of Vertex that embed by `embedContent`, and only by it. */
const isNewer = (model: string): boolean => model.includes("gemini") && model !== "gemini-embedding-001"

/** The reason that Vertex refuses a request that Google's API takes. */
const vertexComplaint = (model: string, method: string, body: JsonObject): string | undefined => {
  if (method === "predict" && isNewer(model)) return "This model is not supported by the predict API."
  if (method !== "countTokens") return undefined
  const known = ["contents", "systemInstruction", "tools", "generationConfig", "instances", "model"]
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  return unknown === undefined ? undefined : `Invalid JSON payload received. Unknown name "${unknown}"`
}

/** Vertex lists Google's models for no project, and those for images and videos with them. */
const published = {
  publisherModels: ["gemini-3.8-flash", "gemini-embedding-001", "imagen-4.0-generate-001", "veo-3.1-generate-001"].map(
    (id) => ({ name: `publishers/google/models/${id}`, versionId: "default" })
  )
}

/** Google's API, and Vertex with its longer path. */
const methods =
  /^(?:\/v1beta|\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google)\/models\/([^/:]+):(\w+)$/

export const gemini: Dialect = {
  path: "/v1beta",
  named: false,
  end: "",
  placed: ({ body, headers, path }) => {
    if (path === "/v1beta1/publishers/google/models") return { status: 200, answer: published }
    const [, model, method = ""] = methods.exec(path) ?? []
    if (model === undefined) return undefined
    const isKnown = path.startsWith("/v1beta/") ? headers["x-goog-api-key"] : headers["authorization"]
    if (isKnown === undefined) return { status: 403, answer: error(403, "Method doesn't allow unregistered callers") }
    const complaint = path.startsWith("/v1beta/") ? undefined : vertexComplaint(model, method, body)
    if (complaint !== undefined) return { status: 400, answer: error(400, complaint) }
    if (Object.hasOwn(others, method)) return { status: 200, answer: others[method]?.(body) ?? {} }
    return method === "generateContent" || method === "streamGenerateContent"
      ? { model, stream: method === "streamGenerateContent" }
      : undefined
  },
  written: (frame) =>
    // An error inside a stream is no event.
    "error" in frame ? `${JSON.stringify(frame, undefined, 2)}\n` : `data: ${JSON.stringify(frame)}\r\n\r\n`,
  frames: (scenario, model, turn = 0) => [
    ...pieces(scenario, turn).map((part) => answer(model, {}, [part])),
    scenario === "error-after"
      ? error(503, "worker 10.0.0.3 died")
      : answer(model, { finishReason: finishReason(scenario), ...grounded(scenario) }, [])
  ],
  answer: (scenario, model, turn = 0) =>
    answer(model, { finishReason: finishReason(scenario), ...grounded(scenario) }, parts(scenario, turn)),
  blocked,
  error
}
