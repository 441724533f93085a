import { Struct } from "effect"
import type { Modality } from "./records/ModelFacts.ts"

/** A kind of model. */
interface KindRow {
  /** For sentences: "a text model". */
  readonly named: string
  /** A `call` answers at once, on an upstream for texts. A `task` is durable work, on an upstream for videos. */
  readonly work: "call" | "task"
  /** `gen_ai.operation.name` of its metrics. */
  readonly operation: string
  /** True if an upstream of another dialect can serve it by translation. */
  readonly isTranslated: boolean
  /** True if the model's context holds the whole input. Otherwise it reads its inputs one by one, and bills them all. */
  readonly readsAtOnce: boolean
  /** True if tokens, searches and calls of tools are all that it is priced by. */
  readonly isByTokens: boolean
  /** True if requests may name what an upstream stores: files, containers, conversations. */
  readonly namesStored: boolean
  /** The content that its models write. */
  readonly writes: Modality
  /** True if such models cost nothing, unless they have a price. */
  readonly isUsuallyFree?: true
  /** The usual name of such models, for entries without a kind. */
  readonly usualName?: RegExp
}

/** The kinds of model. What differs between them is a column here, not a comparison elsewhere. */
export const kinds = {
  text: {
    named: "a text model",
    work: "call",
    operation: "chat",
    isTranslated: true,
    readsAtOnce: true,
    isByTokens: true,
    writes: "text",
    namesStored: true
  },
  embedding: {
    named: "an embedding model",
    work: "call",
    operation: "embeddings",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: true,
    writes: "embeddings",
    namesStored: false,
    usualName: /embed/i
  },
  rerank: {
    named: "a rerank model",
    work: "call",
    operation: "rerank",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: false,
    writes: "rerank",
    namesStored: false,
    usualName: /rerank/i
  },
  moderation: {
    named: "a moderation model",
    work: "call",
    operation: "moderation",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: true,
    namesStored: false,
    writes: "text",
    isUsuallyFree: true,
    usualName: /moderation(?:-(?:latest|stable|\d[\d-]*))?$/i
  },
  image: {
    named: "an image model",
    work: "call",
    operation: "image_generation",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: false,
    namesStored: false,
    writes: "image",
    usualName: /^(?:gpt-image|chatgpt-image|dall-e|imagen-|grok-imagine-image|grok-2-image|sandbox-image)/i
  },
  speech: {
    named: "a speech model",
    work: "call",
    operation: "speech",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: false,
    namesStored: false,
    writes: "audio",
    usualName: /^(?:tts-1|gpt-[\w.-]{1,32}-tts|playai-tts|sandbox-speech)/i
  },
  transcription: {
    named: "a transcription model",
    work: "call",
    operation: "transcription",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: false,
    namesStored: false,
    writes: "text",
    usualName: /whisper|transcribe/i
  },
  video: {
    named: "a video model",
    work: "task",
    operation: "video",
    isTranslated: false,
    readsAtOnce: false,
    isByTokens: false,
    writes: "video",
    namesStored: false
  }
} as const satisfies Record<string, KindRow>

export type ModelKind = keyof typeof kinds
/** Kinds whose models answer at once. */
export type CalledKind = { [K in ModelKind]: (typeof kinds)[K]["work"] extends "call" ? K : never }[ModelKind]

export const modelKinds = Struct.keys(kinds)
export const calledKinds = modelKinds.filter((kind): kind is CalledKind => kinds[kind].work === "call")

/** A row with the columns that a kind may leave out. */
export const kindOf = (kind: ModelKind): KindRow => kinds[kind]

/** "text, embedding, rerank, moderation and image models": those that answer at once, for sentences. */
export const calledModels = `${calledKinds.slice(0, -1).join(", ")} and ${calledKinds.slice(-1).join("")} models`

/** A family of endpoints. */
interface FamilyRow {
  readonly kind: ModelKind
  /** The paths that create, the usual one first. */
  readonly paths: readonly [string, ...ReadonlyArray<string>]
  /** Paths of clients that reach the usual one; they are in no contract. */
  readonly clientPaths?: ReadonlyArray<string>
  /** True if `POST /v1/quote` takes its bodies. */
  readonly isQuoted: boolean
  /**
   * How an upstream of its dialect is asked: `stream` for answers that may come in pieces, `whole` for one JSON body
   * with one JSON answer, `bytes` for answers of any media type, which pass through as they come, `task` for durable
   * work.
   */
  readonly answers: "stream" | "whole" | "bytes" | "task"
  /** True if upstreams have it at an address beside that of their dialect. */
  readonly isBeside?: true
  /** Its requests are forms, with files: `only`, or `also` beside JSON. */
  readonly forms?: "only" | "also"
}

/** Azure's clients, with and without deployments in the path (the body names the model in both), and Ark's. */
const clientsOf = (path: string): ReadonlyArray<string> =>
  ["/openai/v1", "/openai/deployments/:deployment", "/api/v3"].map((before) => before + path)

