/** A hostile request, which must not harm others. */
export interface Hostile {
  readonly name: string
  /** `{earlier}` stands for the id of what was made before it, `{earlier item}` for that of a response's first item. */
  readonly path: string
  readonly method?: "PATCH"
  /** Its content type, JSON where left out. */
  readonly type?: string
  /** Made when it is sent: some are large. `{earlier}` as in the path. */
  readonly body: () => string
  /** Of the table that is printed by the short run, and held on every run of the promises. */
  readonly isShort?: true
  readonly asAdmin?: true
  /** As much of an upstream's answer is read, in bytes, before it is told as the upstream's fault. */
  readonly answerBytes?: number | (() => number)
  /** What it goes on from, or changes: sent before, each time. It counts as if this request brought it. */
  readonly earlier?: Pick<Hostile, "path" | "body">
}

type Extra = Partial<Omit<Hostile, "name" | "path" | "body">>

/** What makes requests of one endpoint. */
export const on =
  (path: string, always: Extra = {}) =>
  (name: string, body: () => string, more: Extra = {}): Hostile => ({ name, path, body, ...always, ...more })

export const onMessages = on("/v1/messages")
export const onResponses = on("/v1/responses")
export const onChat = on("/v1/chat/completions")
export const onCompletions = on("/v1/completions")
export const onEmbeddings = on("/v1/embeddings")
export const onModerations = on("/v1/moderations")
export const onVideos = on("/api/v3/contents/generations/tasks")
export const onOpenAIVideos = on("/v1/videos")

export const isShort: Extra = { isShort: true }

export const many = <A>(count: number, one: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => one(i))
export const mega = 1_000_000

export const messages = (over: object, model = "sandbox-text") =>
  JSON.stringify({ model, max_tokens: 1_000, messages: [{ role: "user", content: "Hi" }], ...over })
export const chat = (over: object, model = "sandbox-text") =>
  JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }], ...over })
export const completions = (prompt: unknown, over: object = {}) =>
  JSON.stringify({ model: "sandbox-text", prompt, ...over })
export const responses = (over: object, model = "sandbox-text") =>
  JSON.stringify({ model, input: "Hi", store: false, ...over })
export const videos = (over: object) =>
  JSON.stringify({
    model: "sandbox-video",
    content: [{ type: "text", text: "a cat [[sandbox: fail=Enough]]" }],
    ...over
  })
export const openAIVideos = (over: object) =>
  JSON.stringify({ model: "sandbox-video", prompt: "a cat [[sandbox: fail=Enough]]", ...over })
export const embeddings = (input: unknown, over: object = {}) =>
  JSON.stringify({ model: "behind-embeddings", input, ...over })
export const moderation = (input: unknown) => JSON.stringify({ model: "sandbox-moderation", input })

/** A user's text, as messages and chat completions take it. */
export const saying = (text: string) => ({ messages: [{ role: "user", content: text }] })
/** A response that is to be a JSON Schema's. */
export const structured = (schema: object) => ({
  max_output_tokens: 32_000,
  text: { format: { type: "json_schema", name: "s", schema } }
})
/** A message that calls a tool with arguments of a JSON Schema. */
export const called = (input_schema: object) => ({ tools: [{ name: "f", input_schema }], tool_choice: { type: "any" } })

/** Texts that scanners, tokenizers and echoes may stumble over. */
export const texts: ReadonlyArray<readonly [string, () => string]> = [
  ["blanks", () => " ".repeat(8 * mega)],
  ["one word", () => "a".repeat(8 * mega)],
  ["verbs", () => "search and then ".repeat(500_000)],
  ["marks", () => "[[1]] ".repeat(mega)],
  ["controls", () => "\u0001".repeat(mega)],
  ["emoji", () => "👩‍👩‍👧‍👦".repeat(200_000)],
  ["lines", () => "\n".repeat(8 * mega)],
  ["half characters", () => "\ud83d".repeat(mega)]
]

/** Shapes that walks over a body may stumble over, to be put into any of its fields. */
export const shapes: ReadonlyArray<readonly [string, () => unknown]> = [
  ["10,000 keys", () => Object.fromEntries(many(9_900, (index) => [`key${index}`, index]))],
  ["290,000 values", () => many(290_000, () => 1)],
  ["9,900 long integers", () => many(9_900, (index) => JSON.rawJSON(`12345678901234${100_000 + index}`))],
  ["60 levels", () => many(58, () => 0).reduce<unknown>((inner) => [inner], 1)],
  ["90,000 keys", () => many(30_000, (index) => ({ a: index, b: "b", c: null }))]
]
