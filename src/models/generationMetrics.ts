import type { Usage } from "../generation/GenerationEvent.ts"
import type { Metrics } from "../telemetry/Metrics.ts"
import type { Series } from "../telemetry/Registry.ts"
import type { Watcher } from "../routing/tryRoutes.ts"

/** Counts generations; the series of each model and upstream are looked up once. */
export const generationMetrics = (metrics: Metrics) => {
  const known = new Map<string, Map<string, Counts>>()
  const streamsOpen = metrics.streamsOpen.of()

  const countsOf = (model: string, upstream: string): Counts => {
    let ofModel = known.get(model)
    if (ofModel === undefined) known.set(model, (ofModel = new Map()))
    let counts = ofModel.get(upstream)
    if (counts === undefined) ofModel.set(upstream, (counts = new Counts(metrics, model, upstream)))
    return counts
  }

  return {
    begun: (stream: boolean): void => {
      if (stream) streamsOpen.add(1)
    },
    /** One that had begun. */
    over: (model: string, upstream: string, stream: boolean, how: "finished" | "hang-up" | "failed", used: Usage) => {
      if (stream) streamsOpen.add(-1)
      countsOf(model, upstream).over(how, used)
    },
    /** One that never began. */
    refused: (model: string, upstream: string, how: "refused" | "hang-up"): void =>
      countsOf(model, upstream).outcome(how)
  } as const
}

type Kind = "input" | "cache_read" | "cache_write" | "output"

class Counts {
  readonly #metrics: Metrics
  readonly #model: string
  readonly #upstream: string
  readonly #outcomes = new Map<string, Series>()
  readonly #tokens = new Map<Kind, Series>()

  constructor(metrics: Metrics, model: string, upstream: string) {
    this.#metrics = metrics
    this.#model = model
    this.#upstream = upstream
  }

  over(how: "finished" | "hang-up" | "failed", used: Usage): void {
    this.outcome(how)
    this.#add("input", used.inputTokens)
    this.#add("cache_read", used.cacheReadTokens)
    this.#add("cache_write", used.cacheWriteTokens)
    this.#add("output", used.outputTokens)
  }

  outcome(how: string): void {
    let series = this.#outcomes.get(how)
    if (series === undefined) {
      series = this.#metrics.generations.of(this.#model, this.#upstream, how)
      this.#outcomes.set(how, series)
    }
    series.add(1)
  }

  #add(kind: Kind, tokens: number): void {
    if (tokens <= 0) return
    let series = this.#tokens.get(kind)
    if (series === undefined) this.#tokens.set(kind, (series = this.#metrics.tokens.of(this.#model, kind)))
    series.add(tokens)
  }
}

/** Counts the calls that upstreams refuse, and those that are made once more. */
export const routeMetrics = (metrics: Metrics): Pick<Watcher, "failed" | "again"> => ({
  failed: (upstream, { status }) => metrics.upstreamErrors.of(upstream, String(status ?? "none")).add(1),
  again: (upstream, how) => metrics.upstreamRetries.of(upstream, how).add(1)
})