/** The families of endpoints that ask models. */
export const families = {
  messages: { kind: "text", paths: ["/v1/messages"], isQuoted: true, answers: "stream" },
  responses: {
    kind: "text",
    paths: ["/v1/responses"],
    clientPaths: clientsOf("/responses"),
    isQuoted: true,
    answers: "stream"
  },
  chat: {
    kind: "text",
    paths: ["/v1/chat/completions"],
    clientPaths: clientsOf("/chat/completions"),
    isQuoted: true,
    answers: "stream"
  },
  completions: {
    kind: "text",
    paths: ["/v1/completions"],
    clientPaths: clientsOf("/completions"),
    isQuoted: true,
    answers: "stream",
    isBeside: true
  },
  embeddings: {
    kind: "embedding",
    paths: ["/v1/embeddings"],
    clientPaths: clientsOf("/embeddings"),
    isQuoted: true,
    answers: "whole",
    isBeside: true
  },
  rerank: {
    kind: "rerank",
    paths: ["/v1/rerank"],
    // Cohere's client, and LiteLLM's for Cohere.
    clientPaths: ["/v2/rerank", "/v1/v2/rerank"],
    isQuoted: true,
    answers: "whole",
    isBeside: true
  },
  moderations: { kind: "moderation", paths: ["/v1/moderations"], isQuoted: true, answers: "whole", isBeside: true },
  images: {
    kind: "image",
    paths: ["/v1/images/generations"],
    clientPaths: clientsOf("/images/generations"),
    isQuoted: true,
    answers: "whole",
    isBeside: true
  },
  edits: {
    kind: "image",
    paths: ["/v1/images/edits"],
    clientPaths: clientsOf("/images/edits"),
    isQuoted: true,
    answers: "whole",
    isBeside: true,
    forms: "also"
  },
  variations: {
    kind: "image",
    paths: ["/v1/images/variations"],
    isQuoted: false,
    answers: "whole",
    isBeside: true,
    forms: "only"
  },
  speech: {
    kind: "speech",
    paths: ["/v1/audio/speech"],
    clientPaths: clientsOf("/audio/speech"),
    isQuoted: true,
    answers: "bytes",
    isBeside: true
  },
  transcriptions: {
    kind: "transcription",
    paths: ["/v1/audio/transcriptions"],
    clientPaths: clientsOf("/audio/transcriptions"),
    isQuoted: false,
    answers: "bytes",
    isBeside: true,
    forms: "only"
  },
  translations: {
    kind: "transcription",
    paths: ["/v1/audio/translations"],
    clientPaths: clientsOf("/audio/translations"),
    isQuoted: false,
    answers: "bytes",
    isBeside: true,
    forms: "only"
  },
  compactions: { kind: "text", paths: ["/v1/responses/compact"], isQuoted: false, answers: "whole", isBeside: true },
  videos: {
    kind: "video",
    paths: ["/api/v3/contents/generations/tasks", "/v1/videos"],
    isQuoted: true,
    answers: "task"
  }
} as const satisfies Record<string, FamilyRow>

type Families = typeof families
export type Family = keyof Families
type FamilyThat<A extends FamilyRow["answers"]> = {
  [F in Family]: Families[F]["answers"] extends A ? F : never
}[Family]
/** Families whose requests may pass through to an upstream of their dialect. */
export type CalledFamily = FamilyThat<"stream" | "whole" | "bytes">
/** Families with one JSON body and one JSON answer. */
export type WholeFamily = FamilyThat<"whole">
/** Families whose answers are of any media type. */
export type BytesFamily = FamilyThat<"bytes">
/** Families whose requests are forms alone. */
export type FormFamily = { [F in Family]: Families[F] extends { readonly forms: "only" } ? F : never }[Family]
/** Families that upstreams have beside their dialect. */
export type BesideFamily = {
  [F in Family]: Families[F] extends { readonly isBeside: true } ? F : never
}[Family]
export const allFamilies = Struct.keys(families)

/** A row with the columns that a family may leave out. */
export const familyOf = (family: Family): FamilyRow => families[family]

/** True for a family whose answers come at once. */
export const isCalled = (family: Family): family is CalledFamily => families[family].answers !== "task"

/** True for a family with one JSON body and one JSON answer. */
export const isWhole = (family: Family): family is WholeFamily => families[family].answers === "whole"

/** True for a family whose answers are of any media type. */
export const isBytes = (family: Family): family is BytesFamily => families[family].answers === "bytes"

/** True for a family whose requests are forms alone. */
export const isForm = (family: Family): family is FormFamily => familyOf(family).forms === "only"

/** True for a family that upstreams have beside their dialect. */
export const isBeside = (family: Family): family is BesideFamily => "isBeside" in families[family]
