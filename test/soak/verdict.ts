/** How long requests took, in buckets a hundredth apart, so that an hour of them takes no memory to speak of. */
export class Latencies {
  private readonly buckets = new Uint32Array(2_400)
  private total = 0

  add(ms: number): void {
    const bucket = Math.round(Math.log(Math.max(ms, leastMs) / leastMs) / step)
    this.buckets[Math.min(bucket, this.buckets.length - 1)]!++
    this.total++
  }

  get count(): number {
    return this.total
  }

  /** @param share 0.99 for the 99th percentile; NaN where nothing was added */
  quantile(share: number): number {
    let left = Math.ceil(this.total * share)
    for (const [bucket, count] of this.buckets.entries()) {
      left -= count
      if (left <= 0 && this.total > 0) return leastMs * Math.exp(bucket * step)
    }
    return NaN
  }

  static merged(parts: ReadonlyArray<Latencies>): Latencies {
    const all = new Latencies()
    for (const part of parts) {
      for (const [bucket, count] of part.buckets.entries()) all.buckets[bucket]! += count
      all.total += part.total
    }
    return all
  }
}

const leastMs = 0.01
const step = Math.log(1.01)

/** Of a sixtieth of the time under load: what the gateway took, and what its upstream took when it was asked without it. */
export interface Slice {
  readonly gateway: Latencies
  readonly direct: Latencies
}

/** Resident memory in a quiet moment. */
export interface Quiet {
  readonly hours: number
  readonly megabytes: number
}

export interface Slope {
  /** In MB an hour: the median of the slopes between any two moments (Theil and Sen), which a few odd ones do not move. */
  readonly perHour: number
  /** Between which the true slope lies with 95 %, by the ranks that chance alone would give (Kendall). */
  readonly low: number
  readonly high: number
}

export const theilSen = (points: ReadonlyArray<Quiet>): Slope => {
  const slopes = points
    .flatMap((one, index) =>
      points.slice(index + 1).map((other) => (other.megabytes - one.megabytes) / (other.hours - one.hours))
    )
    .sort((a, b) => a - b)
  const [n, pairs] = [points.length, slopes.length]
  const odd = 1.96 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const at = (rank: number) => slopes[Math.min(pairs - 1, Math.max(0, Math.round(rank)))] ?? NaN
  return {
    perHour: (at(Math.floor((pairs - 1) / 2)) + at(Math.ceil((pairs - 1) / 2))) / 2,
    low: at((pairs - odd) / 2 - 1),
    high: at((pairs + odd) / 2)
  }
}

export interface Bounds {
  /** How many times the second sixth's p99 the last one's may be. */
  readonly p99: number
  /** How many times longer requests may take because of a slower machine, before that is the gateway's affair again. */
  readonly machine: number
  /** MB an hour. */
  readonly perHour: number
}

/**
 * What a run of so many minutes may show: in an hour 1.1 times the p99 and less than 1 MB an hour. A shorter one sees fewer
 * requests, and in the same noise a slope that is less sure by the square of the time: in two minutes twice the p99 and 900
 * MB an hour, which are 22 MB from its first quarter to its end, or half a kilobyte a request.
 */
export const bounds = (minutes: number): Bounds => {
  const shorter = Math.max(1, 60 / minutes)
  const wider = shorter ** (2 / 3)
  return { p99: 1 + wider / 10, machine: Math.min(2, 1 + wider / 4), perHour: shorter ** 2 }
}

export interface Run {
  readonly minutes: number
  /** Sixty of them, in order. */
  readonly slices: ReadonlyArray<Slice>
  readonly quiets: ReadonlyArray<Quiet>
  /** Wrong answers, refusals, broken connections. */
  readonly errors: number
  /** Final callbacks that never came. */
  readonly uncalled: number
  /** Requests that were sent, of those that the rate asked for. */
  readonly sentShare: number
}

export interface Verdict {
  readonly lines: ReadonlyArray<string>
  readonly failures: ReadonlyArray<string>
}

const sliced = ({ slices }: Run, side: keyof Slice, sixth: number): ReadonlyArray<Latencies> => {
  const length = slices.length / 6
  return slices.slice(sixth * length, (sixth + 1) * length).map((slice) => slice[side])
}

/**
 * The p99 of a sixth of the run, counted from 0: of everything in it where that is minutes long; in a short run the median
 * of its ten slices', for one stop of the machine is more than a hundredth of them, and in one of them.
 */
const p99Of = (run: Run, side: keyof Slice, sixth: number): number => {
  const its = sliced(run, side, sixth)
  if (run.minutes >= 30) return Latencies.merged(its).quantile(0.99)
  return its.map((slice) => slice.quantile(0.99)).sort((a, b) => a - b)[Math.floor(its.length / 2)] ?? NaN
}

/** A tenth of the upstream's answers, asked without the gateway, took at most so long: what waited for nothing tells the machine's speed. */
const aloneIn = (run: Run, sixth: number): number => Latencies.merged(sliced(run, "direct", sixth)).quantile(0.1)

/**
 * Compares the last sixth with the second, and the resident memory after the first quarter with itself. Where the upstream
 * alone became slower between the two sixths, so did the machine, and the bound goes with it, as far as that may go: by its
 * square, for work that takes s times as long at half of the capacity waits s / (1 - s / 2) against 1 / (1 - 1 / 2).
 */
export const verdict = (run: Run): Verdict => {
  const { errors, minutes, quiets, sentShare, uncalled } = run
  const allowed = bounds(minutes)
  const [second, last] = [p99Of(run, "gateway", 1), p99Of(run, "gateway", 5)]
  const slower = aloneIn(run, 5) / aloneIn(run, 1)
  const machine = Math.min(allowed.machine, Math.max(1, slower ** 2))
  const late = quiets.filter(({ hours }) => hours >= minutes / 60 / 4)
  const slope = theilSen(late)
  const number = (value: number) => value.toFixed(2)
  const p99 = `p99 of the last sixth against the second: ${number(last)} / ${number(second)} ms = ${number(last / second)} (at most ${number(allowed.p99)}, times ${number(machine)} for a machine that became ${number(slower)} times as slow)`
  const memory = `resident memory after the first quarter: ${number(slope.perHour)} MB an hour, with 95 % between ${number(slope.low)} and ${number(slope.high)} (less than ${number(allowed.perHour)}; ${late.length} quiet moments)`
  const checks: ReadonlyArray<readonly [string, boolean]> = [
    [p99, last / second <= allowed.p99 * machine],
    [memory, slope.perHour < allowed.perHour],
    [`wrong answers: ${errors}`, errors === 0],
    [`tasks whose end was not delivered: ${uncalled}`, uncalled === 0],
    [`of the intended requests were sent: ${number(sentShare * 100)} % (at least 95)`, sentShare >= 0.95]
  ]
  const sixths = (of: (sixth: number) => number) => [0, 1, 2, 3, 4, 5].map((sixth) => number(of(sixth))).join(" ")
  const each = `p99 of each sixth: ${sixths((sixth) => p99Of(run, "gateway", sixth))} ms; of the upstream alone: ${sixths((sixth) => p99Of(run, "direct", sixth))} ms, its quickest tenth ${sixths((sixth) => aloneIn(run, sixth))} ms`
  return {
    lines: [each, ...checks.map(([line]) => line)],
    failures: checks.filter(([, holds]) => !holds).map(([line]) => line)
  }
}
