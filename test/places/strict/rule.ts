// oxlint-disable-next-line typescript/no-explicit-any -- what was sent may be anything
export type Any = any

export type Ask = {
  readonly place: Place
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: Any
  readonly bytes: number
  readonly model: string
  readonly stream: boolean
  readonly betas: ReadonlyArray<string>
  /** Whether a signature was made by this place; undefined where that is not known. */
  readonly knows?: (signature: string) => boolean
}

export type Refusal = {
  readonly says: string
  readonly param?: string
  readonly code?: string | null
  readonly status?: number
  readonly type?: string
  readonly loc?: ReadonlyArray<string | number>
}

export type Rule = {
  readonly id: string
  readonly places: ReadonlyArray<Place>
  /** documented: in the provider's documentation or its SDK's source. tracker: real words in a public thread or another gateway's table. */
  readonly sure: "documented" | "tracker"
  readonly date: string
  readonly source: string
  readonly about: string
  readonly find: (ask: Ask) => string | Refusal | undefined
}

export const places = [
  "anthropic",
  "bedrock-invoke",
  "bedrock-mantle",
  "vertex-claude",
  "foundry-claude",
  "bedrock-converse",
  "openai-responses",
  "openai-chat",
  "azure-responses",
  "azure-chat",
  "gemini",
  "vertex-gemini",
  "deepseek",
  "groq",
  "mistral",
  "xai",
  "cerebras",
  "vllm",
  "ollama"
] as const

export type Place = (typeof places)[number]

export const claude: ReadonlyArray<Place> = [
  "anthropic",
  "bedrock-invoke",
  "bedrock-mantle",
  "vertex-claude",
  "foundry-claude"
]

export const anyClaude: ReadonlyArray<Place> = [...claude, "bedrock-converse"]

export const clouds: ReadonlyArray<Place> = ["bedrock-invoke", "bedrock-mantle", "vertex-claude"]

export const converse: ReadonlyArray<Place> = ["bedrock-converse"]

export const chat: ReadonlyArray<Place> = ["openai-chat", "azure-chat"]

export const responses: ReadonlyArray<Place> = ["openai-responses", "azure-responses"]

export const openai: ReadonlyArray<Place> = [...chat, ...responses]

export const google: ReadonlyArray<Place> = ["gemini", "vertex-gemini"]

export const rules: Array<Rule> = []

export const rule = (
  id: string,
  at: ReadonlyArray<Place>,
  sure: Rule["sure"],
  date: string,
  source: string,
  about: string,
  find: Rule["find"]
) => {
  rules.push({ id, places: at, sure, date, source, about, find })
}

export const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

export const words = (text: string): ReadonlyArray<string> => text.split(" ")

export const blocksOf = (turn: Any): ReadonlyArray<Any> =>
  typeof turn?.content === "string" ? [{ type: "text", text: turn.content }] : list(turn?.content)

export const firstOf = <A>(
  items: Iterable<A>,
  find: (item: A, index: number) => string | Refusal | undefined
): string | Refusal | undefined => {
  let index = 0
  for (const item of items) {
    const found = find(item, index++)
    if (found !== undefined) return found
  }
  return undefined
}

export const stranger = (value: Any, known: string): string | undefined => {
  const names = new Set(words(known))
  return Object.keys(value ?? {}).find((key) => !names.has(key))
}

export const isText = (value: Any): value is string => typeof value === "string"

export const copyWithoutTexts = (body: Any): string =>
  JSON.stringify(body, (key, value) => (key === "text" || key === "data" ? "" : value))
