import { allMeasures, countOf, inputOf, rowOf } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Metrics } from "../telemetry/Metrics.ts"
import type { Distribution } from "../telemetry/Registry.ts"

/** The labels of a generation's metrics. */
export interface Counted {
  readonly operation: string
  readonly model: string
  /** The provider of the last upstream called. */
  readonly provider: string
  /** The time of admission by `performance.now()`. */
  readonly begunAt: number
  readonly stream: boolean
}

/** Counts generations. The series of each model and provider are looked up once. */
export const generationMetrics = (metrics: Metrics) => {
  const known = new Map<string, Map<string, Counts>>()
  const streamsOpen = metrics.streamsOpen.of()

  const countsOf = ({ model, operation, provider }: Counted): Counts => {
    let ofModel = known.get(model)
    if (ofModel === undefined) known.set(model, (ofModel = new Map()))
    let counts = ofModel.get(provider)
    if (counts === undefined) ofModel.set(provider, (counts = new Counts(metrics, operation, model, provider)))
    return counts
  }

  return {
    begun: (stream: boolean): void => {
      if (stream) streamsOpen.add(1)
    },
    /** The first content arrived. */
    answers: (one: Counted): void => {
      if (one.stream) countsOf(one).firstToken.observe(secondsSince(one.begunAt))
    },
    /**
     * A generation ended that had begun.
     *
     * @param error the error type; undefined if it did not fail
     */
    over: (one: Counted, error: string | undefined, used: Usage): void => {
      if (one.stream) streamsOpen.add(-1)
      const counts = countsOf(one)
      counts.ended(error).observe(secondsSince(one.begunAt))
      counts.used(used)
    },
    /** A generation never began. */
    refused: (one: Counted, error: string): void => countsOf(one).ended(error).observe(secondsSince(one.begunAt))
  } as const
}

const secondsSince = (at: number): number => (performance.now() - at) / 1_000

/** The series of one model at one provider. */
class Counts {
  readonly #metrics: Metrics
  readonly #labels: readonly [string, string, string]
  readonly #errors = new Map<string, Distribution>()
  readonly #finished: Distribution
  readonly #input: Distribution
  readonly #output: Distribution
  #firstToken: Distribution | undefined

  constructor(metrics: Metrics, operation: string, model: string, provider: string) {
    const labels = [operation, model, provider] as const
    this.#metrics = metrics
    this.#labels = labels
    this.#finished = metrics.generationSeconds.of(...labels, "")
    this.#input = metrics.tokenUsage.of(...labels, "input")
    this.#output = metrics.tokenUsage.of(...labels, "output")
  }

  get firstToken(): Distribution {
    return (this.#firstToken ??= this.#metrics.firstTokenSeconds.of(...this.#labels))
  }

  ended(error: string | undefined): Distribution {
    if (error === undefined) return this.#finished
    let series = this.#errors.get(error)
    if (series === undefined) {
      series = this.#metrics.generationSeconds.of(...this.#labels, error)
      this.#errors.set(error, series)
    }
    return series
  }

  used(usage: Usage): void {
    const input = inputOf(usage)
    if (input > 0) this.#input.observe(input)
    if (usage.outputTokens > 0) this.#output.observe(usage.outputTokens)
    const [, model] = this.#labels
    for (const [measure, kind] of cached) {
      const count = countOf(usage, measure)
      if (count > 0) this.#metrics.cachedTokens.of(model, kind).add(count)
    }
  }
}

const cached = allMeasures.flatMap((measure) => {
  const { cached: kind } = rowOf(measure)
  return kind === undefined ? [] : [[measure, kind] as const]
})
