import { Cause, Effect } from "effect"
import { Ownership } from "../ownership/Ownership.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { runFuture, runFutureUninterruptible } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import { ModelForbidden } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { Ledger } from "../ledger/Ledger.ts"
import type { Charge } from "../ledger/Charge.ts"
import type { SharedLimits } from "../ledger/DurableHolds.ts"
import { meter } from "../ledger/meter.ts"
import { Limits } from "../limits/Limits.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { atKey } from "../upstreams/keys/KeyPool.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { Catalogue, limitedAs } from "../catalogue/Catalogue.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { tellAdapted } from "./adapted.ts"
import { makeAffords } from "./affords.ts"
import { makeAdmit } from "./admit.ts"
import type { AdmittedRoute } from "./admit.ts"
import { makeOwnershipCheck } from "./ownershipCheck.ts"
import { makeSigning, signsNothing } from "./callSignatures.ts"
import type { Signing } from "./callSignatures.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import { callsServerTools, extendHold, runApproved } from "./extendHold.ts"
import { fitOutput } from "./fitOutput.ts"
import { translateInstead } from "./translateInstead.ts"
import { makeQuote } from "./makeQuote.ts"
import { severally } from "./several.ts"
import { leftOutAt, unsupportedError } from "./unsupported.ts"
import { Attempts } from "./Attempts.ts"
import { mayFallBack } from "./chosenRoutes.ts"
import { flexAlone } from "./flexAlone.ts"
import { Fallbacks } from "./Fallbacks.ts"
import { withFallbacks } from "./withFallbacks.ts"
import { isCovered } from "./agreedRoutes.ts"
import { makeObservers } from "./observers.ts"
import { Work } from "./Work.ts"
import { tellRoute } from "./tellRoute.ts"
import { makeUpstreamCount } from "./upstreamCount.ts"
import { Bulkheads, RouteQueues, through } from "../routing/Bulkhead.ts"
import { generateWithTools } from "./generateWithTools.ts"
import { tooManyDomains } from "./searchDomains.ts"
import { tryRoutes } from "../routing/tryRoutes.ts"
import type { Hedge } from "../routing/tryRoutes.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"

