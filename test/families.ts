import { allFamilies, families, isCalled, isForm } from "../src/contract/kinds.ts"
import type { CalledFamily, Family, FormFamily, ModelKind } from "../src/contract/kinds.ts"

interface UsualRequest {
  /** A model of the sandbox. */
  readonly model: string
  /** The rest of the smallest body with this text in it. Hostile requests put other shapes there. */
  readonly saying: (text: unknown) => Readonly<Record<string, unknown>>
}

const user = (content: unknown) => [{ role: "user", content }]

/** The usual request of each family. Lists of tests derive from it: a new family is a row here. */
const usual = {
  messages: { model: "sandbox-text", saying: (text) => ({ max_tokens: 50, messages: user(text) }) },
  responses: { model: "sandbox-text", saying: (input) => ({ input }) },
  chat: { model: "sandbox-text", saying: (text) => ({ messages: user(text) }) },
  completions: { model: "sandbox-text", saying: (prompt) => ({ prompt }) },
  embeddings: { model: "sandbox-embed", saying: (input) => ({ input }) },
  rerank: { model: "sandbox-rerank", saying: (query) => ({ query, documents: ["one", query] }) },
  moderations: { model: "sandbox-moderation", saying: (input) => ({ input }) },
  images: { model: "sandbox-image", saying: (prompt) => ({ prompt, size: "64x64" }) },
  edits: {
    model: "sandbox-image",
    saying: (prompt) => ({ prompt, images: [{ image_url: "https://example.com/a.png" }], size: "64x64" })
  },
  speech: { model: "sandbox-speech", saying: (input) => ({ input, voice: "alloy" }) },
  compactions: { model: "sandbox-text", saying: (input) => ({ input }) },
  videos: {
    model: "sandbox-video",
    saying: (text) => ({ content: [{ type: "text", text }], resolution: "480p", frames: 29 })
  }
} satisfies Readonly<Record<Exclude<Family, FormFamily>, UsualRequest>>

/** The usual path, and a body that the sandbox answers. */
export const usualRequest = (family: Exclude<Family, FormFamily>, text: unknown = "Hello!") => {
  const { model, saying } = usual[family]
  return { path: families[family].paths[0], body: { model, ...saying(text) } }
}

/** The families whose requests are JSON. */
export const jsonFamilies = allFamilies.filter((family): family is keyof typeof usual => !isForm(family))

/** The sandbox's model for each path that a family has. */
export const sandboxModelAt: ReadonlyMap<string, string> = new Map(
  jsonFamilies.flatMap((family) => families[family].paths.map((path) => [path, usual[family].model] as const))
)

const textKind: ModelKind = "text"

/** The families beside those of texts that answer at once, by JSON. */
export const narrowFamilies = jsonFamilies.filter(
  (family): family is Exclude<CalledFamily, FormFamily> => isCalled(family) && families[family].kind !== textKind
)
