import { Effect, Layer } from "effect"
import { InvalidRequest } from "../../contract/Failure.ts"
import type { Failure } from "../../contract/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { Generation } from "../../generation/Generation.ts"
import { warmUp } from "../../generation/tokenizer.ts"
import { countTokens } from "../../generation/tokens.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import type { GenerateOptions, TextUpstream } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { TextUpstreams } from "../Upstreams.ts"
import { describeAttachment } from "./attachment.ts"
import type { FetchBytes } from "./attachment.ts"
import { failureOf } from "./directive.ts"
import { perform } from "./perform.ts"
import { play } from "./playback.ts"
import { readQuestion } from "./Question.ts"
import type { Question } from "./Question.ts"
import { writeScript } from "./script.ts"

export interface SandboxOptions {
  /** Reads callers' addresses, guarded against what they must not reach; without it they are named and not read. */
  readonly fetchBytes?: FetchBytes
}

/** The embedded text model: offline, free, and the same answer to the same input. docs/sandbox.md says all it does. */
export const sandboxText = (options: SandboxOptions = {}): TextUpstream => ({
  name: "sandbox",
  searches: true,
  // Begins when it is called: what needs no reading is there at once, and costs no fiber.
  generate: (conversation, generate) => {
    const question = readQuestion(conversation)
    if (question instanceof InvalidRequest) return Effect.fail(question)
    const { attachments, directive } = question
    if (directive.error !== undefined && directive.cut === undefined) return refuse(question, directive.error)
    if (attachments.length === 0) return Effect.succeed(start(conversation, question, [], generate))
    return Effect.map(
      Effect.forEach(attachments, (part) => describeAttachment(part, options.fetchBytes)),
      (described) => start(conversation, question, described, generate)
    )
  }
})

const warmUpAfter = "1 second"
/** An address that does not answer must not hold a test for long. */
const attachmentLimits = { param: "url", maxBytes: 32 * 1024 * 1024, totalTimeoutMs: 10_000 }

/**
 * Only the sandbox, for a gateway that has nothing else. Loads the tokenizer's vocabulary soon after the start, so that
 * neither the start nor the first request waits for it.
 */
export const SandboxTextUpstreams: Layer.Layer<TextUpstreams, never, AddressGuard> = Layer.scoped(
  TextUpstreams,
  Effect.gen(function* () {
    const guard = yield* AddressGuard
    yield* Effect.forkScoped(Effect.delay(Effect.sync(warmUp), warmUpAfter))
    const upstream = sandboxText({ fetchBytes: (url) => guard.fetchBytes(url, attachmentLimits) })
    return new Map([[upstream.name, upstream]])
  })
)

/** The catalogue's entry for what the sandbox serves under its own name. */
export const sandboxModels = [
  {
    id: "sandbox-text",
    kind: "text",
    routes: [{ upstream: "sandbox", model: "sandbox-text" }],
    contextTokens: 128_000,
    ownedBy: "sandbox"
  }
] as const

const start = (
  conversation: Conversation,
  question: Question,
  described: ReadonlyArray<string>,
  { stream }: GenerateOptions
): Generation => {
  const { directive } = question
  const script = writeScript(conversation, question, described)
  const isWordwise = stream || directive.paceMs > 0
  return play(perform(script, conversation, directive, countTokens(conversation), isWordwise), directive)
}

/** At once it is a refused call; after a delay it is an answer that fails, so that a waiting stream can be tested. */
const refuse = (question: Question, status: number): Effect.Effect<Generation, Failure | UpstreamError> => {
  const failure = failureOf(status)
  if (question.directive.delayMs > 0) {
    return Effect.sync(() => play({ events: [{ type: "failed", failure }], staysSilent: false }, question.directive))
  }
  return Effect.fail(
    new UpstreamError({
      failure,
      // The sandbox always answers alike: only another upstream could do better.
      retry: status === 400 ? "never" : "elsewhere",
      retryAfterMs: failure._tag === "RateLimited" ? 1_000 : undefined,
      status
    })
  )
}
