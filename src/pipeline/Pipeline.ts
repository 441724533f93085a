import { Effect, Exit } from "effect"
import type { Scope } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { InlineFiles } from "../storedFiles/InlineFiles.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import type { GenerationOptions } from "../dispatch/GenerationOptions.ts"
import type { Quote } from "../dispatch/Quote.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import { toEffect } from "../flow/toEffect.ts"
import type { Generation } from "../generation/Generation.ts"
import { Guardrails } from "../guardrails/Guardrails.ts"
import { CallerServers } from "../mcp/CallerServers.ts"
import { encodedBy } from "./encodedBy.ts"
import { fold } from "./fold.ts"
import { withGuardrails } from "./withGuardrails.ts"
import { failedStream, holdResponse } from "./holdResponse.ts"
import { nothingGenerated } from "./nothingGenerated.ts"
import { once, releaseAfter } from "./releaseAfter.ts"
import type { Release } from "./releaseAfter.ts"
import { admitServers, notCalled, offerServers, refusedInLine, withServers } from "./withServers.ts"
import { serversHere } from "./serversHere.ts"
import { streamAnswer } from "./streamAnswer.ts"
import type { AskedServers, Dialect, Encoding, TextFamily, TextInput, TextRequest } from "./TextFamily.ts"
import { families } from "../contract/kinds.ts"

/** The charge and routes of a task, whose money was held before. */
type Prepaid = GenerationOptions["prepaid"]

/** A request that its family has understood. */
interface Prepared<S, P, A> {
  readonly text: TextRequest<S, P, A>
  readonly request: Incoming
  readonly release: Release | undefined
}

/** A generation that has begun, for a caller that pulls it. */
export interface Started<A> {
  readonly generation: Generation
  /** Applies a function to the encoding of this generation. */
  readonly encode: <B>(use: <T>(encoding: Encoding<T, A>) => B) => B
}

