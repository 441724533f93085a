import { Effect, Layer } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { reasoningEfforts } from "../contract/records/ModelFacts.ts"
import type { ModelFacts } from "../contract/records/ModelFacts.ts"
import { countTokens } from "../tokens/tokens.ts"
import { Documents } from "../documents/Documents.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { upstreamOf } from "../upstreams/text/upstreamOf.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { describeAttachment } from "./attachment.ts"
import type { Readers } from "./attachment.ts"
import { failureOf, refusalOf } from "./directive.ts"
import { perform } from "./perform.ts"
import type { Performance } from "./perform.ts"
import { play } from "./playback.ts"
import { readQuestion } from "./Question.ts"
import type { Question } from "./Question.ts"
import { sandboxEmbed, sandboxEmbedModel } from "./sandboxEmbed.ts"
import { makeSandboxImages, sandboxImageModel } from "./sandboxImage.ts"
import { sandboxModeration, sandboxModerationModel } from "./sandboxModeration.ts"
import { sandboxRerank, sandboxRerankModel } from "./sandboxRerank.ts"
import { sandboxSpeech, sandboxSpeechModel } from "./sandboxSpeech.ts"
import { sandboxTranscribeModel, sandboxTranscriptions, sandboxTranslations } from "./sandboxTranscribe.ts"
import { writeScript } from "./script.ts"

/** Addresses are to be guarded against what they must not reach. */
export type SandboxOptions = Readers

/** The embedded text model: offline, free, and the same answer to the same input. docs/sandbox.md says all it does. */
export const sandboxText = (options: SandboxOptions = {}): TextUpstream => ({
  ...upstreamOf("sandbox", (conversation, generate) => {
    if (conversation.providersRefusal !== undefined) return Effect.fail(conversation.providersRefusal)
    const question = readQuestion(conversation)
    if (question instanceof InvalidRequest) return Effect.fail(question)
    const { attachments, directive } = question
    if (directive.error !== undefined && directive.cut === undefined) return refuse(question, directive.error)
    if (attachments.length === 0) return Effect.succeed(start(conversation, question, [], generate))
    return Effect.map(
      Effect.forEach(attachments, (part) => describeAttachment(part, options)),
      (described) => start(conversation, question, described, generate)
    )
  }),
  searches: true,
  takesPdf: true,
  beside: {
    embeddings: sandboxEmbed,
    rerank: sandboxRerank,
    moderations: sandboxModeration,
    ...makeSandboxImages(),
    speech: sandboxSpeech,
    transcriptions: sandboxTranscriptions,
    translations: sandboxTranslations
  }
})

/** An address that does not answer must not hold a test for long. */
const attachmentLimits = { param: "url", maxBytes: 32 * 1024 * 1024, totalTimeoutMs: 10_000 }

/** Only the sandbox, for a gateway that has nothing else. */
export const SandboxTextUpstreams: Layer.Layer<TextUpstreams, never, AddressGuard | Documents> = Layer.scoped(
  TextUpstreams,
  Effect.gen(function* () {
    const guard = yield* AddressGuard
    const documents = yield* Documents
    const upstream = sandboxText({
      fetchBytes: (url) => guard.fetchBytes(url, attachmentLimits),
      readDocument: documents.read
    })
    return new Map([[upstream.name, upstream]])
  })
)

/** It caches nothing, and reasons with every effort. */
const textFacts = {
  inputs: ["text", "image", "file"],
  outputs: ["text"],
  tools: true,
  thinking: true,
  efforts: reasoningEfforts,
  structured_output: true,
  caching: false
} as const satisfies ModelFacts

/** The catalogue's entry for what the sandbox serves under its own name. */
export const sandboxModels = [
  {
    id: "sandbox-text",
    kind: "text",
    routes: [{ upstream: "sandbox", model: "sandbox-text", facts: textFacts }],
    contextTokens: 128_000,
    ownedBy: "sandbox"
  },
  sandboxEmbedModel,
  sandboxRerankModel,
  sandboxModerationModel,
  sandboxImageModel,
  sandboxSpeechModel,
  sandboxTranscribeModel
] as const

const start = (
  conversation: Conversation,
  question: Question,
  described: ReadonlyArray<string>,
  { family, stream }: GenerateOptions
): Generation => {
  const { directive } = question
  const script = writeScript(conversation, question, described, family)
  const isWordwise = stream || directive.paceMs > 0
  return play(perform(script, conversation, directive, countTokens(conversation), isWordwise), directive)
}

const failing = function* (failure: Failure): Performance {
  yield { type: "failed", failure }
  return false
}

/** At once it is a refused call; after a delay it is an answer that fails, so that a waiting stream can be tested. */
const refuse = (question: Question, status: number): Effect.Effect<Generation, UpstreamError> => {
  if (question.directive.delayMs > 0) {
    return Effect.succeed(play(failing(failureOf(status)), question.directive))
  }
  return Effect.fail(refusalOf(status))
}