/** Runs generations: admission, limits, money, routing. */
export class Dispatch extends Effect.Service<Dispatch>()("gateway/dispatch/Dispatch", {
  dependencies: [Ownership.Default, ReasoningSignatures.Default, UpstreamCalls.Default],
  effect: Effect.gen(function* () {
    const catalogue = yield* Catalogue
    const upstreams = yield* TextUpstreams
    const ledger = yield* Ledger
    const limits = yield* Limits
    const bulkheads = yield* Bulkheads
    const routeQueues = yield* RouteQueues
    const metrics = yield* Metrics
    const runtime = yield* Effect.runtime()
    const clock = yield* Effect.clock
    const { refusals, sticky } = yield* UpstreamCalls
    const observers = yield* makeObservers
    const routing = { runtime, coolDowns: observers.coolDowns }
    const { admit, choose, find, passes, translates } = yield* makeAdmit
    const { owned, permit, withOwnKeys } = yield* makeOwnershipCheck
    const signing = yield* makeSigning

    /**
     * Starts a generation and charges the caller for its usage. Fails if the gateway or the upstreams refuse the
     * request.
     */
    const generate = (
      caller: Caller,
      conversation: Conversation,
      request: Incoming,
      options: GenerationOptions
    ): Future<Generation, Failure> => {
      const { hasServers, kind, mayReachWeb, objection, passthrough, prepaid } = options
      const asked = { family: passthrough?.family, hasServers, objection, mayReachWeb, kind, headers: request.headers }
      const admitted = admit(caller, conversation, asked)
      const model = "fitting" in admitted ? admitted.model : catalogue.get(conversation.model)
      if (model?.fallbacks === undefined || !mayFallBack(request.headers)) {
        return "fitting" in admitted
          ? holdAndStart(new Work(caller, admitted, request, options, observers))
          : Future.fail(admitted)
      }
      const attempts = new Attempts(observers.failedAttempts, request, model, options.stream)
      const chain = { requested: model, attempts, fallbacks: new Fallbacks(catalogue, caller, model) }
      return withFallbacks(model, admitted, {
        ...chain,
        isLeft: () => request.record?.generation?.isLeft === true,
        admit: (instead) => {
          const other = admit(caller, conversation, { ...asked, instead })
          return "fitting" in other && !isCovered(other, prepaid?.routes) ? notHeld : other
        },
        ask: (one) => holdAndStart(new Work(caller, one, request, options, observers, chain))
      })
    }

    /** Tries the routes until an upstream accepts the request. */
    const start = (work: Work, charge: Charge): Future<Generation, Failure> => {
      const call = callOf(work, charge)
      const hedge = work.isHedged ? hedgeOf(work, charge) : undefined
      const tryAll = (routes: ReadonlyArray<AdmittedRoute>) =>
        tryRoutes(work.routing(routing), work, routes, call, work.attempts, hedge)
      const { all } = work.offers
      return flexAlone(work, all, (routes) =>
        routes.some(({ key }) => key !== undefined) ? withOwnKeys(work, routes).flatMap(tryAll) : tryAll(routes)
      )
    }

    const hedgeOf = (work: Work, charge: Charge): Hedge<AdmittedRoute> => ({
      afterMs: work.entry.hedgeMs ?? Infinity,
      call: (route, isLast) => callOf(work.hedge(), charge)(route, isLast),
      watcher: {
        failed: (upstream, error) => work.hedge().attempts.failed(upstream, error),
        again: () => {},
        refused: (upstream, error) => work.attempts.refused(upstream, error)
      },
      won: (by) => work.hedgeWon(by)
    })

    /** Calls routes for a request. */
    const callOf = (work: Work, charge: Charge) => {
      const { conversation, entry, request } = work
      const { passthrough, stream } = work.options
      const strict = entry.strict === true || request.headers.get("x-gateway-strict") === "true"
      const call = (route: AdmittedRoute, isLast: boolean) => {
        const named = upstreams.get(route.part)
        const upstream = route.key === undefined ? named : atKey(named, route.key)
        if (upstream === undefined) return Future.die(new Error(`model ${entry.id} has no upstream`))
        work.route = route
        work.attempts.calls(route, upstream, entry)
        return owned(work, upstream, route, () =>
          upstream.signsCalls === true
            ? runFuture(runtime, signing(work.caller, conversation, route.model)).flatMap((found) =>
                ask(route, upstream, found, isLast)
              )
            : ask(route, upstream, signsNothing, isLast)
        )
      }
      const sendWithin = (route: AdmittedRoute, send: () => Future<Generation, Failure | UpstreamError>) => {
        const { bound, key } = route
        const queue = bound && routeQueues.get(bound.name)
        work.attempts.queues()
        return through(bulkheads.get(route.part), work.caller.account, () => work.attempts.sends(send), key, queue)
      }
      const ask = (
        route: AdmittedRoute,
        upstream: TextUpstream,
        { callSignatures, keeping }: Signing,
        isLast: boolean
      ) => {
        const { key, knownAs, model: upstreamModel } = route
        const to = { upstreamModel, knownAs, key, callSignatures, trace: work.attempts.headers }
        const how = {
          ...to,
          stream,
          requestId: request.id,
          family: passthrough?.family,
          strict,
          isPatient: work.isPatient,
          deadlines: route.deadlines,
          attempt: work.attempts.sent,
          refusals,
          isUnsearched: route.isUnsearched,
          mayLeave: work.mayLeave(isLast),
          serves: work,
          runtime
        }
        const { endpoint } = route
        if (endpoint !== undefined && passthrough !== undefined) {
          work.leftOut = []
          return sendWithin(route, () =>
            endpoint.send(passthrough.request(upstream), how, translateInstead(work, route, upstream, how)).map(keeping)
          )
        }
        const { cut, fitted } = fitOutput(entry, route, conversation, strict)
        work.leftOut = [...leftOutAt(work.unsupported(), upstream), ...cut]
        const refused = unsupportedError(work.leftOut, strict) ?? tooManyDomains(work)
        if (refused !== undefined) return Future.fail(refused)
        const { serverTools } = work.options
        const mayTakeRounds =
          serverTools !== undefined || (upstream.isSearchedFor === true && callsServerTools(conversation))
        const asked = mayTakeRounds ? { ...how, extend: extendHold(work, charge) } : how
        const send = (one: Conversation) =>
          sendWithin(route, () => {
            if (serverTools === undefined) return upstream.generate(one, asked).map(keeping)
            return generateWithTools(upstream, serverTools, one, asked).map(keeping)
          })
        const { several } = work.options
        return several === undefined ? send(fitted) : severally(several, runtime, fitted, send)
      }
      return call
    }

    /**
     * Admits the request within its limits and holds its maximum cost. A request that is abandoned before it starts
     * costs nothing.
     */
    const holdAndStart = (work: Work): Future<Generation, Failure> => {
      if (work.request.record !== undefined) work.request.record.generation = work
      const mostTokens = () => work.limitedTokens()
      return limits.begin(work.caller, work.entry, mostTokens).flatMap((admission) => {
        work.admission = admission
        const { replyHeaders, tellStanding } = work.request
        if (admission.tokens !== undefined) tellStanding?.(replyHeaders, "tokens", admission.tokens)
        return Future.attempt(() => openCharge(work)).matchCause({
          onFailure: (cause) => {
            admission.done(0)
            return Future.failCause(cause)
          },
          onSuccess: (charge) => startCharged(work, charge)
        })
      })
    }

    const openCharge = (work: Work) =>
      work.options.prepaid === undefined
        ? runFutureUninterruptible(runtime, ledger.open(work))
        : Future.succeed(work.options.prepaid.charge(work))

    const beginCalls = (work: Work, charge: Charge): Future<Generation, Failure> => {
      const { serverTools } = work.options
      if (serverTools?.approved !== undefined) {
        const ran = runApproved(work, charge, serverTools.approved, serverTools)
        return runFuture(runtime, ran).flatMap(() => start(work, charge))
      }
      return work.request.isLarge === true
        ? runFuture(runtime, Effect.promise(nextTurn)).flatMap(() => start(work, charge))
        : Future.attempt(() => start(work, charge))
    }

    const startCharged = (work: Work, charge: Charge): Future<Generation, Failure> =>
      beginCalls(work, charge).matchCause({
        onFailure: (cause) => {
          if (Cause.isInterrupted(cause) && (work.isLeft || !work.isShuttingDown())) work.left(charge)
          else {
            charge.release()
            work.admission?.done(0)
          }
          work.over()
          work.neverBegan(cause)
          return Future.failCause(cause)
        },
        onSuccess: (generation) => {
          // No other route will need the text, and the stream may be long.
          work.request.bodyText?.forget()
          work.attempts.answered(generation)
          tellRoute(work)
          keepRoute(work)
          Object.assign(work.request.replyHeaders, generation.replyHeaders)
          tellAdapted(work.request.replyHeaders, generation.adapted ?? [], work.leftOut, metrics.adapted)
          return Future.succeed(meter(generation, charge, work))
        }
      })

    /** Keeps the conversation at its route, if an earlier one did not answer. */
    const keepRoute = ({ offers, route, stickyKey }: Work): void => {
      if (stickyKey === undefined || route === undefined || route === offers.all[0]) return
      sticky.keep(stickyKey, route, clock.unsafeCurrentTimeMillis())
    }

    /** A model's limits with those of its other names, for tasks. */
    const limitsOf = (model: Model): SharedLimits | undefined => {
      const { id, limits: bounds } = model
      const name = limitedAs(model)
      const includes = (other: string) => {
        if (!catalogue.has(other)) return other === id || catalogue.patternOf?.(other) === name
        const known = catalogue.get(other)
        return known !== undefined && limitedAs(known) === name
      }
      return bounds && { bounds, name, includes }
    }

    return {
      affords: makeAffords(admit, limits, ledger, observers),
      choose,
      find,
      generate,
      quote: makeQuote(admit, catalogue, ledger, { limitsOf, waysAt: observers.serving.waysAt }),
      limitsOf,
      passes,
      upstreamCount: yield* makeUpstreamCount(permit),
      translates,
      get: (id: string) => catalogue.get(id),
      list: () => [...catalogue.values()]
    } as const
  })
}) {}

const notHeld = new ModelForbidden({ message: "The hold of this task does not cover the model" })