/** Runs the text families: looks up, understands, generates, and answers whole or as a stream. */
export class Pipeline extends Effect.Service<Pipeline>()("gateway/pipeline/Pipeline", {
  effect: Effect.gen(function* () {
    const dispatch = yield* Dispatch
    const callerServers = yield* CallerServers
    const guardrails = yield* Guardrails
    const { callsHere, isGuarded, listed, runsServers } = serversHere(callerServers, dispatch, guardrails)
    const files = yield* InlineFiles
    const runtime = yield* Effect.runtime()

    /** Puts the caller's files into the request, looks up stored data, has the family understand the request, and continues. */
    const prepare = <Payload, Stored, S, P, A, B>(
      family: TextFamily<Payload, Stored, S, P, A>,
      input: TextInput<Payload>,
      next: (prepared: Prepared<S, P, A>) => Future<B, Failure>
    ): Future<B, Failure> => {
      const inlined = input.request.namesFiles === false ? undefined : files.put(input)
      if (inlined !== undefined) {
        return runFuture(runtime, inlined).flatMap((ready) => prepare(family, named(ready), next))
      }
      const found = family.lookUp?.(input, dispatch, "take")
      if (found === undefined) return understand(family, input, undefined, undefined, next)
      let stored: Stored | undefined
      const release = once((how) => family.release?.(input, stored, how))
      const work = runFuture(runtime, found).flatMap((claimed) => {
        stored = claimed
        return understand(family, input, claimed, release, next)
      })
      return releaseAfter(work, release)
    }

    const understand = <Payload, Stored, S, P, A, B>(
      family: TextFamily<Payload, Stored, S, P, A>,
      input: TextInput<Payload>,
      stored: Stored | undefined,
      release: Release | undefined,
      next: (prepared: Prepared<S, P, A>) => Future<B, Failure>
    ): Future<B, Failure> => {
      const text = family.understand(input, stored)
      return text instanceof InvalidRequest
        ? Future.fail(text)
        : next({ text, request: text.request ?? input.request, release })
    }

    /** Turns a large request into items in one turn of the event loop and generates in another. */
    const inTurns = (readItems: () => unknown, begin: () => Future<Generation, Failure>) =>
      runFuture(runtime, turn)
        .map(readItems)
        .flatMap(() => runFuture(runtime, turn))
        .flatMap(() => begin())

    /** @param isLookedAt true if the request's guardrails have looked at it */
    const generate = <Payload, Stored, S, P, A>(
      family: TextFamily<Payload, Stored, S, P, A>,
      input: TextInput<Payload>,
      prepared: Prepared<S, P, A>,
      options: { readonly prepaid?: Prepaid; readonly stream: boolean },
      isLookedAt = false
    ): Future<Generation, Failure> => {
      const { dialect } = family
      const { caller } = input
      const { release, request, text } = prepared
      const { prepaid, stream } = options
      const mayBeGuarded =
        guardrails.haveModels || caller.guardrails !== undefined || caller.accountGuardrails !== undefined
      if (mayBeGuarded && !isLookedAt && text.isDry !== true) {
        const guards = guardrails.of(caller, text.conversation.model)
        if (guards !== undefined) {
          const guarding = { ...input, ...options, text, guards, tell: guardrails.tell, runtime, dialect, dispatch }
          return withGuardrails(guarding, (now) => generate(family, input, { ...prepared, text: now }, options, true))
        }
      }
      const { conversation, lookAtCall, mayReachWeb, objection, passthrough, servers, unsupported } = text
      const { kind } = families[dialect]
      const quoted = (family: Dialect | undefined) =>
        dispatch.quote(caller, conversation, { family, kind, mayReachWeb, objection, headers: request.headers })
      const generateHere = (asked: AskedServers): Future<Generation, Failure> => {
        const admitted = quoted(undefined)
        if (prepaid !== undefined && prepaid.journal === undefined) return Future.fail(refusedInLine(asked))
        const owner = prepaid === undefined ? request.once?.journal : prepaid.journal
        const asking = { asked, admitted, caller, conversation, owner, request, lookAtCall }
        return withServers(callerServers, runtime, asking, (offering, served) =>
          dispatch.generate(caller, offering, request, {
            stream,
            kind,
            prepaid,
            objection,
            mayReachWeb,
            unsupported: unsupported && (() => unsupported(true)),
            serverTools: served,
            isStored: text.isStored
          })
        )
      }
      /** @param hasServers true if the request names servers, which an upstream calls */
      const begin = (hasServers = false): Future<Generation, Failure> => {
        if (text.isDry === true) return runFuture(runtime, Effect.map(quoted(dialect), nothingGenerated))
        if (servers !== undefined && !hasServers) {
          return runFuture(runtime, callsHere(dialect, { asked: servers, caller, request }, text)).flatMap((isHere) =>
            isHere ? generateHere(servers) : begin(true)
          )
        }
        return dispatch.generate(caller, conversation, request, {
          stream,
          asksWhole: text.asksWhole,
          kind,
          prepaid,
          hasServers,
          objection: hasServers ? () => objection() ?? notCalled : objection,
          mayReachWeb,
          unsupported,
          passthrough:
            // An upstream doesn't know the ids of the gateway's own calls.
            passthrough === undefined || (text.hasOwnCalls === true && objection() === undefined)
              ? undefined
              : { family: dialect, request: passthrough },
          isStored: text.isStored,
          several: text.answers
        })
      }
      const generation = isLarge(text, request) ? inTurns(() => conversation.items, begin) : begin()
      // Also on the generation: once the 200 has been sent, the answer no longer fails.
      return release === undefined ? generation : releaseAfter(generation, release)
    }

    const whole = <S, P, A>(generation: Generation, { release, text }: Prepared<S, P, A>): Future<A, Failure> =>
      encodedBy(text, generation, (encoding) => fold({ ...encoding, generation, release }).map(encoding.answer))

    /** Answers a request: whole, or with a stream whose 200 waits for the first event. */
    const answer =
      <Payload, Stored, S, P, A>(family: TextFamily<Payload, Stored, S, P, A>) =>
      (input: TextInput<Payload>): Future<A | Response, Failure> =>
        prepare(family, input, (prepared): Future<A | Response, Failure> => {
          const { release, request, text } = prepared
          const { stream } = text
          const generation = generate(family, input, prepared, { stream })
          if (!stream) return generation.flatMap((begun) => whole(begun, prepared))
          const { heartbeat, isToldInStream, waits } = family
          const opened = generation.flatMap((begun) =>
            encodedBy(text, begun, (encoding) =>
              streamAnswer({ ...encoding, generation: begun, release, heartbeat, request })
            )
          )
          if (waits === true) return opened
          return holdResponse(opened, {
            request,
            failed: failedStream(() => text.translated().machine),
            isToldInStream
          })
        })

    /** Runs a request to its whole answer, even if the payload asks for a stream. */
    const run =
      <Payload, Stored, S, P, A>(family: TextFamily<Payload, Stored, S, P, A>) =>
      (input: TextInput<Payload>, prepaid?: Prepaid): Effect.Effect<A | Response, Failure> =>
        toEffect(() =>
          prepare(family, input, (prepared) =>
            generate(family, input, prepared, { stream: false, prepaid }).flatMap((begun) => whole(begun, prepared))
          )
        )

    /** Starts a generation for a caller that pulls it; the scope's end cancels it. */
    const start =
      <Payload, Stored, S, P, A>(family: TextFamily<Payload, Stored, S, P, A>) =>
      (
        input: TextInput<Payload>,
        options: { readonly prepaid?: Prepaid; readonly stream: boolean }
      ): Effect.Effect<Started<A>, Failure, Scope.Scope> => {
        const begun = toEffect(
          () =>
            prepare(family, input, (prepared) =>
              generate(family, input, prepared, options).map((generation) => ({ generation, prepared }))
            ),
          ({ generation, prepared }) => {
            generation.cancel()
            prepared.release?.("hang-up")
          }
        )
        return Effect.acquireRelease(Effect.interruptible(begun), ({ generation, prepared }, exit) =>
          Effect.sync(() => {
            generation.cancel()
            prepared.release?.(Exit.isSuccess(exit) ? "finished" : "failed")
          })
        ).pipe(
          Effect.map(({ generation, prepared }) => ({
            generation,
            encode: (use) => encodedBy(prepared.text, generation, use)
          }))
        )
      }

    /**
     * The most that a request can cost. Fails where the request would be refused before an upstream is asked.
     *
     * @param runs what runs the request later: a task, or a batch of which it is a line
     */
    const quote =
      <Payload, Stored, S, P, A>(family: TextFamily<Payload, Stored, S, P, A>, runs: "now" | "task" | "line" = "now") =>
      (input: TextInput<Payload>): Effect.Effect<Quote, Failure> => {
        const quoted = (stored: Stored | undefined): Effect.Effect<Quote, Failure> => {
          const text = family.understand(input, stored)
          if (text instanceof InvalidRequest) return Effect.fail(text)
          const { answers, conversation, mayReachWeb, objection, servers } = text
          const { dialect } = family
          const { kind } = families[dialect]
          const { caller, request } = input
          const { headers } = request
          const isTranslated =
            (kind === "text" && isGuarded(caller, conversation.model)) ||
            (text.hasOwnCalls === true && objection() === undefined)
          const passed = isTranslated ? undefined : dialect
          const asked = { family: passed, kind, mayReachWeb, objection, answers: answers?.count, headers }
          if (servers !== undefined) {
            const naming = { asked: servers, caller, request }
            return Effect.flatMap(callsHere(dialect, naming, text), (isHere) => {
              if (!isHere) return dispatch.quote(caller, conversation, { ...asked, hasServers: true })
              if (runs === "line") return Effect.fail(refusedInLine(servers))
              const here = { ...asked, family: undefined }
              if (runs === "task")
                return Effect.zipRight(admitServers(callerServers, naming), dispatch.quote(caller, conversation, here))
              return Effect.flatMap(
                Effect.scoped(offerServers(callerServers, { ...naming, conversation })),
                (offered) => dispatch.quote(caller, offered.conversation, here)
              )
            })
          }
          const ask = dispatch.quote(caller, conversation, asked)
          if (!isLarge(text, request)) return ask
          const items = Effect.sync(() => conversation.items)
          return turn.pipe(Effect.zipRight(items), Effect.zipRight(turn), Effect.zipRight(ask))
        }
        return Effect.suspend(() => {
          const inlined = input.request.namesFiles === false ? undefined : files.put(input)
          if (inlined !== undefined) return Effect.flatMap(inlined, (ready) => quote(family, runs)(named(ready)))
          const found = family.lookUp?.(input, dispatch, "look")
          return found === undefined ? quoted(undefined) : Effect.flatMap(found, quoted)
        })
      }

    return { answer, isGuarded, listed, run, start, quote, runsServers } as const
  })
}) {}

/** A request whose files were looked up. */
const named = <Payload>(input: TextInput<Payload>): TextInput<Payload> => ({
  ...input,
  request: { ...input.request, namesFiles: false }
})

const turn = Effect.promise(nextTurn)

const isLarge = <S, P, A>(text: TextRequest<S, P, A>, request: Incoming): boolean =>
  text.isLarge === true || request.isLarge === true
