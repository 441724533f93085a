import { Cause, Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import * as Eager from "../contract/eager.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { ModelForbidden } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { countTokens } from "../generation/tokens.ts"
import { fitContext } from "../generation/truncate.ts"
import { Ledger } from "../ledger/Ledger.ts"
import type { Charge, Chargeable } from "../ledger/Ledger.ts"
import { metered } from "../ledger/metered.ts"
import type { Metering } from "../ledger/metered.ts"
import { free, mostOf } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import { Limits } from "../limits/Limits.ts"
import type { Admission } from "../limits/Limits.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { NativeDialect, NativeRequest } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model, Route } from "./Catalogue.ts"
import { tellAdapted } from "./adapted.ts"
import { outOfReach } from "./beyond.ts"
import type { Beyond } from "./beyond.ts"
import { counting, watching } from "./counted.ts"
import { Lanes, through } from "./Lane.ts"
import { forbidden } from "./permission.ts"
import { withinAccount } from "./searchDomains.ts"
import { tryRoutes } from "./tryRoutes.ts"

/** The request in its family's own dialect, for upstreams that speak it. */
export interface Native {
  readonly family: NativeDialect["family"]
  /** Only made where it is wanted. */
  readonly request: () => NativeRequest
}

export interface GenerationOptions {
  /** Whether the client reads a stream. */
  readonly stream: boolean
  /** Passed through to an upstream of the same dialect, whose generation is then `native`; undefined never is. */
  readonly native?: Native | undefined
  /** Pays in place of the ledger, where the money was set aside before. */
  readonly charge?: ((request: Chargeable) => Charge) | undefined
  /** What the conversation does not say of the request; asked where it goes to an upstream of another dialect. */
  readonly beyond?: () => ReadonlyArray<Beyond>
}

/** Finds who can run a request and lets it run: catalogue, permission, money, routing. */
export class Models extends Effect.Service<Models>()("gateway/models/Models", {
  dependencies: [Ledger.Default, Limits.Default],
  effect: Effect.gen(function* () {
    const catalogue = yield* Catalogue
    const upstreams = yield* TextUpstreams
    const ledger = yield* Ledger
    const limits = yield* Limits
    const lanes = yield* Lanes
    const metrics = yield* Metrics
    const watcher = watching(metrics)
    const counts = counting(metrics)

    const lookUp = (id: string, kind: Model["kind"]): Model | InvalidRequest => {
      const model = catalogue.get(id)
      if (model === undefined) return unknownModel(id)
      return model.kind === kind ? model : wrongKind(model, kind)
    }

    const find = (id: string, kind: Model["kind"]): Effect.Effect<Model, InvalidRequest> => {
      const model = lookUp(id, kind)
      return model instanceof InvalidRequest ? Effect.fail(model) : Effect.succeed(model)
    }

    /** The model, and the conversation as it may be had from it; or why not. */
    const admit = (caller: Caller, conversation: Conversation) => {
      const model = lookUp(conversation.model, "text")
      if (model instanceof InvalidRequest) return model
      const refused = forbidden(caller, model.id)
      if (refused !== undefined) return refused
      const searching = withinAccount(caller, conversation)
      if (searching instanceof InvalidRequest) return searching
      const fitting = fitContext(searching, model.contextTokens)
      return fitting instanceof InvalidRequest ? fitting : { model, fitting }
    }

    /** What a conversation can cost at most. Fails where `generate` would before it asks anybody. */
    const quote = (caller: Caller, conversation: Conversation): Effect.Effect<Quote, InvalidRequest | ModelForbidden> =>
      Effect.suspend(() => {
        const admitted = admit(caller, conversation)
        if (!("fitting" in admitted)) return Effect.fail(admitted)
        const { fitting, model } = admitted
        const price = model.price ?? free
        const most = once(() => mostUsed(fitting, model, countTokens(fitting)))
        return Effect.succeed({ model, price, most, mostNanoUsd: () => mostOf(price, most()) })
      })

    /**
     * Starts a generation for a caller, who pays for what it uses. Fails with what the upstream or the gateway refuses
     * before it began. It begins when it is called: to be given to `answering` right then, which cancels it when its
     * client leaves.
     */
    const generate = (
      caller: Caller,
      conversation: Conversation,
      request: Incoming,
      options: GenerationOptions
    ): Effect.Effect<Generation, Failure> => {
      const admitted = admit(caller, conversation)
      if (!("fitting" in admitted)) return Effect.fail(admitted)
      const { fitting, model } = admitted
      // A request that the gateway has changed is told in its own words: the caller's would say the old ones.
      const native = fitting === conversation ? options.native : undefined
      return paid(new Work(caller, model, fitting, request, { ...options, native }))
    }

    /** Finds somebody who takes the conversation. */
    const start = (work: Work): Effect.Effect<Generation, Failure> => {
      const { conversation, entry, request } = work
      const { native, stream } = work.options
      const strict = entry.strict === true || request.headers.get("x-gateway-strict") === "true"
      const call = (route: Route) => {
        const upstream = upstreams.get(route.upstream)
        if (upstream === undefined) return Effect.dieMessage(`model ${entry.id} has no upstream`)
        work.upstream = upstream.name
        const how = { upstreamModel: route.model, stream, requestId: request.id, strict }
        if (native !== undefined && upstream.native?.family === native.family) {
          const { forward } = upstream.native
          return through(lanes.get(route.upstream), () => forward(native.request(), how))
        }
        const refused = outOfReach(work.beyond(), strict)
        if (refused !== undefined) return Effect.fail(refused)
        return through(lanes.get(route.upstream), () => upstream.generate(conversation, how))
      }
      return tryRoutes(entry.routes, call, watcher)
    }

    /** Names who answers, and what they were not told. */
    const tellUpstream = (work: Work, generation: Generation): void => {
      const { replyHeaders } = work.request
      replyHeaders["x-gateway-upstream"] = work.upstream
      const beyond = generation.native === true ? [] : work.beyond()
      const adapted = tellAdapted(generation.adapted ?? [], beyond, metrics.adapted)
      if (adapted !== undefined) replyHeaders["x-gateway-adapted"] = adapted
    }

    /**
     * Lets the request in within its limits, and holds the most that it can cost while it starts and runs. One that is
     * left before it starts used nothing.
     */
    const paid = (work: Work): Effect.Effect<Generation, Failure> => {
      // What a request that does not bound its output will use, nobody knows: it is counted after.
      const mostTokens = () => work.inputTokens() + (work.conversation.maxOutputTokens ?? 0)
      const begun = limits.begin(work.caller, work.entry, mostTokens, work.request.replyHeaders)
      return Eager.uninterruptible(
        Eager.flatMap(begun, (admission) => {
          work.admission = admission
          return Eager.matchCauseEffect(charged(work), {
            onFailure: (cause) => {
              admission.done(0)
              return Effect.failCause(cause)
            },
            onSuccess: (charge) => started(work, charge)
          })
        })
      )
    }

    const charged = (work: Work) =>
      work.options.charge === undefined
        ? ledger.open(work, () => work.mostNanoUsd())
        : Effect.succeed(work.options.charge(work))

    const started = (work: Work, charge: Charge): Effect.Effect<Generation, Failure> =>
      Eager.matchCauseEffect(start(work), {
        onFailure: (cause) => {
          const isHangUp = Cause.isInterrupted(cause)
          if (isHangUp) void charge.settle(noUsage, "hang-up", true)
          else charge.release()
          work.admission?.done(0)
          counts.refused(work.model, work.upstream, isHangUp ? "hang-up" : "refused")
          return Effect.failCause(cause)
        },
        onSuccess: (generation) => {
          tellUpstream(work, generation)
          counts.begun(work.options.stream)
          return Effect.succeed(metered(generation, charge, work))
        }
      })

    /** One request on its way to its answer: an object and no closures, since thousands of them are open at a time. */
    class Work implements Chargeable, Metering {
      readonly caller: Caller
      readonly requestId: string
      readonly model: string
      readonly price: Price
      /** The one that is being tried: until it is paid another route may take over. */
      upstream: string
      admission: Admission | undefined
      readonly entry: Model
      readonly conversation: Conversation
      readonly request: Incoming
      readonly options: GenerationOptions
      #inputTokens: number | undefined
      #beyond: ReadonlyArray<Beyond> | undefined

      constructor(
        caller: Caller,
        entry: Model,
        conversation: Conversation,
        request: Incoming,
        options: GenerationOptions
      ) {
        this.caller = caller
        this.requestId = request.id
        this.model = entry.id
        this.price = entry.price ?? free
        this.upstream = entry.routes[0]?.upstream ?? ""
        this.entry = entry
        this.conversation = conversation
        this.request = request
        this.options = options
      }

      inputTokens(): number {
        return (this.#inputTokens ??= countTokens(this.conversation))
      }

      mostNanoUsd(): number {
        return mostOf(this.price, mostUsed(this.conversation, this.entry, this.inputTokens()))
      }

      beyond(): ReadonlyArray<Beyond> {
        return (this.#beyond ??= this.options.beyond?.() ?? [])
      }

      isShuttingDown(): boolean {
        return this.request.shutdown.aborted
      }

      done(tokens: number, how: "finished" | "hang-up" | "failed", used: Usage): void {
        this.admission?.done(tokens)
        counts.over(this.model, this.upstream, this.options.stream, how, used)
      }
    }

    return {
      find,
      generate,
      quote,
      get: (id: string) => catalogue.get(id),
      list: () => [...catalogue.values()]
    } as const
  })
}) {}

/** A conversation's model and price, and what it can use and cost at most. */
export interface Quote {
  readonly model: Model
  readonly price: Price
  readonly most: () => { readonly inputTokens: number; readonly outputTokens: number; readonly searches: number }
  readonly mostNanoUsd: () => number
}

/** Output tokens set aside for a request that bounds them neither itself nor by its model's context. */
const unboundedOutput = 16_384
/** Searches set aside for a request that may search and does not say how often. */
const unboundedSearches = 5

/** What a request can use up at most: what was said to be the most, else a usual amount. */
const mostUsed = (conversation: Conversation, model: Model, inputTokens: number) => {
  const left = model.contextTokens === undefined ? Infinity : Math.max(0, model.contextTokens - inputTokens)
  const search = conversation.tools.find((tool) => tool.type === "search")
  return {
    inputTokens,
    outputTokens: conversation.maxOutputTokens ?? Math.min(left, unboundedOutput),
    searches: search === undefined ? 0 : (search.maxUses ?? unboundedSearches)
  }
}

const once = <A>(make: () => A) => {
  let known: A | undefined
  return () => (known ??= make())
}

const unknownModel = (id: string) =>
  new InvalidRequest({
    param: "model",
    message: `model: unknown model "${id}"; GET /v1/models lists the models served`
  })

const wrongKind = (model: Model, kind: Model["kind"]) =>
  new InvalidRequest({ param: "model", message: `model: "${model.id}" is a ${model.kind} model, not a ${kind} model` })
